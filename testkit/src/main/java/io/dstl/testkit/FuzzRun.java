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
package io.dstl.testkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Callable;

/**
 * Hands a reader input that is damaged at random, by seed: flipped bits, numbers set to extremes,
 * parts cut off or repeated. Whatever else than an expected exception comes of it, or more
 * allocated than the limit, is a failure that names the seed.
 *
 * <p>A few hundred seeds by default; {@code -Ddstl.fuzz.seeds=10000} runs more, {@code
 * -Ddstl.fuzz.seed=4711} one of them again.
 */
public final class FuzzRun {

    private static final int[] EXTREMES = {
        0, 1, -1, 255, 1 << 16, 1 << 24, 1 << 28, 1 << 30, Integer.MAX_VALUE, Integer.MIN_VALUE
    };

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final long seed;
    private final Random random;

    private FuzzRun(long seed) {
        this.seed = seed;
        this.random = new Random(seed * 0x9E3779B97F4A7C15L);
    }

    /** One case. */
    @FunctionalInterface
    public interface Case {
        void run(FuzzRun run) throws Exception;
    }

    /** Runs a case for each seed; the first failure ends it. */
    public static void forSeeds(int byDefault, Case oneCase) {
        Long single = Long.getLong("dstl.fuzz.seed");
        long first = single == null ? 1 : single;
        long last = single == null ? Long.getLong("dstl.fuzz.seeds", byDefault) : single;
        for (long seed = first; seed <= last; seed++) {
            try {
                oneCase.run(new FuzzRun(seed));
            } catch (Throwable t) {
                throw new AssertionError("seed " + seed + ": " + t, t);
            }
        }
    }

    public Random random() {
        return random;
    }

    public long seed() {
        return seed;
    }

    /**
     * Runs a reader on this thread.
     *
     * @param limit of the bytes that this thread may allocate meanwhile
     * @param documented the exception that a reader may throw
     * @return null if it threw that exception
     */
    public static <T> T read(long limit, Class<? extends Exception> documented, Callable<T> reader)
            throws Exception {
        long thread = Thread.currentThread().getId();
        long before = THREADS.getThreadAllocatedBytes(thread);
        T read = readOrNull(documented, reader);
        long allocated = THREADS.getThreadAllocatedBytes(thread) - before;
        if (allocated > limit) {
            throw new AssertionError(
                    "The reader allocated " + allocated + " bytes, of at most " + limit);
        }
        return read;
    }

    private static <T> T readOrNull(Class<? extends Exception> documented, Callable<T> reader)
            throws Exception {
        try {
            return reader.call();
        } catch (Exception e) {
            if (documented.isInstance(e)) {
                return null;
            }
            throw e;
        } catch (OutOfMemoryError e) {
            // The runner of the tests ends at one, and says nothing of the seed.
            throw new AssertionError("The reader ran out of memory", e);
        }
    }

    /** A damaged copy: one to three damages. */
    public byte[] damage(byte[] sound) {
        return damage(sound, 0, sound.length);
    }

    /**
     * As {@link #damage(byte[])}, but only from one position to another, and of the same length.
     */
    public byte[] damageWithin(byte[] sound, int from, int to) {
        byte[] damaged = sound.clone();
        for (int i = random.nextInt(3); i >= 0; i--) {
            overwrite(damaged, from, to);
        }
        return damaged;
    }

    private byte[] damage(byte[] sound, int from, int to) {
        byte[] damaged = damageWithin(sound, from, to);
        switch (random.nextInt(6)) {
            case 0:
                return Arrays.copyOf(damaged, random.nextInt(damaged.length + 1));
            case 1:
                return repeat(damaged);
            default:
                return damaged;
        }
    }

    private void overwrite(byte[] bytes, int from, int to) {
        if (from >= to) {
            return;
        }
        int at = from + random.nextInt(to - from);
        ByteBuffer target = ByteBuffer.wrap(bytes);
        switch (random.nextInt(4)) {
            case 0:
                bytes[at] ^= (byte) (1 << random.nextInt(8));
                break;
            case 1:
                bytes[at] = (byte) random.nextInt(256);
                break;
            case 2:
                if (at + Long.BYTES <= to) {
                    target.putLong(at, extreme() * (1L + random.nextInt(1 << 30)));
                }
                break;
            default:
                if (at + Integer.BYTES <= to) {
                    target.putInt(at, extreme());
                }
        }
    }

    private int extreme() {
        return EXTREMES[random.nextInt(EXTREMES.length)] + random.nextInt(3) - 1;
    }

    /** A part of it comes twice. */
    private byte[] repeat(byte[] bytes) {
        int from = random.nextInt(bytes.length + 1);
        int length = random.nextInt(bytes.length - from + 1);
        byte[] longer = new byte[bytes.length + length];
        System.arraycopy(bytes, 0, longer, 0, from + length);
        System.arraycopy(bytes, from, longer, from + length, bytes.length - from);
        return longer;
    }
}
