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
package io.dstl.fs.segment;

import io.dstl.fs.arena.Arena.KeyGroupSlots;
import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.arena.ChangeSet.EffectiveRecords;
import io.dstl.store.Closeables;
import io.dstl.store.SegmentStore.SegmentContent;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;

/**
 * Encodes change sets as one segment, straight from their arenas to the stream, on the thread that
 * uploads. Keeps no copy itself: a store that streams has each attempt encode again; a store that
 * needs the length first keeps one encoded copy while attempts run.
 *
 * <p>Retains the change sets while it writes; does not own them.
 */
public final class SegmentEncoder implements SegmentContent {

    private final List<ChangeSet> changeSets;
    private final boolean compressed;

    public SegmentEncoder(List<ChangeSet> changeSets, boolean compressed) {
        this.changeSets = List.copyOf(changeSets);
        this.compressed = compressed;
    }

    /** Upper bound of a change set's uncompressed content in a segment, in bytes. Costs nothing. */
    public static long mostBytes(ChangeSet changes) {
        return framed(changes, changes.count(), changes.bytes());
    }

    /**
     * A change set's uncompressed content in a segment, in bytes. Costs nothing after encoding;
     * before that it is not for the task thread: see {@link ChangeSet#effective()}.
     */
    public static long encodedBytes(ChangeSet changes) {
        EffectiveRecords stored = changes.effective();
        return framed(changes, stored.count(), stored.bytes());
    }

    private static long framed(ChangeSet changes, int records, long bytes) {
        return SegmentFormat.SET_HEADER_BYTES
                + (long) changes.groups() * SegmentFormat.GROUP_HEADER_BYTES
                + (long) records * SegmentFormat.RECORD_HEADER_BYTES
                + bytes;
    }

    /**
     * The offset of each change set in the order given, as listed by a handle beside the segment.
     * Call this after the segment was written, while the change sets are in memory.
     */
    public List<Long> offsets() {
        List<Long> offsets = new ArrayList<>(changeSets.size());
        long offset = 0;
        for (ChangeSet changes : changeSets) {
            offsets.add(offset);
            offset += encodedBytes(changes);
        }
        return offsets;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        int retained = 0;
        try {
            for (ChangeSet changes : changeSets) {
                if (!changes.retain()) {
                    throw new IOException("The segment was given up before it was written");
                }
                retained++;
            }
            encode(out);
        } finally {
            for (ChangeSet changes : changeSets.subList(0, retained)) {
                changes.release();
            }
        }
    }

    /** For all changes: void ones are not known before encoding. */
    @Override
    public long expectedBytes() {
        return 1 + changeSets.stream().mapToLong(SegmentEncoder::mostBytes).sum();
    }

    private void encode(OutputStream out) throws IOException {
        StoredOutput stored = new StoredOutput(out);
        stored.write(compressed ? SegmentFormat.SNAPPY : SegmentFormat.PLAIN);
        if (!compressed) {
            stored.write(writeSets(stored, stored));
            return;
        }
        OutputStream frames =
                SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(stored);
        byte[] index = Closeables.closeAfter(frames, () -> writeSets(stored, frames));
        stored.write(SegmentFormat.indexFrameHeader(index.length));
        stored.write(index);
    }

    /** Returns the index. */
    private byte[] writeSets(StoredOutput stored, OutputStream content) throws IOException {
        BlockOutput blocks = new BlockOutput(stored, content);
        for (ChangeSet changes : changeSets) {
            write(changes, blocks);
        }
        byte[] index = new SegmentIndex(compressed, blocks.sets()).encode();
        if (index.length > SegmentFormat.MAX_INDEX_BYTES) {
            throw new IOException(
                    "The index of a segment takes "
                            + index.length
                            + " bytes, of at most "
                            + SegmentFormat.MAX_INDEX_BYTES
                            + ": store less in one segment, by a lower"
                            + " state.changelog.dstl.dfs.batch.persist-size-threshold");
        }
        return index;
    }

    private static void write(ChangeSet changes, BlockOutput out) throws IOException {
        EffectiveRecords records = changes.effective();
        out.beginSet(changes.isGrouped());
        out.writeInt(changes.groups());
        int first = 0;
        for (int slot = 0; slot < KeyGroupSlots.count(changes.keyGroups()); slot++) {
            int count = records.countOf(slot);
            if (count > 0) {
                int keyGroup = keyGroup(changes, slot);
                out.beginGroup(keyGroup);
                out.writeInt(count);
                out.writeInt(keyGroup);
                writeRecords(changes, records, first, first + count, out);
                first += count;
            }
        }
        out.endSet();
    }

    /** Copies each run of consecutive records in one go. */
    private static void writeRecords(
            ChangeSet changes, EffectiveRecords records, int first, int end, BlockOutput out)
            throws IOException {
        int at = first;
        while (at < end) {
            int runFirst = records.record(at++);
            int runLast = runFirst;
            while (at < end && records.record(at) == runLast + 1) {
                runLast = records.record(at++);
            }
            changes.copyRecords(runFirst, runLast, out);
        }
    }

    private static int keyGroup(ChangeSet changes, int slot) {
        return slot == KeyGroupSlots.METADATA
                ? SegmentFormat.METADATA_KEY_GROUP
                : KeyGroupSlots.keyGroup(changes.keyGroups(), slot);
    }

    /** Counts and checksums the bytes of a segment's file. Neither flushes nor closes the file. */
    static final class StoredOutput extends OutputStream {

        private final OutputStream file;
        private final CRC32C checksum = new CRC32C();
        private long position;

        StoredOutput(OutputStream file) {
            this.file = file;
        }

        /** Bytes written so far. */
        long position() {
            return position;
        }

        /** The CRC-32C of the bytes written since the last call. */
        int takeChecksum() {
            int taken = (int) checksum.getValue();
            checksum.reset();
            return taken;
        }

        @Override
        public void write(int b) throws IOException {
            file.write(b);
            checksum.update(b);
            position++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            file.write(bytes, offset, length);
            checksum.update(bytes, offset, length);
            position += length;
        }
    }
}
