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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.backup.LogBackup.BackupFile;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.FrameMarks;
import io.dstl.fs.segment.SegmentIndex;
import io.dstl.fs.segment.SegmentIndex.IndexedFile;
import io.dstl.fs.segment.SegmentInput;
import io.dstl.fs.segment.SegmentName;
import io.dstl.fs.segment.SetIndex;
import io.dstl.fs.segment.SetInput;
import io.dstl.store.SegmentOpener;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Reads from the store each time. Keeps only positions: the indexes of the last segments, and the
 * frame positions of those without an index. Holds one block per open change set. Owns nothing;
 * closing it has no effect.
 */
public final class UncachedSource implements ContentSource {

    /** The change sets of one segment are read close to each other, by few tasks. */
    private static final int MAX_INDEXES = 100;

    /**
     * Segments without an index, whose sets many tasks read: each task goes through all segments.
     * Up to 2 KB each.
     */
    private static final int MAX_MARKED = 1 << 14;

    private static final int TAIL_BYTES = 16 << 10;

    private final SegmentOpener opener;

    @GuardedBy("indexes")
    private final Map<PhysicalStateHandleID, SegmentIndex> indexes = new LastUsed<>(MAX_INDEXES);

    @GuardedBy("marks")
    private final Map<PhysicalStateHandleID, FrameMarks> marks = new LastUsed<>(MAX_MARKED);

    public UncachedSource(SegmentOpener opener) {
        this.opener = opener;
    }

    @Override
    public SetInput open(SetRequest set, CloseableRegistry cancellation) throws IOException {
        StreamStateHandle segment = set.segment();
        if (!SegmentName.isIndexed(segment) && !BackupFile.isHandle(segment)) {
            return unindexed(set, cancellation);
        }
        StoreBytes file = new StoreBytes(opener, segment);
        cancellation.registerCloseable(file);
        try {
            SegmentIndex index = index(segment, file);
            SetIndex found = index.set(segment, set.offset());
            file.expect(found.rangesOf(set.keyGroups()));
            return SetInput.indexed(segment, index, found, file);
        } catch (Throwable t) {
            file.close();
            throw t;
        } finally {
            cancellation.unregisterCloseable(file);
        }
    }

    private SetInput unindexed(SetRequest set, CloseableRegistry cancellation) throws IOException {
        StreamStateHandle segment = set.segment();
        FSDataInputStream file = opener.open(segment);
        cancellation.registerCloseable(file);
        try {
            return SetInput.unindexed(
                    segment,
                    set.offset(),
                    SegmentInput.open(file, segment, set.offset(), marksOf(segment)));
        } finally {
            cancellation.unregisterCloseable(file);
        }
    }

    private FrameMarks marksOf(StreamStateHandle segment) {
        synchronized (marks) {
            return marks.computeIfAbsent(segment.getStreamStateHandleID(), any -> new FrameMarks());
        }
    }

    /**
     * The index at the end of a segment: one request, as a rule.
     *
     * @throws IOException if the segment is missing, naming it, or has no sound index
     */
    public SegmentIndex index(StreamStateHandle segment) throws IOException {
        try (StoreBytes file = new StoreBytes(opener, segment)) {
            return index(segment, file);
        }
    }

    private SegmentIndex index(StreamStateHandle segment, StoreBytes file) throws IOException {
        PhysicalStateHandleID id = segment.getStreamStateHandleID();
        synchronized (indexes) {
            SegmentIndex known = indexes.get(id);
            if (known != null) {
                return known;
            }
        }
        SegmentIndex read = IndexedFile.index(segment, file, TAIL_BYTES);
        synchronized (indexes) {
            indexes.put(id, read);
        }
        return read;
    }

    @Override
    public void close() {}

    /** Drops the entry that has not been used for longest. */
    private static final class LastUsed<V> extends LinkedHashMap<PhysicalStateHandleID, V> {
        private static final long serialVersionUID = 1L;

        private final int most;

        LastUsed(int most) {
            super(16, 0.75f, true);
            this.most = most;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<PhysicalStateHandleID, V> eldest) {
            return size() > most;
        }
    }
}
