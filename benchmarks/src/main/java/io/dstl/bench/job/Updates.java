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
package io.dstl.bench.job;

import io.dstl.bench.job.Updates.Scatter;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Which key each update of the stream goes to. A pure function of the update's number, so that what
 * the state must be in the end can be computed without the job.
 *
 * <p>Each of the source's splits has keys of its own: the updates of a key come in the order of
 * their numbers. Immutable.
 */
public final class Updates implements Serializable {
    /** Subtasks of the source, each with one split. A power of 2. */
    public static final int SPLITS = 2;

    /** Of the whole stream: more than any run comes to. The splits are equal ranges of it. */
    static final long COUNT = 1L << 62;

    private static final long PER_SPLIT = COUNT / SPLITS;
    private static final int HOT_KEYS_ONE_IN = 100;
    private static final long KEY = 1;
    private static final long HEAT = 2;

    private final long keys;
    private final double hotShare;

    /**
     * @param keys at least two for each split
     * @param hotShare of the updates go to one key in a hundred, from 0 to 1, beside their part of
     *     the other updates
     */
    public Updates(long keys, double hotShare) {
        if (keys < 2 * SPLITS) {
            throw new IllegalArgumentException(
                    "--keys is " + keys + ": give " + 2 * SPLITS + " or more");
        }
        if (!(hotShare >= 0 && hotShare <= 1)) {
            throw new IllegalArgumentException("--hot-key-share is " + hotShare + ": give 0 to 1");
        }
        this.keys = keys;
        this.hotShare = hotShare;
    }

    public long keys() {
        return keys;
    }

    public double hotShare() {
        return hotShare;
    }

    /** From 0, inclusive, to the number of keys, exclusive. */
    long key(long update) {
        long range = isHot(update) ? Math.max(SPLITS, keys / HOT_KEYS_ONE_IN) : keys;
        return Math.floorMod(Scatter.of(update + KEY), range / SPLITS) * SPLITS + split(update);
    }

    private boolean isHot(long update) {
        // The upper 53 bits as a fraction.
        return (Scatter.of(Scatter.of(update + HEAT)) >>> 11) * 0x1.0p-53 < hotShare;
    }

    /** The split that has the update, from 0. */
    static int split(long update) {
        return (int) (update / PER_SPLIT);
    }

    /** How many updates the split has before that one. */
    static long sequence(long update) {
        return update % PER_SPLIT;
    }

    /** The inverse of split and sequence. */
    static long number(int split, long sequence) {
        return split * PER_SPLIT + sequence;
    }

    /** Turns the numbers of a sequence into numbers without order: each always into the same. */
    static final class Scatter {
        private static final long STEP = 0x9E3779B97F4A7C15L;
        private static final long FIRST = 0xBF58476D1CE4E5B9L;
        private static final long SECOND = 0x94D049BB133111EBL;

        private Scatter() {}

        /** The finalizer of SplitMix64: a bijection. */
        static long of(long number) {
            long mixed = number * STEP;
            mixed = (mixed ^ (mixed >>> 30)) * FIRST;
            mixed = (mixed ^ (mixed >>> 27)) * SECOND;
            return mixed ^ (mixed >>> 31);
        }
    }

    /**
     * A value that tells which update wrote it, and else has bytes that no compression makes
     * smaller.
     */
    static final class Payload {
        private Payload() {}

        /**
         * @param bytes at least 8; what is left over eight is zero
         */
        static byte[] of(long update, int bytes) {
            ByteBuffer value = ByteBuffer.allocate(bytes);
            value.putLong(update);
            fill(value, update);
            return value.array();
        }

        /**
         * Puts words that follow from that number into the rest of the buffer.
         *
         * @param value at the position to begin at
         */
        static void fill(ByteBuffer value, long number) {
            long word = number;
            while (value.remaining() >= Long.BYTES) {
                word = Scatter.of(word + 1);
                value.putLong(word);
            }
        }

        /**
         * The update that wrote the value.
         *
         * @throws IllegalStateException when not every byte is as it was written
         */
        static long update(byte[] value) {
            long update = ByteBuffer.wrap(value).getLong();
            if (!Arrays.equals(value, of(update, value.length))) {
                throw new IllegalStateException("the value of update " + update + " is damaged");
            }
            return update;
        }
    }
}
