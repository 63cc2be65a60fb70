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

import io.dstl.bench.job.JobArguments.WorkloadKind;
import io.dstl.bench.job.Updates.Scatter;
import java.util.BitSet;
import java.util.Locale;

/**
 * What the state of all keys must come to after so many updates, computed without Flink: one number
 * per key, or per entry of its map. For one thread.
 */
public final class StateModel {
    /** Within the heap that {@code benchmarks/run.sh} gives, at 9 bytes for each. */
    private static final long MOST_SLOTS = 80_000_000;

    private static final int ENTRIES = 16;
    private static final int REMOVES_ONE_IN = 8;
    private static final int CLEARS_ONE_IN = 16;
    private static final long ENTRY = 3;
    private static final long REMOVAL = 4;
    private static final long SIDE = 5;

    private StateModel() {}

    /**
     * Refuses a job of so many keys that there is no memory to compute its totals.
     *
     * @throws IllegalArgumentException when that is so
     */
    public static void requireComputable(JobArguments job) {
        long most = MOST_SLOTS / slotsPerKey(job.kind());
        if (!job.kind().windowed() && job.updates().keys() > most) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "--keys is %d: give %d or less, so that what the state must come to can"
                                    + " be computed",
                            job.updates().keys(),
                            most));
        }
    }

    /** Numbers to remember of each key. */
    private static int slotsPerKey(WorkloadKind kind) {
        switch (kind) {
            case MAP:
                return ENTRIES;
            case SQL:
                return 2;
            default:
                return 1;
        }
    }

    /**
     * What the job's state, or the results of its windows, must come to.
     *
     * @param counts how many updates came from each split
     */
    public static long[] totals(JobArguments job, long[] counts) {
        if (job.kind() == WorkloadKind.SQL) {
            return pairs(job.updates(), counts);
        }
        return job.kind().windowed()
                ? windows(job.kind().windowsPerUpdate(), counts)
                : new long[] {digest(job, counts)};
    }

    private static long[] windows(long each, long[] counts) {
        long[] totals = new long[2];
        for (int split = 0; split < counts.length; split++) {
            totals[0] += each * counts[split];
            for (long i = 0; i < counts[split]; i++) {
                totals[1] += each * Scatter.of(Updates.number(split, i));
            }
        }
        return totals;
    }

    /** Of the keys that have something on both sides: how many there are, and what they come to. */
    private static long[] pairs(Updates updates, long[] counts) {
        int keys = Math.toIntExact(updates.keys());
        long[][] latest = new long[2][keys];
        BitSet[] used = {new BitSet(keys), new BitSet(keys)};
        for (int split = 0; split < counts.length; split++) {
            for (long i = 0; i < counts[split]; i++) {
                long update = Updates.number(split, i);
                int key = (int) updates.key(update);
                latest[side(update)][key] = update;
                used[side(update)].set(key);
            }
        }
        used[0].and(used[1]);
        long sum =
                used[0].stream().mapToLong(key -> pair(key, latest[0][key], latest[1][key])).sum();
        return new long[] {used[0].cardinality(), sum};
    }

    private static long digest(JobArguments job, long[] counts) {
        WorkloadKind kind = job.kind();
        long[] slots = new long[Math.toIntExact(job.updates().keys() * slotsPerKey(kind))];
        boolean[] used = new boolean[slots.length];
        for (int split = 0; split < counts.length; split++) {
            for (long i = 0; i < counts[split]; i++) {
                long update = Updates.number(split, i);
                apply(kind, update, job.updates().key(update), slots, used);
            }
        }
        long digest = 0;
        for (int slot = 0; slot < slots.length; slot++) {
            digest += used[slot] ? digest(slot, slots[slot]) : 0;
        }
        return digest;
    }

    private static void apply(
            WorkloadKind kind, long update, long key, long[] slots, boolean[] used) {
        int slot = Math.toIntExact(kind == WorkloadKind.MAP ? slot(key, entry(update)) : key);
        used[slot] = kind != WorkloadKind.MAP || !removes(update);
        switch (kind) {
            case RMW:
            case TIMERS:
                slots[slot] = chain(slots[slot], update);
                break;
            case LIST:
                slots[slot] = chain(clears(update) ? 0 : slots[slot], update);
                break;
            default:
                slots[slot] = update;
        }
    }

    /** A key's, or an entry's, part of the sum. */
    static long digest(long slot, long content) {
        return Scatter.of(slot + Scatter.of(content));
    }

    /** The part of the sum that a key has for the latest updates of its two sides. */
    static long pair(long key, long left, long right) {
        return digest(key, chain(left, right));
    }

    /** The side of its key that an update is on: 0 or 1. */
    static int side(long update) {
        return (int) (Scatter.of(Scatter.of(update + SIDE)) & 1);
    }

    /** What comes of a number that stands for all updates before that one. */
    static long chain(long before, long update) {
        return Scatter.of(before + Scatter.of(update));
    }

    /** The number of an entry among all entries of all keys. */
    static long slot(long key, int entry) {
        return key * ENTRIES + entry;
    }

    /** The entry of its key's map that an update is about. */
    static int entry(long update) {
        return (int) Math.floorMod(Scatter.of(Scatter.of(update + ENTRY)), (long) ENTRIES);
    }

    static boolean removes(long update) {
        return Math.floorMod(Scatter.of(Scatter.of(update + REMOVAL)), (long) REMOVES_ONE_IN) == 0;
    }

    static boolean clears(long update) {
        return Math.floorMod(Scatter.of(Scatter.of(update + REMOVAL)), (long) CLEARS_ONE_IN) == 0;
    }
}
