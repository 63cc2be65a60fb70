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

import io.dstl.fs.segment.FrameMarks.Mark;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Passes a Snappy framed stream to the decompressor, notes the checksum and the uncompressed length
 * of each frame, and checks them against the decompressor's output.
 *
 * <pre>
 * frame          byte type, 3 bytes length (little-endian), then so many bytes:
 * type 0         4 bytes checksum, a Snappy block (its uncompressed length first, as a varint)
 * type 1         4 bytes checksum, uncompressed bytes
 * other types    nothing of the content
 * checksum       CRC-32C of the uncompressed bytes, rotated and offset ("masked"), little-endian
 * </pre>
 */
final class SnappyFrames extends FilterInputStream {

    private static final int COMPRESSED = 0x00;
    private static final int UNCOMPRESSED = 0x01;
    private static final int HEADER_BYTES = 4;
    private static final int CHECKSUM_BYTES = 4;
    private static final int MASK_DELTA = 0xa282ead8;

    /** Uncompressed limit of one frame: the decompressor allocates the declared size. */
    private static final int MAX_CONTENT_BYTES = 64 << 10;

    /** Limit of a frame's body, for the same content if it cannot be compressed. */
    private static final int MAX_BODY_BYTES =
            CHECKSUM_BYTES + 32 + MAX_CONTENT_BYTES + MAX_CONTENT_BYTES / 6;

    private static final int MAX_VARINT_BYTES = 3;

    /** The frame with which each stream begins. */
    private static final byte[] STREAM_BEGIN = SegmentFormat.streamIdentifier();

    /** Frames passed on whose uncompressed bytes have not all been seen. */
    private final ArrayDeque<ExpectedFrame> expected = new ArrayDeque<>();

    private final CRC32C checksumSeen = new CRC32C();
    private int bytesSeen;
    private IOException failure;

    private final FrameMarks marks;

    /** Positions in the file: of the next byte, and of the frame that contains it. */
    private long filePosition;

    private long frameAt;

    /** Position in uncompressed content of the frame to be checked next. */
    private long contentPosition;

    private int atInFrame;
    private int type;
    private int bodyBytes;
    private int checksum;
    private int varint;
    private boolean varintEnded;

    /**
     * @param in at a frame, or at the begin of the stream
     * @param filePosition of its first byte
     * @param contentPosition of uncompressed content, where the first frame begins
     * @param marks gets the frames that are sound
     */
    private SnappyFrames(
            InputStream in, long filePosition, long contentPosition, FrameMarks marks) {
        super(in);
        this.filePosition = filePosition;
        this.contentPosition = contentPosition;
        this.marks = marks;
    }

    /** Whether these bytes are one frame that declares this many uncompressed bytes. */
    static boolean isFrame(byte[] bytes, int contentBytes) {
        SnappyFrames frames = new SnappyFrames(nullInputStream(), 0, 0, new FrameMarks());
        try {
            int at = 0;
            while (at < bytes.length) {
                at += frames.pass(bytes, at, bytes.length);
                if (frames.atInFrame == 0 && at < bytes.length) {
                    return false;
                }
            }
        } catch (IOException e) {
            return false;
        }
        ExpectedFrame frame = frames.expected.peekFirst();
        return frames.atInFrame == 0 && frame != null && frame.bytes == contentBytes;
    }

    @Override
    public int read() throws IOException {
        byte[] single = new byte[1];
        return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int read;
        try {
            read = in.read(target, offset, length);
        } catch (IOException e) {
            failure = e;
            throw e;
        }
        int end = offset + Math.max(read, 0);
        int at = offset;
        while (at < end) {
            at += pass(target, at, end);
        }
        return read;
    }

    @Override
    public long skip(long count) throws IOException {
        return Math.max(0, read(new byte[(int) Math.min(count, 8192)]));
    }

    /** Whether the exception came from the underlying stream, not from its content. */
    boolean failedWith(IOException e) {
        return failure == e;
    }

    /** Interprets the next bytes; returns how many it has taken. */
    private int pass(byte[] bytes, int at, int end) throws IOException {
        int value = bytes[at] & 0xFF;
        int taken = 1;
        int inBody = atInFrame - HEADER_BYTES;
        if (atInFrame == 0) {
            beginFrame(value);
        } else if (atInFrame < HEADER_BYTES) {
            bodyBytes |= value << (8 * (atInFrame - 1));
            checkBody();
        } else if (hasContent() && inBody < CHECKSUM_BYTES) {
            passChecksum(value, inBody);
        } else if (type == COMPRESSED && !varintEnded) {
            passLength(value, inBody - CHECKSUM_BYTES);
        } else {
            taken = Math.min(end - at, bodyBytes - inBody);
        }
        atInFrame += taken;
        filePosition += taken;
        if (atInFrame >= HEADER_BYTES && atInFrame == HEADER_BYTES + bodyBytes) {
            atInFrame = 0;
        }
        return taken;
    }

    private void beginFrame(int frameType) {
        type = frameType;
        frameAt = filePosition;
        bodyBytes = 0;
        checksum = 0;
        varint = 0;
        varintEnded = false;
    }

    private boolean hasContent() {
        return type == COMPRESSED || type == UNCOMPRESSED;
    }

    private void checkBody() throws IOException {
        if (hasContent() && bodyBytes > MAX_BODY_BYTES) {
            throw new IOException("a frame of at least " + bodyBytes + " bytes");
        }
    }

