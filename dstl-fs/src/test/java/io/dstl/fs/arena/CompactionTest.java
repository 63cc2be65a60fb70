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

import static io.dstl.fs.arena.ChangeEffect.ADDS;
import static io.dstl.fs.arena.ChangeEffect.CREATES_SCOPE;
import static io.dstl.fs.arena.ChangeEffect.READS;
import static io.dstl.fs.arena.ChangeEffect.REMOVES_SCOPE;
import static io.dstl.fs.arena.ChangeEffect.REPLACES_SCOPE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.arena.Arena.KeyGroupSlots;
import io.dstl.fs.arena.ChangeSet.EffectiveRecords;
import io.dstl.fs.arena.ChunkPool.ChunkList;
import org.apache.flink.core.memory.DataOutputView;
import org.junit.jupiter.api.Test;

class CompactionTest extends ArenaFixture {

    @Test
    void theLastReplacementOfAScopeStays() throws Exception {
        change(0, "a", REPLACES_SCOPE, "1");
        change(0, "b", REPLACES_SCOPE, "2");
        change(0, "a", REPLACES_SCOPE, "3");
        change(0, "a", REPLACES_SCOPE, "4");

        assertThat(stored()).containsExactly("b 2", "a 4");
    }

    @Test
    void aScopeOfAnotherStateOrKeyGroupIsAnother() throws Exception {
        change(0, "a", REPLACES_SCOPE, "1");
        change(1, "a", REPLACES_SCOPE, "2");
        state = 2;
        change(1, "a", REPLACES_SCOPE, "3");

        assertThat(stored()).containsExactly("a 1", "a 2", "a 3");
    }

    @Test
    void aScopeThatAnotherOneBeginsWithIsAnother() throws Exception {
        change(0, "ab", REPLACES_SCOPE, "");
        change(0, "a", REPLACES_SCOPE, "b");
        entry(0, "a", "b", "");
        change(0, "ab", ADDS, "");

        assertThat(stored()).containsExactly("ab ", "a b", "a b=", "ab ");
    }

    @Test
    void whatWasAddedStaysUntilItsScopeIsReplaced() throws Exception {
        change(0, "a", ADDS, "1");
        change(0, "b", ADDS, "2");
        change(0, "a", REPLACES_SCOPE, "3");
        change(0, "a", ADDS, "4");
        change(0, "a", ADDS, "5");

        assertThat(stored()).containsExactly("b 2", "a 3", "a 4", "a 5");
    }

    @Test
    void theLastReplacementOfAnEntryStays() throws Exception {
        entry(0, "a", "x", "1");
        entry(0, "a", "y", "2");
        entry(0, "b", "x", "3");
        entry(0, "a", "x", "4");

        assertThat(stored()).containsExactly("a y=2", "b x=3", "a x=4");
    }

    @Test
    void anEntryIsReplacedWithItsScopeAndNotTheOtherWayRound() throws Exception {
        entry(0, "a", "x", "1");
        change(0, "a", REPLACES_SCOPE, "2");
        entry(0, "a", "x", "3");
        change(0, "a", ADDS, "4");

        assertThat(stored()).containsExactly("a 2", "a x=3", "a 4");
    }

    @Test
    void anEntryIsTheSameWhereverItBegins() throws Exception {
        entryBehind(0, "a", 4, "x");
        entry(0, "a", "x", "removed");
        entryBehind(0, "a", 1000, "x");
        entryBehind(0, "a", 4, "y");
        entry(0, "a", "y", "removed");

        // one so far from its scope is not known to be one
        assertThat(stored()).containsExactly("a x=removed", "a ......x", "a y=removed");
    }

    @Test
    void whatMayHaveBeenReadStays() throws Exception {
        change(0, "a", REPLACES_SCOPE, "1");
        entry(0, "b", "x", "2");
        change(0, "c", READS, "3");
        change(0, "a", REPLACES_SCOPE, "4");
        entry(0, "b", "x", "5");
        change(0, "a", REPLACES_SCOPE, "6");
        entry(0, "b", "x", "7");

        assertThat(stored()).containsExactly("a 1", "b x=2", "c 3", "a 6", "b x=7");
    }

    @Test
    void betweenTwoReadsTheLastReplacementStays() throws Exception {
        change(0, "a", REPLACES_SCOPE, "1");
        change(0, "a", REPLACES_SCOPE, "2");
        change(0, "c", READS, "3");
        change(0, "a", REPLACES_SCOPE, "4");
        change(0, "a", REPLACES_SCOPE, "5");
        change(0, "c", READS, "6");
        change(0, "a", REPLACES_SCOPE, "7");

        assertThat(stored()).containsExactly("a 2", "c 3", "a 5", "c 6", "a 7");
    }

