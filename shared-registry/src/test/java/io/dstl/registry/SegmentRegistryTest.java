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
package io.dstl.registry;

import static io.dstl.registry.SegmentLedger.SEGMENT_BYTES;
import static io.dstl.registry.SegmentLedger.segment;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.junit.jupiter.api.Test;

/** The rules of the registry, one by one. */
class SegmentRegistryTest extends SegmentRegistryFixture {

    /** Of a later attempt. */
    private static final WriterId CAROL = new WriterId("map (1/1)");

    @Test
    void deletesASegmentWhenItsLastChangeSetIsReleased() {
        registry.register(a, 2);
        registry.release(a);
        assertThat(deleted()).isEmpty();

        registry.release(a);
        assertThat(deleted()).containsExactly(a);
    }

    @Test
    void knowsASegmentByItsNameNotByItsHandle() {
        registry.register(segment("a"), 1);
        pin(ALICE, 1, segment("a"));
        registry.release(segment("a"));
        abort(ALICE, 1);
        registry.subsumed(ALICE, 1);

        assertThat(deleted()).containsExactly(segment("a"));
    }

    /** The abort may be wrong: the high-availability store may hold the checkpoint. */
    @Test
    void anAbortDeletesNothing() {
        registry.register(a, 1);
        pin(ALICE, 1, a);
        registry.release(a);
        abort(ALICE, 1);
        pin(ALICE, 2);
        registry.confirm(new CheckpointPin(ALICE, 2));
        assertThat(deleted()).isEmpty();
        assertThat(registry.pinnedSegments()).isOne();

        registry.subsumed(ALICE, 1);
        assertThat(deleted()).containsExactly(a);
        assertThat(registry.pinnedSegments()).isZero();
        assertThat(registry.liveSegments()).isZero();
    }

    /** With several retained, a new leader may retain the one that was aborted among them. */
    @Test
    void keepsASegmentOfAnAbortedCheckpointWhileAnEarlierOneIsRetained() {
        registry.register(a, 1);
        pin(ALICE, 5, a);
        registry.release(a);
        abort(ALICE, 5);
        registry.subsumed(ALICE, 4);
        assertThat(deleted()).isEmpty();

        registry.subsumed(ALICE, 6);
        assertThat(deleted()).containsExactly(a);
    }

    @Test
    void keepsASegmentForEachCheckpointThatListsIt() {
        registry.register(a, 2);
        pin(ALICE, 1, a);
        pin(BOB, 2, a);
        registry.release(a);
        registry.release(a);
        abort(ALICE, 1);
        abort(BOB, 2);
        registry.subsumed(ALICE, 1);
        assertThat(deleted()).isEmpty();

        registry.subsumed(ALICE, 2);
        assertThat(deleted()).containsExactly(a);
    }

    @Test
    void aSegmentOfAnAbortedCheckpointStaysWhileALogNeedsIt() {
        registry.register(a, 1);
        pin(ALICE, 1, a);
        abort(ALICE, 1);
        registry.subsumed(ALICE, 1);
        assertThat(deleted()).isEmpty();

        registry.release(a);
        registry.subsumed(ALICE, 1);
        assertThat(deleted()).containsExactly(a);
    }

    @Test
    void countsOnePinOnceHoweverOftenItListsTheSegment() {
        registry.register(a, 1);
        pin(ALICE, 1, a, a);
        pin(ALICE, 1, a);
        registry.release(a);
        abort(ALICE, 1);
        registry.subsumed(ALICE, 1);

        assertThat(deleted()).containsExactly(a);
    }

    /** A part of the job may have been restored from it, elsewhere. */
    @Test
    void neverDeletesWhatACheckpointOfUnknownOutcomeLists() {
        registry.register(a, 1);
        pin(ALICE, 1, a);
        registry.release(a);
        registry.subsumed(ALICE, 1);
        registry.subsumed(ALICE, 2);

        assertThat(deleted()).isEmpty();
        assertThat(ledger.handedOver).containsExactly(a);
    }

    @Test
    void neverDeletesWhatAConfirmedCheckpointRefersTo() {
        registry.register(a, 1);
        pin(ALICE, 1, a);
        registry.confirm(new CheckpointPin(ALICE, 1));
        registry.release(a);

        assertThat(ledger.handedOver).containsExactly(a);
        assertThat(deleted()).isEmpty();
        assertThat(registry.liveSegments()).isZero();
    }

