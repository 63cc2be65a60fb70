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
package io.dstl.tools.inspect;

import io.dstl.secret.Redaction.Redacted;
import java.util.Optional;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** Where a change set is. Immutable. */
final class SetLocation {
    private final StreamStateHandle segment;
    private final long offset;

    /**
     * @param offset in bytes of uncompressed content
     */
    SetLocation(StreamStateHandle segment, long offset) {
        this.segment = segment;
        this.offset = offset;
    }

    StreamStateHandle segment() {
        return segment;
    }

    long offset() {
        return offset;
    }

    /** Empty where the bytes are in the metadata of the checkpoint. */
    Optional<Path> file() {
        return segment instanceof FileStateHandle
                ? Optional.of(((FileStateHandle) segment).getFilePath())
                : Optional.empty();
    }

    /** The segment's own name, and the offset. */
    @Override
    public String toString() {
        return file().map(Path::getName).orElse(Redacted.of(segment).toString()) + " @" + offset;
    }
}