    @Test
    void whatIsCreatedAndRemovedLeavesNothing() throws Exception {
        change(0, "a", CREATES_SCOPE, "1");
        change(0, "b", REPLACES_SCOPE, "2");
        change(0, "a", REPLACES_SCOPE, "3");
        change(0, "a", ADDS, "4");
        entry(0, "a", "x", "5");
        change(0, "a", REMOVES_SCOPE, "6");
        change(0, "a", CREATES_SCOPE, "7");
        change(0, "a", REMOVES_SCOPE, "8");

        assertThat(stored()).containsExactly("b 2");
    }

    @Test
    void whatIsCreatedAndNotRemovedStays() throws Exception {
        change(0, "a", CREATES_SCOPE, "1");
        change(0, "a", REMOVES_SCOPE, "2");
        change(0, "a", CREATES_SCOPE, "3");
        change(0, "a", REPLACES_SCOPE, "4");

        assertThat(stored()).containsExactly("a 4");
    }

    /** An earlier set may hold it. */
    @Test
    void whatWasThereBeforeIsRemovedAllTheSame() throws Exception {
        change(0, "a", REPLACES_SCOPE, "1");
        change(0, "a", REMOVES_SCOPE, "2");
        change(0, "a", CREATES_SCOPE, "3");
        change(0, "a", REMOVES_SCOPE, "4");
        entry(0, "b", "x", "5");
        change(0, "b", REMOVES_SCOPE, "6");

        assertThat(stored()).containsExactly("a 2", "b 6");
    }

    @Test
    void whatIsReadBeforeItIsRemovedStays() throws Exception {
        change(0, "c", READS, "1");
        change(0, "a", CREATES_SCOPE, "2");
        change(0, "a", REMOVES_SCOPE, "3");
        change(0, "a", CREATES_SCOPE, "4");
        change(0, "c", READS, "5");
        change(0, "a", REMOVES_SCOPE, "6");
        change(0, "c", READS, "7");

        assertThat(stored()).containsExactly("c 1", "a 4", "c 5", "a 6", "c 7");
    }

    @Test
    void aKeyGroupIsNotLeftWithoutARecord() throws Exception {
        change(0, "a", CREATES_SCOPE, "1");
        change(0, "b", CREATES_SCOPE, "2");
        change(0, "a", REMOVES_SCOPE, "3");
        change(0, "b", REMOVES_SCOPE, "4");
        ChangeSet sealed = arena.seal();

        assertThat(sealed.effective().countOf(slot(0))).isEqualTo(1);
        assertThat(sealed.effective().record(0)).isEqualTo(3);
        assertThat(sealed.effective().voidRecords()).isEqualTo(3);
        assertThat(sealed.effective().voidBytes()).isEqualTo(3 * 6);
    }

    @Test
    void readsOfOneStateAreNoneOfAnother() throws Exception {
        change(0, "a", REPLACES_SCOPE, "1");
        for (state = 2; state < 10; state++) {
            change(0, "a", REPLACES_SCOPE, "2");
            change(0, "c", READS, "3");
            change(0, "a", REPLACES_SCOPE, "4");
        }
        state = 1;
        change(0, "a", REPLACES_SCOPE, "5");

        assertThat(stored()).hasSize(8 * 3 + 1).endsWith("a 5").doesNotContain("a 1");
    }

    @Test
    void aRecordOfWhichNothingIsSaidMayReadAll() throws Exception {
        change(0, "a", REPLACES_SCOPE, "1");
        arena.beginRecord().write(new byte[] {9, 0, 1, 'a', ' ', '2'});
        arena.endRecord(slot(0));
        change(0, "a", REPLACES_SCOPE, "3");

        assertThat(stored()).containsExactly("a 1", "a 2", "a 3");
    }

    @Test
    void metadataStays() throws Exception {
        for (int i = 0; i < 2; i++) {
            DataOutputView out = begin("a");
            arena.scopeEnds(REPLACES_SCOPE);
            end(out, KeyGroupSlots.METADATA, " " + i);
        }

        assertThat(stored()).containsExactly("a 0", "a 1");
    }

    @Test
    void aDroppedRecordSaysNothing() throws Exception {
        change(0, "a", REPLACES_SCOPE, "1");
        begin("a");
        arena.scopeEnds(REPLACES_SCOPE);
        arena.dropRecord();
        arena.beginRecord().write(new byte[] {9, 0, 1, 'a', ' ', '2'});
        arena.endRecord(slot(0));

        assertThat(stored()).containsExactly("a 1", "a 2");
    }

