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

import io.dstl.fs.segment.StoredBytes.FileRange;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.runtime.state.KeyGroupRange;

/** Positions of the blocks of one change set, and the key groups in them. Immutable; any thread. */
public final class SetIndex {

    private static final int FIELDS = 4;
    private static final int BYTES = 0;
    private static final int CHECKSUM = 1;
    private static final int GROUP_AT = 2;
    private static final int KEY_GROUP = 3;

    /** The least size of a set in an encoded index. */
    static final int HEADER_BYTES = 3 * Long.BYTES + 1;

    static final int BLOCK_ENTRY_BYTES = FIELDS * Integer.BYTES;

    private final long offset;
    private final long bytes;
    private final boolean grouped;

    /** {@link #FIELDS} of each block. */
    private final int[] blocks;

    /** Of each block in the file, and the end of the last one. */
    private final long[] positions;

    private SetIndex(long offset, long bytes, long position, boolean grouped, int[] blocks) {
        this.offset = offset;
        this.bytes = bytes;
        this.grouped = grouped;
        this.blocks = blocks;
        this.positions = new long[blocks.length / FIELDS + 1];
        positions[0] = position;
        for (int block = 0; block < blocks(); block++) {
            positions[block + 1] = positions[block] + storedBytes(block);
        }
    }

    /** Position of the set in the content of the segment. */
    public long offset() {
        return offset;
    }

    /** Size of the content. */
    public long bytes() {
        return bytes;
    }

    int blocks() {
        return blocks.length / FIELDS;
    }

    /** Size of the block's content. */
    int contentBytes(int block) {
        return (int) Math.min(SegmentFormat.BLOCK_BYTES, bytes - blockAt(block));
    }

    /** Size of the block in the file. */
    int storedBytes(int block) {
        return blocks[block * FIELDS + BYTES];
    }

    int checksum(int block) {
        return blocks[block * FIELDS + CHECKSUM];
    }

    /** Position of a block in the file; for the number after the last block, the end of the set. */
    long position(int block) {
        return positions[block];
    }

    /** Position of the set's end in the file. */
    long end() {
        return position(blocks());
    }

    private static long blockAt(int block) {
        return (long) block * SegmentFormat.BLOCK_BYTES;
    }

    private boolean hasGroup(int block) {
        return blocks[block * FIELDS + GROUP_AT] != SegmentFormat.NO_GROUP;
    }

    private int groupAt(int block) {
        return blocks[block * FIELDS + GROUP_AT];
    }

    private int keyGroup(int block) {
        return blocks[block * FIELDS + KEY_GROUP];
    }

    /** Whether the first group is the metadata. */
    boolean hasMetadata() {
        return hasGroup(0) && keyGroup(0) == SegmentFormat.METADATA_KEY_GROUP;
    }

    /** Whether a reader of some key groups may leave out the others. */
    boolean isGrouped() {
        return grouped;
    }

    /**
     * The position in the set at which to start reading for a key group: the beginning of a group.
     *
     * @param from position in the set that is the beginning of a group
     * @return not before {@code from}
     */
    long seek(int keyGroup, long from) {
        long best = from;
        for (int i = 0; i < blocks(); i++) {
            if (hasGroup(i) && keyGroup(i) <= keyGroup) {
                best = Math.max(best, blockAt(i) + groupAt(i));
            }
        }
        return best;
    }

    /**
     * The position in the set after which nothing is needed for these key groups, as far as the
     * index knows: the beginning of a group, or the end of the set.
     */
    long endOf(KeyGroupRange keyGroups) {
        int last = Math.max(SegmentFormat.METADATA_KEY_GROUP, keyGroups.getEndKeyGroup());
        for (int i = 0; i < blocks(); i++) {
            if (hasGroup(i) && keyGroup(i) > last) {
                return blockAt(i) + groupAt(i);
            }
        }
        return bytes;
    }

    /**
     * The parts of the file needed for these key groups: in order, not overlapping. Always include
     * the metadata.
     */
    public List<FileRange> rangesOf(KeyGroupRange keyGroups) {
        if (!grouped) {
            return List.of(range(0, blocks()));
        }
        int metadataEnd = firstBeyond(SegmentFormat.METADATA_KEY_GROUP);
        int begin = Math.max(metadataEnd, blockOf(keyGroups.getStartKeyGroup()));
        int end = firstBeyond(keyGroups.getEndKeyGroup());
        List<FileRange> ranges = new ArrayList<>(2);
        if (end <= begin) {
            ranges.add(range(0, metadataEnd));
        } else if (begin == metadataEnd) {
            ranges.add(range(0, end));
        } else {
            ranges.add(range(0, metadataEnd));
            ranges.add(range(begin, end));
        }
        return ranges;
    }

