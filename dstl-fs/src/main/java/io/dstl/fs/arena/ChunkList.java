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

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * Bytes at positions counted from 0, kept in chunks of a pool. Grows at the end only.
 *
 * <p><b>Threading.</b> One thread at a time; handed over safely by whoever hands over its owner.
 */
final class ChunkList {

    private static final int SHIFT = Integer.numberOfTrailingZeros(ChunkPool.CHUNK_BYTES);
    private static final int MASK = ChunkPool.CHUNK_BYTES - 1;

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

    /** Gives back all but the first so many chunks. */
    void shrinkTo(int size) {
        while (count > size) {
            pool.giveBack(chunks[--count]);
            chunks[count] = null;
        }
    }

    int size() {
        return count;
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
}
