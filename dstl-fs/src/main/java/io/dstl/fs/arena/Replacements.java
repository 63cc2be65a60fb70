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

import io.dstl.fs.arena.ChunkPool.ChunkList;
import io.dstl.fs.arena.RecordIndex.RecordMarks;
import java.util.Arrays;

/**
 * The scopes and entries that records of one key group replace, keyed by the bytes that name them,
 * each with the earliest record that was added.
 *
 * <p>A hash table with open addressing. Equal hashes are confirmed by comparing the bytes. Takes 16
 * to 32 bytes per record of the largest key group. Not thread-safe.
 */
final class Replacements {

    static final int NONE = -1;

    /** Instead of a place. */
    static final int NO_PLACE = -1;

    /** Places probed for one record, so that deliberate hash collisions cost no more than that. */
    static final int MOST_PLACES = 32;

    private final ChunkList bytes;
    private final RecordIndex index;
    private int[] hashes = new int[0];

    /** Numbers of records plus one; 0 if the place is empty, negative if the record was dropped. */
    private int[] records = new int[0];

    private int mask;

    Replacements(ChunkList bytes, RecordIndex index) {
        this.bytes = bytes;
        this.index = index;
    }

    /**
     * Forgets all records.
     *
     * @param most the maximum number of records to add
     */
    void reset(int most) {
        int places = Integer.highestOneBit(Math.max(most, 1)) << 2;
        if (places > records.length) {
            hashes = new int[places];
            records = new int[places];
        } else {
            Arrays.fill(records, 0, places, 0);
        }
        mask = places - 1;
    }

    int hashOfScope(int record) {
        int scopeAt = scopeAt(record);
        return bytes.hash(scopeAt, at(record, index.scopeEnd(record)) - scopeAt);
    }

    int hashOfEntry(int record, int hashOfScope) {
        int length = index.entryEnd(record) - index.entryBegin(record);
        return 31 * hashOfScope + bytes.hash(at(record, index.entryBegin(record)), length);
    }

    /** The place at which the record's scope is or can be added; or {@link #NO_PLACE}. */
    int placeOfScope(int record, int hash) {
        for (int i = 0; i < MOST_PLACES; i++) {
            int place = hash + i & mask;
            if (records[place] == 0 || (hashes[place] == hash && sameScope(added(place), record))) {
                return place;
            }
        }
        return NO_PLACE;
    }

    private boolean sameScope(int known, int record) {
        return index.effect(known).replacesScope() && sameScopeBytes(known, record);
    }

    private int added(int place) {
        return Math.abs(records[place]) - 1;
    }

    /** The place at which the record's entry is or can be added; or {@link #NO_PLACE}. */
    int placeOfEntry(int record, int hash) {
        for (int i = 0; i < MOST_PLACES; i++) {
            int place = hash + i & mask;
            if (records[place] == 0 || (hashes[place] == hash && sameEntry(added(place), record))) {
                return place;
            }
        }
        return NO_PLACE;
    }

    private boolean sameEntry(int known, int record) {
        int knownAt = index.entryBegin(known);
        int recordAt = index.entryBegin(record);
        int length = index.entryEnd(record) - recordAt;
        return index.effect(known) == ChangeEffect.REPLACES_ENTRY
                && index.entryEnd(known) - knownAt == length
                && bytes.areEqual(at(known, knownAt), at(record, recordAt), length)
                && sameScopeBytes(known, record);
    }

    private boolean sameScopeBytes(int known, int record) {
        int end = index.scopeEnd(record);
        return index.scopeEnd(known) == end
                && bytes.areEqual(scopeAt(known), scopeAt(record), end - RecordMarks.SCOPE_BEGIN);
    }

    private int scopeAt(int record) {
        return at(record, RecordMarks.SCOPE_BEGIN);
    }

    /** Converts a position in a record to one in all bytes. */
    private int at(int record, int inRecord) {
        return index.start(record) + Arena.LENGTH_BYTES + inRecord;
    }

    /** The record at a place, or {@link #NONE}. */
    int recordAt(int place) {
        return place == NO_PLACE || records[place] < 0 ? NONE : records[place] - 1;
    }

    /** The record at a place no longer replaces anything. */
    void drop(int place) {
        records[place] = -records[place];
    }

    /** Has no effect without a place: then this record does not replace earlier ones. */
    void put(int place, int hash, int record) {
        if (place != NO_PLACE) {
            hashes[place] = hash;
            records[place] = record + 1;
        }
    }
}