    /** The block at which to start reading for a key group. */
    private int blockOf(int keyGroup) {
        return (int) (seek(keyGroup, 0) / SegmentFormat.BLOCK_BYTES);
    }

    /**
     * The number after the last block with changes of the key groups up to this one. Never zero,
     * since the header of the set is in the first block.
     */
    private int firstBeyond(int keyGroup) {
        for (int i = 0; i < blocks(); i++) {
            if (hasGroup(i) && keyGroup(i) > keyGroup) {
                return groupAt(i) == 0 ? i : i + 1;
            }
        }
        return blocks();
    }

    private FileRange range(int firstBlock, int endBlock) {
        return new FileRange(position(firstBlock), position(endBlock));
    }

    void write(DataOutputStream out) throws IOException {
        out.writeLong(offset);
        out.writeLong(bytes);
        out.writeLong(position(0));
        out.writeByte(grouped ? 1 : 0);
        for (int field : blocks) {
            out.writeInt(field);
        }
    }

    /**
     * Checks every field: a reader allocates memory by what is read here.
     *
     * @param end of the file's part that has blocks, exclusive
     * @throws IOException naming the impossible value
     */
    static SetIndex read(DataInputStream in, boolean compressed, long end) throws IOException {
        long offset = in.readLong();
        long bytes = in.readLong();
        long position = in.readLong();
        boolean grouped = in.readByte() != 0;
        long entries = in.available() / BLOCK_ENTRY_BYTES;
        if (bytes < SegmentFormat.SET_HEADER_BYTES || bytes > entries * SegmentFormat.BLOCK_BYTES) {
            throw new IOException("a change set of " + bytes + " bytes");
        }
        if (offset < 0 || position < SegmentFormat.HEADER_BYTES || position > end) {
            throw new IOException("a change set at " + offset + ", position " + position);
        }
        int count = (int) ((bytes + SegmentFormat.BLOCK_BYTES - 1) / SegmentFormat.BLOCK_BYTES);
        int[] blocks = new int[count * FIELDS];
        for (int i = 0; i < blocks.length; i++) {
            blocks[i] = in.readInt();
        }
        SetIndex set = new SetIndex(offset, bytes, position, grouped, blocks);
        set.checkBlocks(compressed, end);
        return set;
    }

    private void checkBlocks(boolean compressed, long end) throws IOException {
        for (int i = 0; i < blocks(); i++) {
            int stored = storedBytes(i);
            int most = contentBytes(i) + (compressed ? SegmentFormat.FRAME_HEADER_BYTES : 0);
            int least = compressed ? SegmentFormat.FRAME_HEADER_BYTES : most;
            if (stored < least || stored > most) {
                throw new IOException("a block of " + stored + " bytes");
            }
            if (hasGroup(i)
                    && (groupAt(i) < 0
                            || groupAt(i) >= contentBytes(i)
                            || keyGroup(i) < SegmentFormat.METADATA_KEY_GROUP)) {
                throw new IOException("key group " + keyGroup(i) + " at " + groupAt(i));
            }
        }
        if (position(blocks()) - position(0) > end - position(0)) {
            throw new IOException("a change set that ends at position " + position(blocks()));
        }
    }

    /** Builds the index of a set that is being written. */
    static final class Builder {

        private final long offset;
        private final long position;
        private final boolean grouped;
        private long bytes;
        private int[] blocks = new int[FIELDS];
        private int used;

        Builder(long offset, long position, boolean grouped) {
            this.offset = offset;
            this.position = position;
            this.grouped = grouped;
        }

        void add(int contentBytes, int storedBytes, int checksum, int groupAt, int keyGroup) {
            if (used == blocks.length) {
                blocks = Arrays.copyOf(blocks, 2 * used);
            }
            bytes += contentBytes;
            blocks[used + BYTES] = storedBytes;
            blocks[used + CHECKSUM] = checksum;
            blocks[used + GROUP_AT] = groupAt;
            blocks[used + KEY_GROUP] = keyGroup;
            used += FIELDS;
        }

        SetIndex build() {
            return new SetIndex(offset, bytes, position, grouped, Arrays.copyOf(blocks, used));
        }
    }
}
