/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dstl.parity.leg;

/** What a leg leaves behind to restore from. */
public enum Ending {
    /** A retained checkpoint; the job is then cancelled. */
    CHECKPOINT,
    /** As before, while records of the last round are under way. */
    UNALIGNED_CHECKPOINT,
    CANONICAL_SAVEPOINT,
    NATIVE_SAVEPOINT,
    /** The job is stopped with a canonical savepoint. */
    STOP,
    /** As before, with all event time passed. */
    DRAIN
}
