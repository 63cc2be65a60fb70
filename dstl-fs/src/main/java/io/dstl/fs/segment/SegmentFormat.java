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

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The layout of a segment file. All integers are big-endian.
 *
 * <pre>
 * byte 0      1: content is one Snappy framed stream, 0: content is plain
 * content     change sets, back to back
 * index       in a segment that is named as {@link SegmentName} says
 *
 * change set  int groups, then per group:
 *               int count, int keyGroup (-1: metadata, comes first), then count times:
 *                 int length, byte[length]
 * </pre>
 *
 * <p>An offset in a handle counts bytes of uncompressed content, byte 0 not included.
 *
 * <p><b>Blocks.</b> Each change set is cut into blocks of 64 KiB of content; the last one takes the
 * rest. A block of a compressed segment is one Snappy frame, so blocks, and with them change sets,
 * can be read without decompressing the content before. The groups of a set come in the order of
 * their key groups.
 *
 * <p><b>Index.</b> Flink's own reader may decompress a segment to its end. So in a compressed one
 * the index is the body of a frame of a type that decompressors skip: {@code byte 0x9D, 3 bytes
 * length (little-endian)}. In a plain one it follows the last change set as it is.
 *
 * <pre>
 * index       byte  1: compressed, 0: plain
 *             int   sets, then per set:
 *               long  offset      in the content
 *               long  bytes       of content
 *               long  position    of its first block in the file
 *               byte  1: each change is of its group's key group, 0: it need not be
 *               then per block:
 *                 int   bytes     in the file
 *                 int   checksum  CRC-32C of these bytes
 *                 int   groupAt   where in the block's content the first group begins; -1: nowhere
 *                 int   keyGroup  of that group
 * footer      int   bytes of the index
 *             int   version, 1
 *             int   checksum      CRC-32C of the index, its bytes and the version
 *             long  magic         "dstl-idx"
 * </pre>
 */
final class SegmentFormat {

    static final int PLAIN = 0;
    static final int SNAPPY = 1;

    /** Length of byte 0, which precedes the content. */
    static final int HEADER_BYTES = 1;

    /** Stands for the metadata in place of a key group. */
    static final int METADATA_KEY_GROUP = -1;

    static final int SET_HEADER_BYTES = Integer.BYTES;
    static final int GROUP_HEADER_BYTES = 2 * Integer.BYTES;
    static final int RECORD_HEADER_BYTES = Integer.BYTES;

    /** Of uncompressed content: the most that Flink's compression puts into a frame. */
    static final int BLOCK_BYTES = 64 << 10;

    /** Header of the frame around the index in a compressed segment: type, length. */
    static final int INDEX_FRAME_HEADER_BYTES = Integer.BYTES;

    /** Header of a Snappy frame with content: type, length, checksum. */
    static final int FRAME_HEADER_BYTES = 2 * Integer.BYTES;

    /** No group begins in the block. */
    static final int NO_GROUP = -1;

    static final int VERSION = 1;
    static final long MAGIC = 0x6473746c2d696478L;
    static final int FOOTER_BYTES = 3 * Integer.BYTES + Long.BYTES;

    /** Type of the frame around the index: one of those (0x80 to 0xFD) that decompressors skip. */
    static final int INDEX_FRAME = 0x9D;

    /**
     * Largest index with its footer: the most that such a frame holds. Readers allocate as much if
     * a footer says so.
     */
    static final int MAX_INDEX_BYTES = (1 << 24) - 1;

    private SegmentFormat() {}

    /** The checksum of blocks and of the index: CRC-32C. */
    static int checksum(byte[] bytes, int offset, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, offset, length);
        return (int) checksum.getValue();
    }

    /** The first bytes of a Snappy framed stream. */
    static byte[] streamIdentifier() {
        return new byte[] {(byte) 0xFF, 6, 0, 0, 's', 'N', 'a', 'P', 'p', 'Y'};
    }

    /** The bytes before the first change set in a segment with an index. */
    static byte[] fileHeader(boolean compressed) {
        if (!compressed) {
            return new byte[] {PLAIN};
        }
        byte[] identifier = streamIdentifier();
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES + identifier.length);
        return header.put((byte) SNAPPY).put(identifier).array();
    }

    /**
     * The header of the frame around the index in a compressed segment.
     *
     * @param indexBytes with its footer
     */
    static byte[] indexFrameHeader(long indexBytes) {
        return new byte[] {
            (byte) INDEX_FRAME,
            (byte) indexBytes,
            (byte) (indexBytes >>> Byte.SIZE),
            (byte) (indexBytes >>> (2 * Byte.SIZE))
        };
    }
}
