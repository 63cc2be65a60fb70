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
package io.dstl.changelog.bulk;

import java.io.IOException;

/**
 * Writes keys and values to the delegate as they are, in batches. What is given in the order of the
 * delegate's keys is written fastest.
 *
 * <p>Copies what it is given. One thread at a time; several writers may write at once, if not the
 * same keys. All but {@link #close} throw a CancelTaskException soon after the task is cancelled,
 * but a write to the delegate that has begun is waited for.
 */
public interface RawWriter extends AutoCloseable {

    /** Sets the value of a key: {@code length} bytes of the array, from a position on. */
    void put(RawState state, Bytes key, Bytes value) throws IOException;

    /** Adds an operand to what the delegate has of a key. */
    void merge(RawState state, Bytes key, Bytes value) throws IOException;

    void delete(RawState state, Bytes key) throws IOException;

    /** Deletes all keys that begin with this one, as far as they were flushed. */
    void deleteBelow(RawState state, Bytes key) throws IOException;

    /** Writes what is gathered. */
    void flush() throws IOException;

    /** Without writing what is gathered. */
    @Override
    void close();
}
