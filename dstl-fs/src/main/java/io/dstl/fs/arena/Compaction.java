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

import io.dstl.fs.arena.Arena.KeyGroupSlots;
import io.dstl.fs.arena.ChangeSet.EffectiveRecords;
import io.dstl.fs.arena.ChangeSet.Records;
import io.dstl.fs.arena.ChunkPool.ChunkList;
import java.util.Arrays;

/**
 * Finds the records of a change set that a later record of the same set makes void: a replay
 * reaches the same state without them.
 *
 * <p>Walks over each key group from its last record to the first and remembers what was replaced. A
 * change is void if a later one replaces its scope or its entry, unless the change itself reads, or
 * one in between may have read it. The last change of a scope or an entry stays, even a removal: an
 * earlier change set may hold what it removes. But the removal of a scope that was created in this
 * set is void together with what it removes. Each key group keeps at least one record.
 *
 * <p><b>When it pays.</b> Key groups are searched from the largest to the smallest. As soon as
 * {@link #SAMPLE_RECORDS} have been searched and void ones take less than {@link
 * #LEAST_GAIN_PERCENT} percent of their bytes, the rest is kept as it is. So a smaller set is
 * searched as a whole; and void records found in the sample are always left out.
 *
 * <p>Used once, by one thread; takes time and memory in proportion to the records it searches.
 */
final class Compaction {

    /** So few that they do not delay a checkpoint if nothing is void. */
    static final int SAMPLE_RECORDS = 1024;

    /** Below this, encoding and sending void records costs less than finding them. */
    static final int LEAST_GAIN_PERCENT = 5;

    private final Records records;
    private final ChunkList bytes;
    private final RecordIndex index;
    private final int[] countPerSlot;

    /** By slot; a void record is marked by the complement of its number. */
    private final int[] bySlot;

    private final Replacements replaced;
    private final ReadBarriers barriers = new ReadBarriers();
    private int looked;
    private long lookedBytes;
    private int voidRecords;
    private int voidBytes;

    /** A later record that is void because the current one created its scope. */
    private int voidRemoval = Replacements.NONE;

    Compaction(Records records) {
        this.records = records;
        this.bytes = records.bytes;
        this.index = records.index;
        this.countPerSlot = records.countPerSlot;
        this.bySlot = records.bySlot();
        this.replaced = new Replacements(bytes, index);
    }

    EffectiveRecords run() {
        int[] firsts = records.firstPlaces();
        for (int slot : index.isMarked() ? largestFirst() : new int[0]) {
            if (looked >= SAMPLE_RECORDS && !pays()) {
                break;
            }
            lookAt(firsts[slot], firsts[slot] + countPerSlot[slot]);
        }
        return new EffectiveRecords(
                withoutVoid(),
                countWithoutVoid(firsts),
                records.contentBytes() - voidBytes,
                voidRecords,
                voidBytes);
    }

    private boolean pays() {
        return voidBytes * 100L >= lookedBytes * LEAST_GAIN_PERCENT;
    }

    /** Slots of key groups with several records. */
    private int[] largestFirst() {
        long[] sizes = new long[countPerSlot.length];
        int found = 0;
        for (int slot = KeyGroupSlots.METADATA + 1; slot < countPerSlot.length; slot++) {
            if (countPerSlot[slot] > 1) {
                sizes[found++] = (long) countPerSlot[slot] << Integer.SIZE | slot;
            }
        }
        Arrays.sort(sizes, 0, found);
        int[] slots = new int[found];
        for (int i = 0; i < found; i++) {
            slots[i] = (int) sizes[found - 1 - i];
        }
        return slots;
    }

    private void lookAt(int first, int pastLast) {
        replaced.reset(pastLast - first);
        barriers.reset();
        for (int place = pastLast - 1; place >= first; place--) {
            int record = bySlot[place];
            int size = sizeOf(record);
            lookedBytes += size;
            if (isVoid(record)) {
                bySlot[place] = ~record;
                voidRecords++;
                voidBytes += size;
            }
            if (voidRemoval != Replacements.NONE) {
                // This one is after the current record, and numbers ascend in a slot.
                int at = placeOf(voidRemoval, place + 1, pastLast);
                bySlot[at] = ~voidRemoval;
                voidRecords++;
                voidBytes += sizeOf(voidRemoval);
                voidRemoval = Replacements.NONE;
            }
        }
        keepOne(first, pastLast);
        looked += pastLast - first;
    }