    @Test
    void handsASharedSegmentOverOnceForAllItsWriters() {
        registry.register(a, 2);
        pin(ALICE, 1, a);
        pin(BOB, 1, a);
        registry.confirm(new CheckpointPin(ALICE, 1));
        abort(BOB, 1);
        registry.release(a);
        registry.release(a);
        registry.subsumed(ALICE, 1);

        assertThat(ledger.handedOver).containsExactly(a);
        assertThat(deleted()).isEmpty();
    }

    @Test
    void handsOverLowerCheckpointsWithTheConfirmationAfterTheNextAsTheirsMayHaveBeenLost() {
        registry.register(a, 1);
        registry.register(b, 1);
        pin(ALICE, 1, a);
        pin(ALICE, 2, b);
        registry.release(a);
        registry.confirm(new CheckpointPin(ALICE, 2));
        assertThat(ledger.handedOver).containsExactly(b);

        pin(ALICE, 3);
        registry.confirm(new CheckpointPin(ALICE, 3));
        registry.subsumed(ALICE, 2);

        assertThat(ledger.handedOver).containsExactlyInAnyOrder(a, b);
        assertThat(deleted()).isEmpty();
    }

    /** Flink first adds the higher one to its store, and then drops the lower ones. */
    @Test
    void anAbortCountsAlsoAfterTheConfirmationOfTheCheckpointThatHasSubsumedIt() {
        registry.register(a, 1);
        pin(ALICE, 1, a);
        pin(BOB, 2);
        registry.release(a);
        registry.confirm(new CheckpointPin(BOB, 2));
        abort(ALICE, 1);
        registry.confirm(new CheckpointPin(ALICE, 2));
        assertThat(deleted()).isEmpty();

        pin(ALICE, 3);
        registry.confirm(new CheckpointPin(ALICE, 3));
        registry.subsumed(ALICE, 2);

        assertThat(deleted()).containsExactly(a);
        assertThat(ledger.handedOver).isEmpty();
    }

    /** It has completed for all of them, and one below the one before may have. */
    @Test
    void confirmationByOneWriterCountsForAll() {
        StreamStateHandle failed = segment("failed");
        StreamStateHandle later = segment("later");
        Arrays.asList(a, b, failed, later).forEach(segment -> registry.register(segment, 1));
        pin(BOB, 1, failed);
        abort(ALICE, 1);
        pin(BOB, 2, a);
        pin(BOB, 3, b);
        pin(ALICE, 3);
        pin(BOB, 4, later);
        registry.confirm(new CheckpointPin(ALICE, 3));
        assertThat(ledger.handedOver).containsExactly(b);

        pin(ALICE, 5);
        registry.confirm(new CheckpointPin(ALICE, 5));
        assertThat(ledger.handedOver).containsExactlyInAnyOrder(a, b);
    }

    @Test
    void confirmationOfACheckpointWithoutSegmentsEndsTheEarlierPins() {
        registry.register(a, 1);
        pin(ALICE, 1, a);
        pin(ALICE, 2);
        registry.confirm(new CheckpointPin(ALICE, 2));
        pin(ALICE, 3);
        registry.confirm(new CheckpointPin(ALICE, 3));

        assertThat(ledger.handedOver).containsExactly(a);
    }

    @Test
    void ignoresTheOutcomeOfACheckpointThatPinnedNothing() {
        registry.register(a, 1);
        pin(ALICE, 1, a);
        registry.confirm(new CheckpointPin(ALICE, 7));
        registry.abort(new CheckpointPin(ALICE, 7));
        assertThat(ledger.handedOver).isEmpty();

        registry.release(a);
        abort(ALICE, 1);
        abort(ALICE, 1);
        registry.subsumed(ALICE, 1);
        assertThat(deleted()).containsExactly(a);
    }

    @Test
    void keepsWhatAClosedWriterHasInFlightUntilALaterAttemptProvesItUnneeded() {
        registry.register(a, 1);
        pin(ALICE, 5, a);
        registry.closeWriter(ALICE);
        registry.release(a);
        restore(CAROL, 4);
        pin(CAROL, 6);
        registry.confirm(new CheckpointPin(CAROL, 6));
        registry.subsumed(CAROL, 4);
        assertThat(deleted()).isEmpty();

        registry.subsumed(CAROL, 6);
        assertThat(deleted()).containsExactly(a);
    }

    /** A log is truncated after the confirmation. The restored job is no witness of that time. */
    @Test
    void whatWasOutlivedBeforeItLeftTheLogIsDeletedAlsoAfterARestore() {
        registry.register(a, 1);
        pin(ALICE, 5, a);
        abort(ALICE, 5);
        pin(ALICE, 6);
        registry.confirm(new CheckpointPin(ALICE, 6));
        registry.subsumed(ALICE, 4);
        registry.release(a);
        registry.closeWriter(ALICE);
        restore(CAROL, 6);
        assertThat(deleted()).isEmpty();

        registry.subsumed(CAROL, 6);
        assertThat(deleted()).containsExactly(a);
    }

