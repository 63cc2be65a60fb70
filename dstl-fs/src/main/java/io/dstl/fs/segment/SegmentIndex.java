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

import io.dstl.secret.Redaction.Redacted;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.StringUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The index of one segment; see {@link SegmentFormat}. Immutable; any thread. */
public final class SegmentIndex {

    private final boolean compressed;
    private final List<SetIndex> sets;

    SegmentIndex(boolean compressed, List<SetIndex> sets) {
        this.compressed = compressed;
        this.sets = List.copyOf(sets);
    }

    public boolean isCompressed() {
        return compressed;
    }

    /** In the order in which they were written. */
    public List<SetIndex> sets() {
        return sets;
    }

    /**
     * @throws SegmentCorruptedException if no change set begins there
     */
    public SetIndex set(StreamStateHandle segment, long offset) throws SegmentCorruptedException {
        for (SetIndex set : sets) {
            if (set.offset() == offset) {
                return set;
            }
        }
        throw new SegmentCorruptedException(
                segment, offset, offset, "no change set of " + sets.size(), "one", null);
    }

    /**
     * Checks the bytes that only Flink's own reader needs: those before the first change set and,
     * in a compressed segment, the header of the frame around the index. Call this before the sets
     * are read: they start where this check ends.
     *
     * @throws SegmentCorruptedException if they are not what was written
     */
    public void checkFrames(StreamStateHandle segment, StoredBytes file) throws IOException {
        if (compressed) {
            long frameAt = sets.stream().mapToLong(SetIndex::end).max().orElse(0);
            long body = segment.getStateSize() - frameAt - SegmentFormat.INDEX_FRAME_HEADER_BYTES;
            check(segment, file, frameAt, SegmentFormat.indexFrameHeader(body));
        }
        check(segment, file, 0, SegmentFormat.fileHeader(compressed));
    }

    private static void check(
            StreamStateHandle segment, StoredBytes file, long position, byte[] expected)
            throws IOException {
        byte[] found = new byte[expected.length];
        file.read(position, found);
        if (!Arrays.equals(found, expected)) {
            file.readAgain(position, found);
        }
        if (!Arrays.equals(found, expected)) {
            throw SegmentCorruptedException.ofFrame(
                    segment,
                    position,
                    StringUtils.byteToHexString(found),
                    StringUtils.byteToHexString(expected));
        }
    }

