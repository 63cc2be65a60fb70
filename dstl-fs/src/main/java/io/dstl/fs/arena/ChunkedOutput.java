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
package io.dstl.fs.arena;

import io.dstl.fs.arena.ChunkPool.ChunkList;
import java.io.EOFException;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Writes to the end of a {@link ChunkList}, across the borders of its chunks, without allocating.
 * Big-endian, as {@link java.io.DataOutput} requires.
 *
 * <p><b>Threading.</b> The task thread only.
 *
 * <p><b>Bounds.</b> 2 GiB minus one chunk in all; a write beyond that throws and keeps the bytes
 * before it.
 */
final class ChunkedOutput implements DataOutputView {

    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final byte[] NO_CHUNK = new byte[0];
    private static final int MAX_CHUNKS = Integer.MAX_VALUE / ChunkPool.CHUNK_BYTES;

    private final ChunkList chunks;

    /** The last chunk, where the next byte goes. */
    private byte[] chunk = NO_CHUNK;

    /** Position in {@link #chunk}. */
    private int at;

    /** Position of the chunk's first byte. */
    private int chunkBegin;

    ChunkedOutput(ChunkList chunks) {
        this.chunks = chunks;
    }

    /** Bytes written so far. */
    int position() {
        return chunkBegin + at;
    }

    /** Lets go of the chunk: nothing is written any more. */
    void end() {
        chunk = NO_CHUNK;
    }

    /** Forgets everything from the position on. */
    void rewindTo(int position) {
        if (position == 0) {
            chunks.shrinkTo(0);
            chunk = NO_CHUNK;
            chunkBegin = 0;
            at = 0;
            return;
        }
        int last = ChunkList.chunkIndex(position - 1);
        chunks.shrinkTo(last + 1);
        chunk = chunks.chunk(last);
        chunkBegin = last * ChunkPool.CHUNK_BYTES;
        at = position - chunkBegin;
    }

    /**
     * Overwrites four bytes.
     *
     * @param position of the first one; all four have been written
     */
    void setInt(int position, int value) {
        // The last chunk is at hand, and nearly always the right one.
        byte[] first = position >= chunkBegin ? chunk : chunks.chunkOf(position);
        int within = ChunkList.within(position);
        if (first.length - within >= Integer.BYTES) {
            INT.set(first, within, value);
            return;
        }
        for (int i = 0; i < Integer.BYTES; i++) {
            byte[] each = chunks.chunkOf(position + i);
            each[ChunkList.within(position + i)] = (byte) (value >>> (24 - 8 * i));
        }
    }

    @Override
    public void write(int b) throws IOException {
        if (at == chunk.length) {
            nextChunk();
        }
        chunk[at++] = (byte) b;
    }

    @Override
    public void write(byte[] bytes) throws IOException {
        write(bytes, 0, bytes.length);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int from = offset;
        int left = length;
        while (left > 0) {
            if (at == chunk.length) {
                nextChunk();
            }
            int part = Math.min(left, chunk.length - at);
            System.arraycopy(bytes, from, chunk, at, part);
            at += part;
            from += part;
            left -= part;
        }
    }

    @Override
    public void writeBoolean(boolean value) throws IOException {
        write(value ? 1 : 0);
    }

    @Override
    public void writeByte(int value) throws IOException {
        write(value);
    }

    @Override
    public void writeShort(int value) throws IOException {
        if (chunk.length - at >= Short.BYTES) {
            SHORT.set(chunk, at, (short) value);
            at += Short.BYTES;
        } else {
            write(value >>> 8);
            write(value);
        }
    }

    @Override
    public void writeChar(int value) throws IOException {
        writeShort(value);
    }

    @Override
    public void writeInt(int value) throws IOException {
        if (chunk.length - at >= Integer.BYTES) {
            INT.set(chunk, at, value);
            at += Integer.BYTES;
        } else {
            writeShort(value >>> 16);
            writeShort(value);
        }
    }

    @Override
    public void writeLong(long value) throws IOException {
        if (chunk.length - at >= Long.BYTES) {
            LONG.set(chunk, at, value);
            at += Long.BYTES;
        } else {
            writeInt((int) (value >>> 32));
            writeInt((int) value);
        }
    }

    /** For an output of such pairs only: they fill its chunks to the last byte. */
    void writePair(long first, long second) throws IOException {
        if (at == chunk.length) {
            nextChunk();
        }
        LONG.set(chunk, at, first);
        LONG.set(chunk, at + Long.BYTES, second);
        at += 2 * Long.BYTES;
    }

    @Override
    public void writeFloat(float value) throws IOException {
        writeInt(Float.floatToIntBits(value));
    }

    @Override
    public void writeDouble(double value) throws IOException {
        writeLong(Double.doubleToLongBits(value));
    }

    @Override
    public void writeBytes(String text) throws IOException {
        for (int i = 0; i < text.length(); i++) {
            write(text.charAt(i));
        }
    }

    @Override
    public void writeChars(String text) throws IOException {
        for (int i = 0; i < text.length(); i++) {
            writeShort(text.charAt(i));
        }
    }

    @Override
    public void writeUTF(String text) throws IOException {
        long length = 0;
        for (int i = 0; i < text.length(); i++) {
            length += utfLength(text.charAt(i));
        }
        if (length > 0xFFFF) {
            throw new UTFDataFormatException(
                    "A string of "
                            + length
                            + " bytes in modified UTF-8 does not fit writeUTF, which takes 65535");
        }
        writeShort((int) length);
        for (int i = 0; i < text.length(); i++) {
            writeUtf(text.charAt(i));
        }
    }

    private static int utfLength(char c) {
        if (c >= 0x0001 && c <= 0x007F) {
            return 1;
        }
        return c <= 0x07FF ? 2 : 3;
    }

    private void writeUtf(char c) throws IOException {
        switch (utfLength(c)) {
            case 1:
                write(c);
                break;
            case 2:
                write(0xC0 | (c >>> 6));
                write(0x80 | (c & 0x3F));
                break;
            default:
                write(0xE0 | (c >>> 12));
                write(0x80 | ((c >>> 6) & 0x3F));
                write(0x80 | (c & 0x3F));
                break;
        }
    }

    /** Writes {@code length} bytes of undefined content. */
    @Override
    public void skipBytesToWrite(int length) throws IOException {
        int left = length;
        while (left > 0) {
            if (at == chunk.length) {
                nextChunk();
            }
            int part = Math.min(left, chunk.length - at);
            at += part;
            left -= part;
        }
    }

    @Override
    public void write(DataInputView source, int length) throws IOException {
        int left = length;
        while (left > 0) {
            if (at == chunk.length) {
                nextChunk();
            }
            int part = Math.min(left, chunk.length - at);
            source.readFully(chunk, at, part);
            at += part;
            left -= part;
        }
    }

    private void nextChunk() throws IOException {
        if (chunks.size() == MAX_CHUNKS) {
            throw new EOFException(
                    "A record does not fit: the changes of one writer since they were last sealed"
                            + " would exceed "
                            + position()
                            + " bytes");
        }
        chunk = chunks.grow();
        chunkBegin = (chunks.size() - 1) * ChunkPool.CHUNK_BYTES;
        at = 0;
    }
}
