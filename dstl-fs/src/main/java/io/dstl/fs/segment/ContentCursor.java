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

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Reads the uncompressed content of one segment forward and tracks the position: its errors name
 * the segment, the change set and the position.
 *
 * <p>Does not own the stream. One thread at a time.
 */
public final class ContentCursor {

    /** Longer records are read piece by piece, so that a wrong length allocates little. */
    private static final int TRUSTED_BYTES = 1 << 20;

    private static final int BUFFER_BYTES = 1 << 13;

    private final StreamStateHandle segment;
    private final InputStream content;
    private final byte[] number = new byte[Integer.BYTES];

    /** Not a buffered stream, which would take a lock for each number of four bytes. */
    private final byte[] buffer = new byte[BUFFER_BYTES];

    private int bufferAt;
    private int bufferEnd;
    private long position;
    private long setOffset;

    /**
     * @param content positioned at {@code position}
     * @param position in bytes of uncompressed content
     */
    public ContentCursor(StreamStateHandle segment, InputStream content, long position) {
        this.segment = segment;
        this.content = content;
        this.position = position;
    }

    /** In bytes of uncompressed content. */
    public long position() {
        return position;
    }

    /**
     * Moves forward to the beginning of a change set.
     *
     * @param offset not before {@link #position()}
     */
    void beginSet(long offset) throws IOException {
        setOffset = offset;
        skipTo(offset);
    }

    /**
     * Moves forward.
     *
     * @param target not before {@link #position()}
     */
    void skipTo(long target) throws IOException {
        int buffered = (int) Math.min(bufferEnd - bufferAt, target - position);
        bufferAt += buffered;
        position += buffered;
        while (position < target) {
            long skipped = content.skip(target - position);
            if (skipped <= 0 && content.read() < 0) {
                throw corrupt("the end of the file", "more up to position " + target, null);
            }
            position += Math.max(1, skipped);
        }
    }

    int readInt(String expected) throws IOException {
        fill(number, 0, expected);
        position += Integer.BYTES;
        return ByteBuffer.wrap(number).getInt();
    }

    byte[] readBytes(int length, String expected) throws IOException {
        byte[] bytes = new byte[Math.min(length, TRUSTED_BYTES)];
        fill(bytes, 0, expected);
        while (bytes.length < length) {
            int read = bytes.length;
            bytes = Arrays.copyOf(bytes, (int) Math.min(length, 2L * read));
            fill(bytes, read, expected);
        }
        position += length;
        return bytes;
    }

    private void fill(byte[] target, int from, String expected) throws IOException {
        int read = from;
        try {
            while (read < target.length && (bufferAt < bufferEnd || refill())) {
                int copied = Math.min(target.length - read, bufferEnd - bufferAt);
                System.arraycopy(buffer, bufferAt, target, read, copied);
                bufferAt += copied;
                read += copied;
            }
        } catch (EOFException e) {
            throw corrupt("the end of the file", expected, e);
        }
        if (read < target.length) {
            throw corrupt("the end of the file after " + read + " bytes", expected, null);
        }
    }

    /** Whether the content has ended; reads ahead to find out. */
    public boolean isAtEnd() throws IOException {
        try {
            return bufferAt == bufferEnd && !refill();
        } catch (EOFException e) {
            throw corrupt("the end of the file", "more, or the end of the content", e);
        }
    }

    /** Returns false at the end of the content. */
    private boolean refill() throws IOException {
        bufferAt = 0;
        bufferEnd = Math.max(0, content.read(buffer, 0, buffer.length));
        return bufferEnd > 0;
    }

    SegmentCorruptedException corrupt(String found, String expected, Throwable cause) {
        return new SegmentCorruptedException(segment, setOffset, position, found, expected, cause);
    }
}