    private void passChecksum(int value, int index) throws IOException {
        checksum |= value << (8 * index);
        if (type == UNCOMPRESSED && index == CHECKSUM_BYTES - 1) {
            expect(bodyBytes - CHECKSUM_BYTES);
        }
    }

    private void passLength(int value, int index) throws IOException {
        varint |= (value & 0x7F) << (7 * index);
        if ((value & 0x80) == 0) {
            varintEnded = true;
            expect(varint);
        } else if (index + 1 == MAX_VARINT_BYTES) {
            throw new IOException("a frame with a length of more than 3 bytes");
        }
    }

    /** A frame without content ends at once, and there may be very many of them. */
    private void expect(int contentBytes) throws IOException {
        if (contentBytes > MAX_CONTENT_BYTES) {
            throw new IOException("a frame of " + contentBytes + " bytes, uncompressed");
        }
        if (contentBytes > 0) {
            expected.addLast(new ExpectedFrame(checksum, contentBytes, frameAt));
        }
    }

    /**
     * Takes uncompressed bytes, in order.
     *
     * @throws IOException if they end a frame and do not match its checksum
     */
    void check(byte[] content, int offset, int length) throws IOException {
        int at = offset;
        int left = length;
        while (left > 0) {
            ExpectedFrame frame = expected.peekFirst();
            if (frame == null) {
                throw new IOException("content that belongs to no frame");
            }
            int part = Math.min(left, frame.bytes - bytesSeen);
            checksumSeen.update(content, at, part);
            bytesSeen += part;
            at += part;
            left -= part;
            if (bytesSeen == frame.bytes) {
                endFrame(frame);
            }
        }
    }

    private void endFrame(ExpectedFrame frame) throws IOException {
        int seen = (int) checksumSeen.getValue();
        int masked = (seen >>> 15 | seen << 17) + MASK_DELTA;
        if (masked != frame.checksum) {
            throw new IOException(
                    String.format(
                            Locale.ROOT,
                            "a frame of %d bytes with checksum %08x instead of %08x",
                            frame.bytes,
                            masked,
                            frame.checksum));
        }
        expected.removeFirst();
        // Only after the frame was found sound: its length gives the position of the next one.
        marks.passed(contentPosition, frame.filePosition);
        contentPosition += frame.bytes;
        checksumSeen.reset();
        bytesSeen = 0;
    }

    private static final class ExpectedFrame {

        private final int checksum;
        private final int bytes;
        private final long filePosition;

        ExpectedFrame(int checksum, int bytes, long filePosition) {
            this.checksum = checksum;
            this.bytes = bytes;
            this.filePosition = filePosition;
        }
    }

    /**
     * The uncompressed content of a Snappy framed stream, each frame checked against its checksum.
     * Flink's decorator alone does not check them.
     *
     * <p>Owns the file's stream and closes it. One thread at a time.
     *
     * <p>A damaged frame is a {@link SegmentCorruptedException}; a failure of the file's stream is
     * passed on as it is, since another attempt may help.
     */
    static final class SnappyContent extends InputStream {

        private final SnappyFrames frames;
        private final InputStream content;
        private final StreamStateHandle segment;
        private final long setOffset;
        private long position;

        private SnappyContent(SnappyFrames frames, StreamStateHandle segment, long setOffset)
                throws IOException {
            this.frames = frames;
            this.segment = segment;
            this.setOffset = setOffset;
            this.position = frames.contentPosition;
            try {
                this.content =
                        SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(frames);
            } catch (IOException e) {
                throw explain(e);
            }
        }

        /**
         * The whole content.
         *
         * @param file positioned after byte 0
         * @param setOffset of the change set that is going to be read, for errors
         * @param marks gets the frames that are sound
         */
        static SnappyContent fromBegin(
                InputStream file, StreamStateHandle segment, long setOffset, FrameMarks marks)
                throws IOException {
            return new SnappyContent(
                    new SnappyFrames(file, SegmentFormat.HEADER_BYTES, 0, marks),
                    segment,
                    setOffset);
        }

        /**
         * From a frame on.
         *
         * @param file positioned there
         * @param setOffset of the change set that is going to be read, for errors
         * @param marks gets the frames that are sound
         */
        static SnappyContent from(
                Mark frame,
                InputStream file,
                StreamStateHandle segment,
                long setOffset,
                FrameMarks marks)
                throws IOException {
            // The decompressor requires a stream to begin with this frame.
            InputStream begun =
                    new SequenceInputStream(new ByteArrayInputStream(STREAM_BEGIN), file);
            return new SnappyContent(
                    new SnappyFrames(
                            begun, frame.file() - STREAM_BEGIN.length, frame.content(), marks),
                    segment,
                    setOffset);
        }

        @Override
        public int read() throws IOException {
            byte[] single = new byte[1];
            return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            try {
                int read = content.read(target, offset, length);
                if (read > 0) {
                    frames.check(target, offset, read);
                    position += read;
                }
                return read;
            } catch (IOException e) {
                throw explain(e);
            }
        }

        private IOException explain(IOException e) {
            if (frames.failedWith(e)) {
                return e;
            }
            String found = e instanceof EOFException ? "the end of the file" : e.getMessage();
            return new SegmentCorruptedException(
                    segment, setOffset, position, found, "a sound Snappy frame", e);
        }

        @Override
        public void close() throws IOException {
            try {
                content.close();
            } finally {
                frames.close();
            }
        }
    }
}
