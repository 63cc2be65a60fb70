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

import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.read.UncachedSource;
import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.segment.ContentCursor;
import io.dstl.fs.segment.SegmentIndex;
import io.dstl.fs.segment.SegmentInput;
import io.dstl.fs.segment.SegmentName;
import io.dstl.fs.segment.SetIndex;
import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import io.dstl.tools.cli.Progress;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.function.SupplierWithException;

/**
 * Reads all change sets of one segment, front to back. What a segment alone does not tell is whose
 * the sets are, and the names of states that an earlier segment describes.
 *
 * <p>Holds one block, and a few numbers for each set that is listed. For one thread.
 */
final class SegmentInspection {
    private final StreamStateHandle segment;
    private final int top;
    private final Progress progress;
    private final UncachedSource source = new UncachedSource(new FileSystemOpener());
    private final List<SetFindings> sets = new ArrayList<>();
    private final LogTally all = LogTally.withoutVoid();
    private String damage = "";
    private boolean compressed;

    /**
     * @param top sets to be listed, at most
     */
    SegmentInspection(StreamStateHandle segment, int top, Progress progress) {
        this.segment = segment;
        this.top = top;
        this.progress = progress;
    }

    /** One change set. */
    static final class SetFindings {
        final long offset;
        final LogTally tally = LogTally.withoutVoid();

        /** As the index has it, or as was read. */
        long contentBytes;

        SetFindings(long offset) {
            this.offset = offset;
        }
    }

    /** Whether it is a segment of dstl's with an index, and so with checksums. */
    boolean isIndexed() {
        return SegmentName.isIndexed(segment);
    }

    boolean isCompressed() {
        return compressed;
    }

    /** The first ones, in the order of the segment, up to one that can't be read. */
    List<SetFindings> sets() {
        return sets;
    }

    /** Of all sets. States that no set of the segment describes are named by their numbers. */
    LogTally all() {
        return all;
    }

    /** What is wrong with it; empty if nothing is. */
    String damage() {
        return damage;
    }

    /**
     * @param redaction of what is said of damage
     */
    SegmentInspection run(Redaction redaction) {
        try {
            if (isIndexed()) {
                indexed();
            } else {
                unindexed();
            }
        } catch (IOException | RuntimeException e) {
            damage = Damages.text(e, redaction);
        }
        return this;
    }

    private void indexed() throws IOException {
        SegmentIndex index = source.index(segment);
        compressed = index.isCompressed();
        progress.begin("Read: %,d of %,d change sets", index.sets().size(), 0);
        for (SetIndex set : index.sets()) {
            SetRequest request =
                    new SetRequest(segment, set.offset(), ChangeSetDecoder.ALL_KEY_GROUPS);
            var input = source.open(request);
            try (InputStream content = input.content()) {
                SetFindings found = begin(set.offset());
                found.contentBytes = set.bytes();
                decode(() -> input.decode(ChangeSetDecoder.ALL_KEY_GROUPS), found);
            }
            progress.done(0);
            progress.show();
        }
    }

    private void unindexed() throws IOException {
        compressed = SegmentFacts.isCompressed(segment);
        progress.begin(
                "Read: %3$,d of %4$,d bytes, up to the end, as the segment has no index",
                0, segment.getStateSize());
        FSDataInputStream file = segment.openInputStream();
        try (InputStream content = SegmentInput.open(file, segment, 0)) {
            ContentCursor cursor = new ContentCursor(segment, content, 0);
            while (!cursor.isAtEnd()) {
                long offset = cursor.position();
                SetFindings found = begin(offset);
                decode(() -> ChangeSetDecoder.next(cursor), found);
                found.contentBytes = cursor.position() - offset;
                progress.readUpTo(file.getPos());
                progress.show();
            }
        }
    }

    private SetFindings begin(long offset) {
        SetFindings found = new SetFindings(offset);
        found.tally.beginSet(new SegmentLocation(segment, offset));
        if (sets.size() < top) {
            sets.add(found);
        }
        return found;
    }

    /** Counts the set also where it can't be read, be it from its first byte on. */
    private void decode(
            SupplierWithException<ChangeSetDecoder, IOException> changes, SetFindings found)
            throws IOException {
        try {
            LogWalk.decode(
                    changes.get(), ChangeSetDecoder.ALL_KEY_GROUPS, new HashMap<>(), found.tally);
        } finally {
            all.add(found.tally);
        }
    }
}
