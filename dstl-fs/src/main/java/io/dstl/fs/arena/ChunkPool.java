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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Recycles the chunks that hold changes until they are stored.
 *
 * <p>Owns the unused chunks, up to a limit; the garbage collector gets the others. Does not limit
 * the chunks in use: the in-flight limit does.
 *
 * <p><b>Threading.</b> Any thread; the lock is held for a queue operation only.
 */
public final class ChunkPool {

    /** Small enough that an idle writer costs little; large enough that few records cross it. */
    public static final int CHUNK_BYTES = 32 * 1024;

    private final int maxRetained;

    @GuardedBy("this")
    private final ArrayDeque<byte[]> free = new ArrayDeque<>();

    /**
     * @param maxRetainedBytes of unused chunks
     */
    public ChunkPool(long maxRetainedBytes) {
        this.maxRetained = (int) Math.min(Integer.MAX_VALUE, maxRetainedBytes / CHUNK_BYTES);
    }

    /** A chunk of {@link #CHUNK_BYTES} with undefined content; the caller's until given back. */
    byte[] take() {
        synchronized (this) {
            byte[] chunk = free.pollLast();
            if (chunk != null) {
                return chunk;
            }
        }
        return new byte[CHUNK_BYTES];
    }

    /**
     * The caller must not touch the chunk any more.
     *
     * @param chunk one that {@link #take} returned, or what was cut of it, which is not kept
     */
    synchronized void giveBack(byte[] chunk) {
        if (chunk.length == CHUNK_BYTES && free.size() < maxRetained) {
            free.addLast(chunk);
        }
    }

    /** Number of unused chunks at the moment. */
    public synchronized int retained() {
        return free.size();
    }

    /**
     * Bytes at positions counted from 0, kept in chunks of a pool. Grows at the end only.
     *
     * <p><b>Threading.</b> One thread at a time; whoever hands over the owner publishes it safely.
     */
    static final class ChunkList {

        private static final int SHIFT = Integer.numberOfTrailingZeros(ChunkPool.CHUNK_BYTES);
        private static final int MASK = ChunkPool.CHUNK_BYTES - 1;

        private static final VarHandle LONG =
                MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

        /** An odd number with spread bits, from the golden ratio. */
        static final long MIX = 0x9E3779B97F4A7C15L;

        private final ChunkPool pool;
        private byte[][] chunks = new byte[8][];
        private int count;

        ChunkList(ChunkPool pool) {
            this.pool = pool;
        }

        /** Adds a chunk at the end. */
        byte[] grow() {
            if (count == chunks.length) {
                chunks = Arrays.copyOf(chunks, count * 2);
            }
            byte[] chunk = pool.take();
            chunks[count++] = chunk;
            return chunk;
        }

        /** Gives back all chunks except the first {@code size} ones. */
        void shrinkTo(int size) {
            while (count > size) {
                pool.giveBack(chunks[--count]);
                chunks[count] = null;
            }
        }

        /**
         * Cuts the last chunk to its content if that fills at most half of it. Nothing can be added
         * after that.
         *
         * @param end of the content
         */
        void trimTo(int end) {
            int used = within(end - 1) + 1;
            if (chunkIndex(end - 1) == count - 1 && used <= ChunkPool.CHUNK_BYTES / 2) {
                byte[] whole = chunks[count - 1];
                chunks[count - 1] = Arrays.copyOf(whole, used);
                pool.giveBack(whole);
            }
        }

        int size() {
            return count;
        }

        /** Heap held. */
        long heldBytes() {
            return count == 0
                    ? 0
                    : (long) (count - 1) * ChunkPool.CHUNK_BYTES + chunks[count - 1].length;
        }

        byte[] chunk(int index) {
            return chunks[index];
        }

        byte[] chunkOf(int position) {
            return chunks[position >>> SHIFT];
        }

        static int within(int position) {
            return position & MASK;
        }

        static int chunkIndex(int position) {
            return position >>> SHIFT;
        }

        /** Writes the bytes of [position, position + length) to a stream. */
        void copyTo(OutputStream out, int position, int length) throws IOException {
            int at = position;
            int left = length;
            while (left > 0) {
                int part = Math.min(left, ChunkPool.CHUNK_BYTES - within(at));
                out.write(chunkOf(at), within(at), part);
                at += part;
                left -= part;
            }
        }

        private int byteAt(int position) {
            return chunkOf(position)[within(position)] & 0xFF;
        }

        /** Two bytes, big-endian. */
        int readShort(int position) {
            return byteAt(position) << Byte.SIZE | byteAt(position + 1);
        }

        /** Eight bytes, big-endian. */
        private long readLong(int position) {
            int within = within(position);
            if (within <= ChunkPool.CHUNK_BYTES - Long.BYTES) {
                return (long) LONG.get(chunkOf(position), within);
            }
            long value = 0;
            for (int i = 0; i < Long.BYTES; i++) {
                value = value << Byte.SIZE | byteAt(position + i);
            }
            return value;
        }

        /** Hash of the bytes of [position, position + length): equal for equal bytes. */
        int hash(int position, int length) {
            long hash = length * MIX;
            int at = position;
            for (int end = position + length - Long.BYTES; at <= end; at += Long.BYTES) {
                hash = mixed(hash ^ readLong(at));
            }
            long rest = 0;
            for (int end = position + length; at < end; at++) {
                rest = rest << Byte.SIZE | byteAt(at);
            }
            return (int) mixed(hash ^ rest);
        }

        static long mixed(long hash) {
            long product = hash * MIX;
            return product ^ product >>> Integer.SIZE;
        }

        /** Whether {@code length} bytes are equal from the two positions on. */
        boolean areEqual(int position, int other, int length) {
            int at = 0;
            for (; at <= length - Long.BYTES; at += Long.BYTES) {
                if (readLong(position + at) != readLong(other + at)) {
                    return false;
                }
            }
            for (; at < length; at++) {
                if (byteAt(position + at) != byteAt(other + at)) {
                    return false;
                }
            }
            return true;
        }
    }
}