    @Test
    void findsScopesAcrossTheBordersOfChunks() throws Exception {
        int chunk = ChunkPool.CHUNK_BYTES;
        for (int i = 0; i < 3; i++) {
            for (int shift = 1; shift < 60; shift++) {
                change(0, "a scope that is long enough " + shift, REPLACES_SCOPE, "" + i);
                change(0, "filler", REPLACES_SCOPE, "x".repeat(chunk - 41 - shift % 8));
            }
        }

        assertThat(stored())
                .hasSize(60)
                .filteredOn(record -> record.startsWith("a"))
                .allMatch(record -> record.endsWith(" 2"));
    }

    /** So many that about twenty pairs have the same hash. */
    @Test
    void aHashIsNotEnoughToTakeScopesForTheSame() throws Exception {
        for (int i = 0; i < 400_000; i++) {
            change(0, "key " + i, REPLACES_SCOPE, "");
        }

        assertThat(arena.seal().effective().voidRecords()).isZero();
    }

    @Test
    void aHashIsNotEnoughToTakeEntriesForTheSame() throws Exception {
        for (int i = 0; i < 400_000; i++) {
            entry(0, "key " + i % 1000, "entry " + i / 1000, "");
            entry(1, "key " + i, "the same", "");
        }

        assertThat(arena.seal().effective().voidRecords()).isZero();
    }

    /** Keys that somebody chose so that all have the same hash. */
    @Test
    void givesUpOnScopesWhoseHashesCollide() throws Exception {
        int keys = Replacements.MOST_PLACES + 8;
        for (int i = 0; i < 2 * keys; i++) {
            DataOutputView out = arena.beginRecord();
            out.write(7);
            long first = (long) state << 48 | i % keys;
            out.writeLong(first);
            out.writeLong(ChunkList.mixed(2 * Long.BYTES * ChunkList.MIX ^ first) ^ 42);
            arena.scopeEnds(REPLACES_SCOPE);
            end(out, slot(0), "");
        }

        assertThat(arena.seal().effective().voidRecords()).isEqualTo(Replacements.MOST_PLACES);
    }

    @Test
    void keepsAllWhereItIsTurnedOff() throws Exception {
        arena = arena(false);
        change(0, "a", REPLACES_SCOPE, "1");
        change(0, "a", REPLACES_SCOPE, "2");

        assertThat(stored()).containsExactly("a 1", "a 2");
    }

    @Test
    void countsWhatItLeavesOut() throws Exception {
        change(0, "a", REPLACES_SCOPE, "123");
        change(2, "a", REPLACES_SCOPE, "4");
        change(0, "a", REPLACES_SCOPE, "5");

        ChangeSet sealed = arena.seal();
        EffectiveRecords records = sealed.effective();
        assertThat(records.count()).isEqualTo(2);
        assertThat(records.countOf(slot(0))).isEqualTo(1);
        assertThat(records.bytes()).isEqualTo(12);
        assertThat(records.voidRecords()).isEqualTo(1);
        assertThat(records.voidBytes()).isEqualTo(8);
        assertThat(sealed.count()).isEqualTo(3);
        assertThat(sealed.bytes()).isEqualTo(20);
        assertThat(sealed.effective()).isSameAs(records);
    }

    @Test
    void stopsWhereTheSampleSaysThatItDoesNotPay() throws Exception {
        int sample = Compaction.SAMPLE_RECORDS;
        for (int i = 0; i < sample; i++) {
            change(1, "key " + i, REPLACES_SCOPE, "");
        }
        change(1, "key 0", REPLACES_SCOPE, "");
        change(2, "a", REPLACES_SCOPE, "");
        change(2, "a", REPLACES_SCOPE, "");

        // what the largest key group shows goes in any case
        assertThat(arena.seal().effective().voidRecords()).isEqualTo(1);
    }

    @Test
    void goesOnWhereTheSampleSaysThatItPays() throws Exception {
        int sample = Compaction.SAMPLE_RECORDS;
        for (int i = 0; i < sample; i++) {
            change(1, "key " + i % (sample / 2), REPLACES_SCOPE, "");
        }
        change(2, "a", REPLACES_SCOPE, "");
        change(2, "a", REPLACES_SCOPE, "");

        assertThat(arena.seal().effective().voidRecords()).isEqualTo(sample / 2 + 1);
    }

    @Test
    void refusesAScopeWithoutAState() throws Exception {
        arena.beginRecord().write(new byte[2]);

        assertThatThrownBy(() -> arena.scopeEnds(REPLACES_SCOPE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ends at 2");
    }

    @Test
    void refusesToReadWhenTheMemoryIsGone() throws Exception {
        change(0, "a", REPLACES_SCOPE, "1");
        ChangeSet sealed = arena.seal();
        sealed.effective();
        sealed.release();

        assertThatThrownBy(sealed::effective).isInstanceOf(IllegalStateException.class);
    }
}