    /** The index with its footer, as at the end of a segment. */
    byte[] encode() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(compressed ? SegmentFormat.SNAPPY : SegmentFormat.PLAIN);
        out.writeInt(sets.size());
        for (SetIndex set : sets) {
            set.write(out);
        }
        out.writeInt(bytes.size());
        out.writeInt(SegmentFormat.VERSION);
        out.writeInt(SegmentFormat.checksum(bytes.toByteArray(), 0, bytes.size()));
        out.writeLong(SegmentFormat.MAGIC);
        return bytes.toByteArray();
    }

    /**
     * The size of the index at the end of the file, in bytes, including its footer.
     *
     * @param tail the end of the file, or all of it
     * @throws SegmentCorruptedException if there is no footer
     */
    public static long encodedBytes(byte[] tail, StreamStateHandle segment)
            throws SegmentCorruptedException {
        if (tail.length < SegmentFormat.FOOTER_BYTES) {
            throw corrupt(segment, "a file of " + tail.length + " bytes", "an index", null);
        }
        ByteBuffer footer = footer(tail);
        int indexBytes = footer.getInt();
        int version = footer.getInt();
        footer.getInt();
        long magic = footer.getLong();
        if (magic != SegmentFormat.MAGIC) {
            throw corrupt(segment, hex(magic), "an index, and the magic at its end", null);
        }
        long encoded = (long) indexBytes + SegmentFormat.FOOTER_BYTES;
        long most = Math.min(segment.getStateSize(), SegmentFormat.MAX_INDEX_BYTES);
        if (indexBytes < 0 || encoded > most) {
            throw corrupt(
                    segment,
                    "an index of " + indexBytes + " bytes",
                    "0 to " + (most - SegmentFormat.FOOTER_BYTES),
                    null);
        }
        if (version != SegmentFormat.VERSION) {
            throw corrupt(
                    segment,
                    "an index of version " + version,
                    "version " + SegmentFormat.VERSION + ": a later one needs a later dstl",
                    null);
        }
        return encoded;
    }

    private static ByteBuffer footer(byte[] tail) {
        int footerAt = tail.length - SegmentFormat.FOOTER_BYTES;
        return ByteBuffer.wrap(tail, footerAt, SegmentFormat.FOOTER_BYTES);
    }

    /**
     * @param tail the end of the file; at least {@link #encodedBytes} long
     * @throws SegmentCorruptedException if the index is not what was written
     */
    public static SegmentIndex decode(byte[] tail, StreamStateHandle segment)
            throws SegmentCorruptedException {
        int encoded = (int) encodedBytes(tail, segment);
        int start = tail.length - encoded;
        int indexBytes = encoded - SegmentFormat.FOOTER_BYTES;
        int actual = SegmentFormat.checksum(tail, start, indexBytes + 2 * Integer.BYTES);
        int expected = footer(tail).getInt(tail.length - Long.BYTES - Integer.BYTES);
        if (actual != expected) {
            throw corrupt(segment, "an index with checksum " + hex(actual), hex(expected), null);
        }
        try {
            return read(
                    new DataInputStream(new ByteArrayInputStream(tail, start, indexBytes)),
                    segment.getStateSize() - encoded);
        } catch (IOException e) {
            throw corrupt(segment, "an index that ends early or names " + e, "a sound one", e);
        }
    }

    /**
     * @param end of the bytes before the index, as a position in the file
     */
    private static SegmentIndex read(DataInputStream in, long end) throws IOException {
        boolean compressed = in.readByte() == SegmentFormat.SNAPPY;
        int count = in.readInt();
        if (count < 0 || (long) count * SetIndex.HEADER_BYTES > in.available()) {
            throw new IOException(count + " change sets");
        }
        List<SetIndex> sets = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            sets.add(SetIndex.read(in, compressed, end));
        }
        return new SegmentIndex(compressed, sets);
    }

    private static String hex(long value) {
        return String.format(Locale.ROOT, "%x", value);
    }

    private static String hex(int value) {
        return String.format(Locale.ROOT, "%08x", value);
    }

    private static SegmentCorruptedException corrupt(
            StreamStateHandle segment, String found, String expected, Throwable cause) {
        return SegmentCorruptedException.ofIndex(segment, found, expected, cause);
    }

    /** Finds the index of a segment that must have one. Stateless; any thread. */
    public static final class IndexedFile {

        private static final Logger LOG = LoggerFactory.getLogger(IndexedFile.class);

        private IndexedFile() {}

        /** One way to read the file. */
        private interface Reading {
            void read(long position, byte[] target) throws IOException;
        }

        /**
         * Reads the end of the file, once more if it is damaged.
         *
         * @param tailBytes to read at first; one request is enough if the index is not larger
         * @throws SegmentCorruptedException if there is no sound index
         */
        public static SegmentIndex index(StreamStateHandle segment, StoredBytes file, int tailBytes)
                throws IOException {
            try {
                return read(segment, file::read, tailBytes);
            } catch (EOFException | SegmentCorruptedException e) {
                LOG.warn(
                        "The index of segment {} is read again",
                        Redacted.of(segment.getStreamStateHandleID().getKeyString()),
                        e);
            }
            try {
                return read(segment, file::readAgain, tailBytes);
            } catch (EOFException e) {
                throw SegmentCorruptedException.ofIndex(
                        segment,
                        "the end of the file",
                        "an index, and the whole file before it",
                        e);
            }
        }

        private static SegmentIndex read(StreamStateHandle segment, Reading file, int tailBytes)
                throws IOException {
            byte[] tail = readTail(segment, file, tailBytes);
            long needed = SegmentIndex.encodedBytes(tail, segment);
            if (needed > tail.length) {
                tail = readTail(segment, file, needed);
            }
            return SegmentIndex.decode(tail, segment);
        }

        private static byte[] readTail(StreamStateHandle segment, Reading file, long bytes)
                throws IOException {
            long size = Math.max(0, segment.getStateSize());
            byte[] tail = new byte[(int) Math.min(size, bytes)];
            file.read(size - tail.length, tail);
            return tail;
        }
    }
}
