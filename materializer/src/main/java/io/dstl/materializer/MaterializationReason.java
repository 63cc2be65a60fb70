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
package io.dstl.materializer;

/** What a materialization has begun for. */
public enum MaterializationReason {
    /** The period is over. */
    PERIOD,
    /** The log has outgrown its share of what is materialized. */
    LOG_SIZE,
    /** To replay the log would take longer than a recovery may. */
    RECOVERY_TARGET
}
