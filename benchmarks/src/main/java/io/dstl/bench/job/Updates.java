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

import java.io.Serializable;

/**
 * Which key each update of the stream goes to. A pure function of the update's number, so that what
 * the state must be in the end can be computed without the job.
 *
 * <p>Each of the source's splits has keys of its own: the updates of a key come in the order of
 * their numbers. Immutable.
 */
public final class Updates implements Serializable {
    private static final long serialVersionUID = 1L;

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
        if (keys < 2 * SPLITS || !(hotShare >= 0 && hotShare <= 1)) {
            throw new IllegalArgumentException(
                    "--keys is "
                            + keys
                            + " and --hot-key-share is "
                            + hotShare
                            + ": give "
                            + 2 * SPLITS
                            + " or more, and 0 to 1");
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
}
