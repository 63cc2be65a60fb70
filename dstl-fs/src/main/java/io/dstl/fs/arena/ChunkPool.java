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
import java.util.ArrayDeque;

/**
 * Recycles the chunks that hold changes until they are stored.
 *
 * <p>Owns the chunks that nobody uses, up to a limit; beyond it they are left to the garbage
 * collector. Does not limit how many are in use: that is the in-flight limit's part.
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

    /** The caller must not touch the chunk any more. */
    synchronized void giveBack(byte[] chunk) {
        if (free.size() < maxRetained) {
            free.addLast(chunk);
        }
    }

    /** Unused chunks held at the moment. */
    public synchronized int retained() {
        return free.size();
    }
}
