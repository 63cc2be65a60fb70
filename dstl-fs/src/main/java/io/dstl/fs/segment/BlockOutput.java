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

import io.dstl.fs.segment.SegmentEncoder.StoredOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts the content of change sets into blocks and notes their positions for the segment's index.
 *
 * <p>Owns a buffer of one block, so the streams behind it get large writes only. One thread.
 */
final class BlockOutput extends OutputStream {

    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private final StoredOutput stored;
    private final OutputStream content;
    private final byte[] block = new byte[SegmentFormat.BLOCK_BYTES];
    private final List<SetIndex> sets = new ArrayList<>();

    private int at;
    private long offset;
    private SetIndex.Builder set;
    private int groupAt;
    private int keyGroup;

    /**
     * @param stored the file, which gets the blocks
     * @param content the stream that writes to it; a flush ends a frame
     */
    BlockOutput(StoredOutput stored, OutputStream content) {
        this.stored = stored;
        this.content = content;
    }

    void beginSet(boolean grouped) {
        set = new SetIndex.Builder(offset, stored.position(), grouped);
        beginBlock();
    }

    private void beginBlock() {
        stored.takeChecksum();
        at = 0;
        groupAt = SegmentFormat.NO_GROUP;
        keyGroup = 0;
    }

    /** The header of a group comes next. */
    void beginGroup(int group) throws IOException {
        if (at == block.length) {
            endBlock();
        }
        if (groupAt == SegmentFormat.NO_GROUP) {
            groupAt = at;
            keyGroup = group;
        }
    }

    private void endBlock() throws IOException {
        long before = stored.position();
        content.write(block, 0, at);
        content.flush();
        set.add(at, (int) (stored.position() - before), stored.takeChecksum(), groupAt, keyGroup);
        offset += at;
        beginBlock();
    }

    void endSet() throws IOException {
        if (at > 0) {
            endBlock();
        }
        sets.add(set.build());
    }

    /** The indexes of the sets that have ended. */
    List<SetIndex> sets() {
        return sets;
    }

    void writeInt(int value) throws IOException {
        if (block.length - at >= Integer.BYTES) {
            INT.set(block, at, value);
            at += Integer.BYTES;
        } else {
            write(value >>> 24);
            write(value >>> 16);
            write(value >>> 8);
            write(value);
        }
    }

    @Override
    public void write(int b) throws IOException {
        if (at == block.length) {
            endBlock();
        }
        block[at++] = (byte) b;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        int source = from;
        int left = length;
        while (left > 0) {
            if (at == block.length) {
                endBlock();
            }
            int part = Math.min(left, block.length - at);
            System.arraycopy(bytes, source, block, at, part);
            at += part;
            source += part;
            left -= part;
        }
    }
}
