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
package io.dstl.fs.read;

import static java.util.Objects.requireNonNull;

import io.dstl.secret.Redacted;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StreamStateHandle;

/** One change set that is going to be read, and the key groups that are needed of it. */
public final class SetRequest {

    private final StreamStateHandle segment;
    private final long offset;
    private final KeyGroupRange keyGroups;

    /**
     * @param offset of the set, in bytes of uncompressed content
     * @param keyGroups may be empty: the metadata is needed always
     */
    public SetRequest(StreamStateHandle segment, long offset, KeyGroupRange keyGroups) {
        this.segment = requireNonNull(segment);
        this.offset = offset;
        this.keyGroups = requireNonNull(keyGroups);
    }

    public StreamStateHandle segment() {
        return segment;
    }

    /** In bytes of uncompressed content. */
    public long offset() {
        return offset;
    }

    public KeyGroupRange keyGroups() {
        return keyGroups;
    }

    @Override
    public String toString() {
        return Redacted.of(segment) + " at " + offset + ", key groups " + keyGroups;
    }
}
