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
package io.dstl.tools.checkpoint;

import java.util.Optional;
import java.util.OptionalLong;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filemerging.EmptySegmentFileStateHandle;
import org.apache.flink.runtime.state.filemerging.SegmentFileStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** One use of a stream of bytes by a checkpoint: whose, for what, and which. Immutable. */
public final class StateReference {
    private final StateOwner owner;
    private final Part part;
    private final StreamStateHandle handle;
    private final OptionalLong offset;

    StateReference(StateOwner owner, Part part, StreamStateHandle handle, OptionalLong offset) {
        this.owner = owner;
        this.part = part;
        this.handle = handle;
        this.offset = offset;
    }

    public StateOwner owner() {
        return owner;
    }

    public Part part() {
        return part;
    }

    /** Its size is that of the bytes that are referred to. */
    public StreamStateHandle handle() {
        return handle;
    }

    /** Of a {@link Part#SEGMENT}: where the change set begins, in bytes of uncompressed content. */
    public OptionalLong offset() {
        return offset;
    }

    /** The object that the bytes are in; empty where they are in the metadata itself. */
    public Optional<Path> file() {
        if (handle instanceof EmptySegmentFileStateHandle) {
            return Optional.empty();
        }
        if (handle instanceof FileStateHandle) {
            return Optional.of(((FileStateHandle) handle).getFilePath());
        }
        if (handle instanceof SegmentFileStateHandle) {
            return Optional.of(((SegmentFileStateHandle) handle).getFilePath());
        }
        return Optional.empty();
    }

    /** What the bytes are for. */
    public enum Part {
        /** A change set of a log. */
        SEGMENT("log"),
        /** A file of an incremental snapshot that later checkpoints share: an SST file. */
        SHARED("shared file"),
        /** A file of an incremental snapshot that no other checkpoint shares. */
        PRIVATE("private file"),
        /** What the state backend needs to know of an incremental snapshot. */
        BACKEND_META("snapshot's metadata"),
        /** A full snapshot of keyed state. */
        KEYED("keyed state"),
        RAW_KEYED("raw keyed state"),
        OPERATOR("operator state"),
        RAW_OPERATOR("raw operator state"),
        /** Of an unaligned checkpoint. */
        INPUT_CHANNEL("input buffers"),
        /** Of an unaligned checkpoint. */
        OUTPUT_CHANNEL("output buffers"),
        COORDINATOR("coordinator state");

        private final String text;

        Part(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
