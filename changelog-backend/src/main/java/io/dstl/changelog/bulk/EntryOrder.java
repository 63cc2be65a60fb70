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
package io.dstl.changelog.bulk;

/**
 * Sorts the entries of a table by their keys, byte by byte and unsigned, as RocksDB does. RocksDB
 * finds keys that were written in this order faster, and compacts them less.
 *
 * <p>A quicksort that compares eight bytes of each key at a time. One thread at a time.
 */
final class EntryOrder {
    private static final int FEW = 16;

    /** Sorting so many entries takes longer than a check for cancellation. */
    private static final int MANY = 1 << 12;

    private final ChangeTable table;
    private final Cancellation cancellation;
    private final byte[] bytes;
    private final int[] order;

    /** Eight bytes of the key of the entry at the same index, with zeros after its end. */
    private final long[] parts;

    private EntryOrder(ChangeTable table, Cancellation cancellation) {
        this.table = table;
        this.cancellation = cancellation;
        this.bytes = table.bytes();
        this.order = new int[table.size()];
        this.parts = new long[table.size()];
    }

    /**
     * Returns all entries of the table in order. Of two with the same key, the CLEAR comes first.
     *
     * @throws org.apache.flink.runtime.execution.CancelTaskException if the task is cancelled
     */
    static int[] of(ChangeTable table, Cancellation cancellation) {
        EntryOrder sorted = new EntryOrder(table, cancellation);
        for (int i = 0; i < sorted.order.length; i++) {
            sorted.order[i] = i;
        }
        sorted.sort(0, sorted.order.length, 0);
        return sorted.order;
    }

    /** Sorts a range of entries whose keys are equal up to a position. */
    private void sort(int begin, int to, int begun) {
        int from = begin;
        int position = begun;
        while (to - from > FEW) {
            checkBefore(to - from);
            for (int i = from; i < to; i++) {
                parts[i] = part(order[i], position);
            }
            sortByPart(from, to);
            position += Long.BYTES;
            if (parts[from] != parts[to - 1]) {
                sortRuns(from, to, position);
                return;
            }
            // A loop and not a recursion: keys may be long, and equal for the most part.
            from = sortEnded(from, to, position);
        }
        insertionSort(from, to, position);
    }

    /** Sorts each run of entries that have equal parts, which end at a position. */
    private void sortRuns(int from, int to, int position) {
        int begin = from;
        for (int i = from + 1; i <= to; i++) {
            if (i == to || parts[i] != parts[begin]) {
                if (i - begin > 1) {
                    sort(sortEnded(begin, i, position), i, position);
                }
                begin = i;
            }
        }
    }

    /**
     * Moves the entries whose keys have ended to the front, as zeros don't mark the end of a key.
     *
     * @return where the other entries begin
     */
    private int sortEnded(int from, int to, int position) {
        int ended = from;
        for (int i = from; i < to; i++) {
            if (table.keyLength(order[i]) <= position) {
                swap(i, ended++);
            }
        }
        insertionSort(from, ended, position);
        return ended;
    }

    private void insertionSort(int from, int to, int position) {
        for (int i = from + 1; i < to; i++) {
            int entry = order[i];
            int at = i;
            while (at > from && isAfter(order[at - 1], entry, position)) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = entry;
        }
    }

    private boolean isAfter(int one, int other, int position) {
        int oneLength = table.keyLength(one);
        int otherLength = table.keyLength(other);
        int oneAt = table.keyAt(one);
        int otherAt = table.keyAt(other);
        int common = Math.min(oneLength, otherLength);
        for (int i = position; i < common; i++) {
            int difference = (bytes[oneAt + i] & 0xFF) - (bytes[otherAt + i] & 0xFF);
            if (difference != 0) {
                return difference > 0;
            }
        }
        if (oneLength != otherLength) {
            return oneLength > otherLength;
        }
        return table.op(other) == ChangeTable.EntryOp.CLEAR;
    }

    /** Eight bytes of a key, as a long that sorts as the unsigned bytes do. */
    private long part(int entry, int position) {
        int at = table.keyAt(entry);
        int to = at + Math.min(table.keyLength(entry), position + Long.BYTES);
        long part = 0;
        for (int i = at + position; i < to; i++) {
            part = part << Byte.SIZE | (bytes[i] & 0xFF);
        }
        part <<= Byte.SIZE * (at + position + Long.BYTES - to);
        return part ^ Long.MIN_VALUE;
    }

    private void sortByPart(int begin, int end) {
        int from = begin;
        int to = end;
        while (to - from > FEW) {
            checkBefore(to - from);
            long pivot = median(from, (from + to) >>> 1, to - 1);
            int left = from;
            int right = to - 1;
            while (left <= right) {
                while (parts[left] < pivot) {
                    left++;
                }
                while (parts[right] > pivot) {
                    right--;
                }
                if (left <= right) {
                    swap(left++, right--);
                }
            }
            // Recurses into the smaller side only, so that the stack stays small.
            if (right + 1 - from < to - left) {
                sortByPart(from, right + 1);
                from = left;
            } else {
                sortByPart(left, to);
                to = right + 1;
            }
        }
        insertionSortByPart(from, to);
    }

    private void checkBefore(int entries) {
        if (entries > MANY) {
            cancellation.check();
        }
    }

    private long median(int first, int second, int third) {
        long low = Math.min(parts[first], parts[second]);
        long high = Math.max(parts[first], parts[second]);
        return Math.max(low, Math.min(high, parts[third]));
    }

    private void insertionSortByPart(int from, int to) {
        for (int i = from + 1; i < to; i++) {
            long part = parts[i];
            int entry = order[i];
            int at = i;
            while (at > from && parts[at - 1] > part) {
                parts[at] = parts[at - 1];
                order[at] = order[at - 1];
                at--;
            }
            parts[at] = part;
            order[at] = entry;
        }
    }

    private void swap(int one, int other) {
        int entry = order[one];
        order[one] = order[other];
        order[other] = entry;
        long part = parts[one];
        parts[one] = parts[other];
        parts[other] = part;
    }
}
