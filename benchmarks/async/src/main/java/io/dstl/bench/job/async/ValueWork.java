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
package io.dstl.bench.job.async;

import java.io.IOException;
import java.io.Serializable;

/** What is done with the value of each key. */
public interface ValueWork extends Serializable {
    /** Whether the value before is needed for the next one. */
    boolean reads();

    /**
     * What an update writes.
     *
     * @param before null where there is none, and where it is not needed
     */
    byte[] next(byte[] before, long update);

    /** Keys are from 0, inclusive, to this, exclusive. */
    long keys();

    /** A key's part of the sum over all keys. */
    long digest(long key, byte[] value);

    /** Called at the end of each subtask with the sum over its keys. */
    void end(int subtask, long digest) throws IOException;
}
