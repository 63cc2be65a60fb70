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
package io.dstl.tools.verify;

import io.dstl.fs.segment.SegmentName;
import io.dstl.tools.checkpoint.StateOwner;
import io.dstl.tools.checkpoint.StateReference;
import io.dstl.tools.checkpoint.StateReference.Part;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filemerging.SegmentFileStateHandle;

/**
 * One object that checkpoints need, and what they need of it.
 *
 * <p>Built by one thread; from then on unchanged, and for any thread.
 */
final class StoredObject {
    private final Path path;
    private final StreamStateHandle handle;
    private final boolean segment;
    private long leastBytes;
    private final SortedSet<Long> offsets = new TreeSet<>();
    private final List<Need> needs = new ArrayList<>();

    StoredObject(Path path, StateReference first) {
        this.path = path;
        this.handle = first.handle();
        this.segment = first.part() == Part.SEGMENT;
    }

    /** What tells objects apart; the same for two references to one, if they agree on its size. */
    static String key(Path path, StateReference reference) {
        return isPartOfFile(reference.handle())
                ? path.toString()
                : path + " " + reference.handle().getStateSize() + " " + reference.part();
    }

    /** Of a file that Flink has merged from several. */
    private static boolean isPartOfFile(StreamStateHandle handle) {
        return handle instanceof SegmentFileStateHandle;
    }

    void add(VerifiedCheckpoint checkpoint, StateReference reference) {
        long start =
                isPartOfFile(reference.handle())
                        ? ((SegmentFileStateHandle) reference.handle()).getStartPos()
                        : 0;
        leastBytes = Math.max(leastBytes, start + reference.handle().getStateSize());
        reference.offset().ifPresent(offsets::add);
        Need need = new Need(checkpoint, reference.owner(), reference.part());
        if (needs.isEmpty() || !needs.get(needs.size() - 1).isSame(need)) {
            needs.add(need);
        }
    }

    Path path() {
        return path;
    }

    StreamStateHandle handle() {
        return handle;
    }

    boolean isSegment() {
        return segment;
    }

    /** Where the change sets begin that are needed of a segment. */
    SortedSet<Long> offsets() {
        return offsets;
    }

    /** Who needs it, in the order of the checkpoints; not empty. */
    List<Need> needs() {
        return Collections.unmodifiableList(needs);
    }

    /** Those that need it, each once. */
    Set<VerifiedCheckpoint> checkpoints() {
        Set<VerifiedCheckpoint> checkpoints = new LinkedHashSet<>();
        needs.forEach(need -> checkpoints.add(need.checkpoint));
        return checkpoints;
    }

    /** As the metadata has it; of a merged file, of the parts that are needed. */
    long bytes() {
        return Math.max(0, leastBytes);
    }

    /**
     * Whether an object of this size is the one that was written. Handles of segments without an
     * index, and those that were made without asking the store, do not have the file's size.
     */
    boolean hasSize(long actual) {
        if (handle.getStateSize() < 0 || (segment && !SegmentName.isIndexed(handle))) {
            return true;
        }
        return isPartOfFile(handle) ? actual >= leastBytes : actual == leastBytes;
    }

    /** As in "100 bytes". */
    String expectedSize() {
        return (isPartOfFile(handle) ? "at least " : "") + leastBytes + " bytes";
    }

    /** One checkpoint's need of the object. Immutable. */
    static final class Need {
        final VerifiedCheckpoint checkpoint;
        final StateOwner owner;
        final Part part;

        private Need(VerifiedCheckpoint checkpoint, StateOwner owner, Part part) {
            this.checkpoint = checkpoint;
            this.owner = owner;
            this.part = part;
        }

        private boolean isSame(Need other) {
            return checkpoint == other.checkpoint && owner == other.owner && part == other.part;
        }
    }
}