    private int placeOf(int record, int from, int pastLast) {
        int low = from;
        int high = pastLast - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (recordAt(middle) < record) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int recordAt(int place) {
        return bySlot[place] < 0 ? ~bySlot[place] : bySlot[place];
    }

    /** If all are void, keeps the last one: a removal, which does no harm. */
    private void keepOne(int first, int pastLast) {
        for (int place = first; place < pastLast; place++) {
            if (bySlot[place] >= 0) {
                return;
            }
        }
        int last = recordAt(pastLast - 1);
        bySlot[pastLast - 1] = last;
        voidRecords--;
        voidBytes -= sizeOf(last);
    }

    private int sizeOf(int record) {
        return records.endOf(record) - index.start(record) - Arena.LENGTH_BYTES;
    }

    private boolean isVoid(int record) {
        ChangeEffect effect = index.effect(record);
        if (index.scopeEnd(record) == 0) {
            barriers.add(record);
            return false;
        }
        int state = bytes.readShort(index.start(record) + Arena.LENGTH_BYTES + 1);
        if (effect == ChangeEffect.READS) {
            barriers.add(state, record);
            return false;
        }
        return isReplaced(record, effect, barriers.of(state));
    }

    /**
     * Also remembers what the record replaces, if it is not replaced itself, and the removal that
     * is void with it.
     *
     * @param barrier see {@link ReadBarriers#of}
     */
    private boolean isReplaced(int record, ChangeEffect effect, int barrier) {
        int scopeHash = replaced.hashOfScope(record);
        int scope = replaced.placeOfScope(record, scopeHash);
        if (isBefore(barrier, scope)) {
            int by = replaced.recordAt(scope);
            if (effect == ChangeEffect.CREATES_SCOPE
                    && index.effect(by) == ChangeEffect.REMOVES_SCOPE) {
                voidRemoval = by;
                replaced.drop(scope);
            }
            return true;
        }
        if (effect.replacesScope()) {
            replaced.put(scope, scopeHash, record);
        } else if (effect == ChangeEffect.REPLACES_ENTRY) {
            int entryHash = replaced.hashOfEntry(record, scopeHash);
            int entry = replaced.placeOfEntry(record, entryHash);
            if (isBefore(barrier, entry)) {
                return true;
            }
            replaced.put(entry, entryHash, record);
        }
        return false;
    }

    private boolean isBefore(int barrier, int place) {
        int by = replaced.recordAt(place);
        return by != Replacements.NONE && by < barrier;
    }

    private int[] withoutVoid() {
        if (voidRecords == 0) {
            return bySlot;
        }
        int[] kept = new int[bySlot.length - voidRecords];
        int count = 0;
        for (int record : bySlot) {
            if (record >= 0) {
                kept[count++] = record;
            }
        }
        return kept;
    }

    private int[] countWithoutVoid(int[] firsts) {
        int[] counts = countPerSlot.clone();
        if (voidRecords > 0) {
            for (int slot = 0; slot < counts.length; slot++) {
                for (int i = 0; i < countPerSlot[slot]; i++) {
                    counts[slot] -= bySlot[firsts[slot] + i] < 0 ? 1 : 0;
                }
            }
        }
        return counts;
    }

    /**
     * For a walk over the records of a key group from the last to the first: the earliest records
     * that read, by state. Records after such a barrier don't make those before it void.
     *
     * <p>Few states have changes that read, so the search is linear. Not thread-safe.
     */
    static final class ReadBarriers {

        private static final int NOWHERE = Integer.MAX_VALUE;

        private int ofAll;
        private int[] states = new int[4];
        private int[] records = new int[4];
        private int count;

        void reset() {
            ofAll = NOWHERE;
            count = 0;
        }

        /** The record reads any state. */
        void add(int record) {
            ofAll = record;
        }

        /** The record reads one state. */
        void add(int state, int record) {
            int at = indexOf(state);
            if (at == count) {
                if (count == states.length) {
                    states = Arrays.copyOf(states, 2 * count);
                    records = Arrays.copyOf(records, 2 * count);
                }
                states[count++] = state;
            }
            records[at] = record;
        }

        private int indexOf(int state) {
            int at = 0;
            while (at < count && states[at] != state) {
                at++;
            }
            return at;
        }

        /** Only records before this one (in the log) make earlier ones of the state void. */
        int of(int state) {
            int at = indexOf(state);
            return at == count ? ofAll : Math.min(ofAll, records[at]);
        }
    }
}
