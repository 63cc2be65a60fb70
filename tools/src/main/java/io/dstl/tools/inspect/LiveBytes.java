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
package io.dstl.tools.inspect;

/**
 * Keeps, for each scope and each entry of a log, how many bytes of its changes no later change has
 * made void so far. From that each change learns how many bytes it makes void.
 *
 * <p><b>Memory</b> is bounded: {@value #BYTES_OF_ENTRY} bytes for each scope or entry, at least
 * twice as many as there are. Once the bound is reached, only every second scope is followed, then
 * every fourth, and what these make void counts as many times. So the sums become estimates, whose
 * {@link #rate()} is told.
 *
 * <p>For one thread.
 */
final class LiveBytes {
    /** Hash, bytes, and what tells whether the bytes still count. */
    private static final int FIELDS = 3;

    static final int BYTES_OF_ENTRY = FIELDS * Long.BYTES;

    private static final int INITIAL_SLOTS = 1 << 8;
    private static final int MAX_LEVEL = 20;
    private static final long NO_HASH = 0;

    private final int maxSlots;
    private long[] slots = new long[INITIAL_SLOTS * FIELDS];
    private int used;
    private int level;

    /**
     * @param memoryBytes at most, but for the smallest table
     */
    LiveBytes(long memoryBytes) {
        long affordable = Math.max(INITIAL_SLOTS, memoryBytes / BYTES_OF_ENTRY);
        this.maxSlots = Integer.highestOneBit((int) Math.min(affordable, 1 << 26));
    }

    /** One of so many scopes was followed in the end: 1, 2, 4... */
    int rate() {
        return 1 << level;
    }

    /** The bytes that the table takes now. */
    long memoryBytes() {
        return (long) slots.length * Long.BYTES;
    }

    /**
     * A change that replaces all that its scope had.
     *
     * @param barrier how often changes of the state were read by a later one, such as a merge: what
     *     was logged before that stays
     * @return the bytes that it makes void
     */
    long replaceScope(long scope, int barrier, int bytes) {
        if (isLeftOut(scope)) {
            return 0;
        }
        int at = scopeAt(scope, barrier);
        if (at < 0) {
            return 0;
        }
        long before = slots[at + 1];
        slots[at + 1] = bytes;
        slots[at + 2]++;
        return before << level;
    }

    /**
     * A change of one entry of its scope.
     *
     * @param entry as of {@link ScopeHash#ofEntry}
     * @return the bytes that it makes void
     */
    long replaceEntry(long scope, long entry, int barrier, int bytes) {
        if (isLeftOut(scope) || scopeAt(scope, barrier) < 0) {
            return 0;
        }
        int entryAt = find(entry);
        // Looking for the entry may have moved the scope.
        int scopeAt = entryAt < 0 || isLeftOut(scope) ? -1 : find(scope);
        if (scopeAt < 0) {
            return 0;
        }
        long generation = slots[scopeAt + 2];
        long before = slots[entryAt + 2] == generation ? slots[entryAt + 1] : 0;
        slots[entryAt + 1] = bytes;
        slots[entryAt + 2] = generation;
        slots[scopeAt + 1] += bytes - before;
        return before << level;
    }

    /** A change that replaces nothing, and that only one of the whole scope makes void. */
    void add(long scope, int barrier, int bytes) {
        if (!isLeftOut(scope)) {
            int at = scopeAt(scope, barrier);
            if (at >= 0) {
                slots[at + 1] += bytes;
            }
        }
    }

    private boolean isLeftOut(long hash) {
        return (hash & (rate() - 1)) != 0;
    }

    /**
     * The third field of a scope is its generation: the barrier in the high half, and below it how
     * often it was replaced. Entries of another generation are void, or stay for good.
     */
    private int scopeAt(long scope, int barrier) {
        int at = find(scope);
        long former = at < 0 ? 0 : slots[at + 2] >>> Integer.SIZE;
        // Generation 0 is that of entries never set.
        if (at >= 0 && (former != barrier || slots[at + 2] == 0)) {
            slots[at + 1] = 0;
            slots[at + 2] = ((long) barrier << Integer.SIZE) + 1;
        }
        return at;
    }

    /** Where its fields are, added if they weren't there; -1 if it is left out from now on. */
    private int find(long wanted) {
        long hash = wanted == NO_HASH ? 1L << MAX_LEVEL : wanted;
        int at = probe(hash);
        if (slots[at] == hash) {
            return at;
        }
        if (2 * (used + 1) > slots.length / FIELDS) {
            makeRoom();
            if (isLeftOut(hash)) {
                return -1;
            }
            at = probe(hash);
        }
        slots[at] = hash;
        slots[at + 1] = 0;
        slots[at + 2] = 0;
        used++;
        return at;
    }

    private int probe(long hash) {
        int count = slots.length / FIELDS;
        // The low bits are the same for all that are followed.
        int slot = (int) (hash >>> (Long.SIZE - Integer.numberOfTrailingZeros(count)));
        while (slots[slot * FIELDS] != NO_HASH && slots[slot * FIELDS] != hash) {
            slot = (slot + 1) & (count - 1);
        }
        return slot * FIELDS;
    }

    private void makeRoom() {
        int count = slots.length / FIELDS;
        if (count < maxSlots) {
            refill(2 * count);
            return;
        }
        do {
            if (level == MAX_LEVEL) {
                // One scope alone has more entries: what it had so far counts as needed.
                slots = new long[count * FIELDS];
                used = 0;
                return;
            }
            level++;
            refill(count);
        } while (4 * used > count);
    }

    private void refill(int count) {
        long[] former = slots;
        slots = new long[count * FIELDS];
        used = 0;
        for (int at = 0; at < former.length; at += FIELDS) {
            if (former[at] != NO_HASH && !isLeftOut(former[at])) {
                System.arraycopy(former, at, slots, probe(former[at]), FIELDS);
                used++;
            }
        }
    }

    /** Gives the memory back; the rate stays. */
    void release() {
        slots = new long[INITIAL_SLOTS * FIELDS];
        used = 0;
    }

    @Override
    public String toString() {
        return used + " of " + slots.length / FIELDS + ", 1 in " + rate();
    }
}