    /** The logs that it restored list the segment, up to the last materialization of each. */
    @Test
    void neverDeletesWhatTheJobWasRestoredFrom() {
        registry.register(a, 1);
        registry.register(b, 1);
        pin(ALICE, 5, a);
        abort(ALICE, 5);
        pin(ALICE, 6, b);
        registry.closeWriter(ALICE);
        registry.release(a);
        registry.release(b);
        restore(CAROL, 5);
        assertThat(ledger.handedOver).containsExactly(a);

        registry.subsumed(CAROL, 7);
        assertThat(deleted()).containsExactly(b);
    }

    /** Its task may have been restored without state, from the very checkpoint. */
    @Test
    void aWriterIsNoWitnessOfWhatWasBeforeIt() {
        registry.register(a, 1);
        registry.register(b, 1);
        pin(ALICE, 5, a);
        abort(ALICE, 5);
        registry.closeWriter(ALICE);
        registry.release(a);
        registry.openWriter(CAROL);
        registry.subsumed(CAROL, 6);
        pin(CAROL, 7, b);
        abort(CAROL, 7);
        registry.release(b);
        registry.subsumed(CAROL, 8);
        assertThat(deleted()).containsExactly(b);

        registry.closeWriter(CAROL);
        restore(CAROL, 5);
        registry.subsumed(CAROL, 8);
        assertThat(deleted()).containsExactly(b);
        assertThat(ledger.handedOver).containsExactly(a);
    }

    @Test
    void aRestoreFromACheckpointLeavesThoseOfALowerOneOfUnknownOutcomeToTheJobManager() {
        registry.register(a, 1);
        pin(ALICE, 4, a);
        registry.closeWriter(ALICE);
        registry.release(a);
        restore(CAROL, 5);
        registry.subsumed(CAROL, 5);

        assertThat(ledger.handedOver).containsExactly(a);
        assertThat(deleted()).isEmpty();
        assertThat(registry.liveSegments()).isZero();
    }

    @Test
    void leavesTheOldestBehindWhenNobodyTellsWhatIsSubsumed() {
        int segments = SegmentRegistry.MAX_IN_DOUBT + 1;
        for (int i = 0; i < segments; i++) {
            StreamStateHandle segment = segment("segment-" + i);
            registry.register(segment, 1);
            pin(ALICE, i, segment);
            abort(ALICE, i);
            registry.release(segment);
        }

        assertThat(ledger.leftBehind)
                .hasSize(segments - registry.liveSegments())
                .startsWith(segment("segment-0"), segment("segment-1"))
                .doesNotContain(segment("segment-" + (segments - 1)));
        assertThat(registry.liveSegments()).isLessThanOrEqualTo(SegmentRegistry.MAX_IN_DOUBT);
        assertThat(deleted()).isEmpty();
    }

    @Test
    void closingDeletesTheUnpinnedAndLeavesTheRest() {
        StreamStateHandle confirmed = segment("confirmed");
        Arrays.asList(confirmed, a, b).forEach(segment -> registry.register(segment, 1));
        pin(ALICE, 1, confirmed);
        registry.confirm(new CheckpointPin(ALICE, 1));
        pin(ALICE, 2, a);
        abort(ALICE, 2);
        registry.closeWriter(ALICE);

        registry.close();
        registry.close();

        assertThat(deleted()).containsExactly(b);
        assertThat(ledger.leftBehind).containsExactly(a);
        assertThat(registry.liveSegments()).isZero();
        assertThat(registry.liveBytes()).isZero();
    }

    @Test
    void countsWhatIsLive() {
        registry.register(a, 1);
        registry.register(b, 1);
        assertThat(ledger.registered).containsExactly(a, b);
        assertThat(registry.liveSegments()).isEqualTo(2);
        assertThat(registry.liveBytes()).isEqualTo(2 * SEGMENT_BYTES);

        registry.release(a);
        assertThat(registry.liveSegments()).isOne();
        assertThat(registry.liveBytes()).isEqualTo(SEGMENT_BYTES);
    }

    @Test
    void deletesOffTheCallersThread() {
        registry.register(a, 1);
        registry.release(a);

        assertThat(ledger.deleted).isEmpty();
        assertThat(executor.size()).isOne();
    }

    private void restore(WriterId writer, long checkpointId) {
        registry.openWriter(writer);
        registry.restored(writer, checkpointId);
    }
}
