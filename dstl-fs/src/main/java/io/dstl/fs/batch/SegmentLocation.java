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
package io.dstl.fs.batch;

import static java.util.Objects.requireNonNull;

import io.dstl.secret.Redaction.Redacted;
import java.util.Optional;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** The place of a stored change set. Immutable. */
public final class SegmentLocation {

    private final StreamStateHandle segment;
    private final long offset;

    /**
     * @param offset in bytes of uncompressed content
     */
    public SegmentLocation(StreamStateHandle segment, long offset) {
        this.segment = requireNonNull(segment);
        this.offset = offset;
    }

    public StreamStateHandle segment() {
        return segment;
    }

    /** In bytes of uncompressed content. */
    public long offset() {
        return offset;
    }

    /** Empty where the bytes are in the handle itself. */
    public Optional<Path> file() {
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
