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
package io.dstl.fs.log;

import static io.dstl.fs.testing.LogHarness.START;
import static io.dstl.fs.testing.LogHarness.append;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.testing.LogHarness;
import io.dstl.store.RefusedException;
import io.dstl.store.testing.ScriptedStore;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.junit.jupiter.api.Test;

class SegmentedChangeLogTest {

    private final ScriptedStore store = new ScriptedStore();
    private final LogHarness harness = new LogHarness(store);
    private final SegmentedChangeLog log = harness.createLog();

    @Test
    void listsItsChangeSetsInOrder() throws Exception {
        append(log, 1, 10);
        harness.persistNow(log, START, 1);
        append(log, 0, 20);
        append(log, 1, 30);

        ChangelogStateHandleStreamImpl handle = harness.persistNow(log, START, 2);

        assertThat(harness.read(handle)).containsExactly("1:[10]", "0:[20]", "1:[30]");
        assertThat(handle.getKeyGroupRange()).isEqualTo(LogHarness.KEY_GROUPS);
        assertThat(handle.getStorageIdentifier()).isEqualTo("filesystem");
        assertThat(store.objects()).hasSize(2);
    }

    @Test
    void countsAsIncrementWhatNoEarlierHandleHasListed() throws Exception {
        append(log, 1, 10);
        ChangelogStateHandleStreamImpl first = harness.persistNow(log, START, 1);
        append(log, 1, 20, 21, 22);
        ChangelogStateHandleStreamImpl second = harness.persistNow(log, START, 2);

        assertThat(first.getStateSize()).isEqualTo(17);
        assertThat(first.getCheckpointedSize()).isEqualTo(17);
        assertThat(second.getStateSize()).isEqualTo(17 + 19);
        assertThat(second.getCheckpointedSize()).isEqualTo(19);
    }

    @Test
    void persistsNothingWhereThereIsNothing() throws Exception {
        ChangelogStateHandleStreamImpl handle = harness.persistNow(log, START, 1);

        assertThat(handle.getHandlesAndOffsets()).isEmpty();
        assertThat(handle.getStateSize()).isZero();
        assertThat(store.puts()).isZero();
    }

    @Test
    void theNextNumberSeparatesWhatIsBeforeFromWhatIsAfter() throws Exception {
        append(log, 1, 10);
        SequenceNumber middle = log.nextSequenceNumber();
        assertThat(log.nextSequenceNumber()).isEqualTo(middle);
        append(log, 1, 20);

        assertThat(harness.read(harness.persistNow(log, middle, 1))).containsExactly("1:[20]");
        assertThat(harness.read(harness.persistNow(log, START, 2)))
                .containsExactly("1:[10]", "1:[20]");
    }

    @Test
    void sendsAheadOfTheCheckpointWhatReachesTheThreshold() throws Exception {
        log.append(1, new byte[LogHarness.PREEMPTIVE_BYTES - 1]);
        harness.timer.advance(LogHarness.DELAY);
        assertThat(store.puts()).isZero();

        append(log, 1, 1);
        harness.timer.advance(LogHarness.DELAY);

        assertThat(store.puts()).isEqualTo(1);
    }

    /** So that no more than a threshold waits to be handed to upload. */
    @Test
    void whatAPersistLeavesOutCountsTowardsTheThreshold() throws Exception {
        log.append(1, new byte[LogHarness.PREEMPTIVE_BYTES - 1]);
        SequenceNumber middle = log.nextSequenceNumber();
        harness.persistNow(log, middle, 1);
        assertThat(store.puts()).isZero();

        append(log, 1, 1);
        harness.timer.advance(LogHarness.DELAY);
        assertThat(store.puts()).isEqualTo(1);
    }

    /** In stock, it makes every later persist throw until the next materialization. */
    @Test
    void aFailedUploadFailsNobody() throws Exception {
        append(log, 1, 10);
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> waiting =
                log.persist(START, 1);
        store.put(0).fail(new IOException("503"));
        assertThat(waiting).isNotDone();

        append(log, 1, 20);
        ChangelogStateHandleStreamImpl handle = harness.persistNow(log, START, 2);

        assertThat(harness.read(handle)).containsExactly("1:[10]", "1:[20]");
        assertThat(harness.read(waiting)).containsExactly("1:[10]");
    }

    /** However long it took: the store is not asked the less often while a checkpoint waits. */
    @Test
    void aWaitingPersistCompletesAPauseAfterTheStoreIsBack() throws Exception {
        append(log, 1, 10);
        CompletableFuture<?> waiting = log.persist(START, 1);
        for (int put = 0; put < 100; put++) {
            store.put(put).fail(new IOException("down"));
            harness.timer.advance(LogHarness.RESEND_PAUSE.plus(LogHarness.DELAY));
            assertThat(store.puts()).isEqualTo(put + 2);
        }
        assertThat(waiting).isNotDone();
        store.succeedAll();

        assertThat(waiting).isCompleted();
    }

    /** A simulation found it: what is truncated is in no log any more, only in a persist. */
    @Test
    void whatIsTruncatedIsSentAgainForThePersistThatWaits() throws Exception {
        append(log, 1, 10);
        CompletableFuture<?> waiting = log.persist(START, 1);
        log.truncate(log.nextSequenceNumber());
        store.put(0).fail(new IOException("down"));
        harness.timer.advance(LogHarness.RESEND_PAUSE.plus(LogHarness.DELAY));
        store.succeedAll();

        assertThat(waiting).isCompleted();
    }

    @Test
    void withoutAWaitingPersistPausesGrow() throws Exception {
        append(log, 1, 10);
        log.persist(START, 1);
        log.reset(START, START.next(), 1);
        for (int put = 0; put < 3; put++) {
            store.put(put).fail(new IOException("down"));
            Duration pause = LogHarness.RESEND_PAUSE.multipliedBy(1L << put);
            harness.timer.advance(pause.minusMillis(1));
            assertThat(store.puts()).isEqualTo(put + 1);
            harness.timer.advance(LogHarness.DELAY.plusMillis(1));
            assertThat(store.puts()).isEqualTo(put + 2);
        }
    }

    @Test
    void aPersistDoesNotWaitForALongPause() throws Exception {
        append(log, 1, 10);
        log.persist(START, 1);
        log.reset(START, START.next(), 1);
        for (int put = 0; put < 5; put++) {
            store.put(put).fail(new IOException("down"));
            harness.timer.advance(Duration.ofSeconds(12));
        }
        store.put(5).fail(new IOException("down"));

        CompletableFuture<?> persist = log.persist(START, 2);
        assertThat(store.puts()).isEqualTo(7);
        store.put(6).fail(new IOException("still down"));
        harness.timer.advance(LogHarness.RESEND_PAUSE.plus(LogHarness.DELAY));
        store.succeedAll();

        assertThat(persist).isCompleted();
    }

    @Test
    void aPersistThatWaitsEndsWithItsCheckpoint() throws Exception {
        append(log, 1, 10);
        CompletableFuture<?> waiting = log.persist(START, 1);
        store.put(0).fail(new IOException("down"));
        log.reset(START, START.next(), 1);

        assertThat(waiting).isCompletedExceptionally();
    }

    /** No store will mend it, and the checkpoint's timeout is long. */
    @Test
    void anErrorFailsThePersistsThatNeedTheUpload() throws Exception {
        append(log, 1, 10);
        CompletableFuture<?> first = log.persist(START, 1);
        CompletableFuture<?> second = log.persist(START, 2);
        store.put(0).fail(new IOException(new NoClassDefFoundError("Snappy")));

        assertThatThrownBy(first::get).hasRootCauseInstanceOf(NoClassDefFoundError.class);
        assertThat(second).isCompletedExceptionally();
        assertThat(harness.read(harness.persistNow(log, START, 3))).containsExactly("1:[10]");
    }

    /** The job was set up wrongly: whoever started it is looking at it now. */
    @Test
    void aRefusalFailsThePersistsOfAStoreThatHasNeverStoredAnything() throws Exception {
        append(log, 1, 10);
        CompletableFuture<?> persist = log.persist(START, 1);
        store.put(0).fail(new IOException(new RefusedException("403", "AccessDenied")));

        assertThatThrownBy(persist::get)
                .hasMessageContaining("state.changelog.dstl.dfs.base-path")
                .hasRootCauseInstanceOf(RefusedException.class);
        assertThat(harness.read(harness.persistNow(log, START, 2))).containsExactly("1:[10]");
    }

    @Test
    void aRefusalIsWaitedOutOnceTheStoreHasStoredSomething() throws Exception {
        append(log, 1, 10);
        harness.persistNow(log, START, 1);
        append(log, 1, 20);
        CompletableFuture<?> persist = log.persist(START, 2);
        store.put(1).fail(new IOException(new RefusedException("403", "ExpiredToken")));
        assertThat(persist).isNotDone();

        harness.timer.advance(LogHarness.RESEND_PAUSE.plus(LogHarness.DELAY));
        store.succeedAll();

        assertThat(persist).isCompleted();
    }

    @Test
    void countsWhatIsKeptUntilItIsStored() throws Exception {
        append(log, 1, 10);
        log.persist(START, 1);
        assertThat(harness.inFlight.keptBytes()).isZero();
        store.put(0).fail(new IOException("down"));
        assertThat(harness.inFlight.keptBytes()).isEqualTo(harness.inFlight.bytes()).isPositive();
        assertThat(harness.watch.isDown()).isTrue();

        // A store that hangs fails an upload after a long time, and alerts look at each moment.
        harness.timer.advance(LogHarness.RESEND_PAUSE);
        assertThat(harness.inFlight.keptBytes()).isEqualTo(harness.inFlight.bytes()).isPositive();
        harness.timer.advance(LogHarness.DELAY);
        store.put(1).fail(new IOException("down"));
        assertThat(harness.inFlight.keptBytes()).isEqualTo(harness.inFlight.bytes());

        harness.timer.advance(LogHarness.RESEND_PAUSE);
        harness.timer.advance(LogHarness.DELAY);
        store.put(2).begin().succeed();
        assertThat(harness.inFlight.keptBytes()).isZero();
    }

    @Test
    void keepsNothingOnceItIsClosed() throws Exception {
        append(log, 1, 10);
        log.persist(START, 1);
        store.put(0).fail(new IOException("down"));
        log.close();

        assertThat(harness.inFlight.keptBytes()).isZero();
        assertThat(harness.inFlight.bytes()).isZero();
    }

    @Test
    void tasksStopAtTheBoundWhileTheStoreIsDownAndGoOnWhenItIsBack() throws Exception {
        for (int change = 0; change < 7; change++) {
            log.append(1, new byte[LogHarness.PREEMPTIVE_BYTES]);
            harness.timer.advance(LogHarness.DELAY);
            store.put(store.puts() - 1).fail(new IOException("down"));
        }
        assertThat(harness.inFlight.isReached()).isTrue();
        assertThat(harness.inFlight.isAvailable()).isFalse();
        CompletableFuture<?> available = harness.inFlight.getAvailableFuture();

        harness.timer.advance(Duration.ofSeconds(30));
        store.succeedAll();

        assertThat(available).isCompleted();
        assertThat(harness.inFlight.isReached()).isFalse();
        assertThat(harness.watch.isDown()).isFalse();
    }

    /**
     * What checkpoint 1 waits for is sent again after checkpoint 2 was triggered: it must not share
     * a segment with what is first listed by a later one.
     */
    @Test
    void whatACheckpointWaitsForKeepsItsEpoch() throws Exception {
        SegmentedChangeLog other = harness.createLog();
        append(log, 1, 10);
        log.persist(START, 1);
        other.persist(START, 1);
        store.put(0).fail(new IOException("down"));
        append(other, 1, 20);
        harness.timer.advance(LogHarness.RESEND_PAUSE.minusMillis(1));
        other.persist(START, 2);
        harness.timer.advance(LogHarness.DELAY.plusMillis(1));

        assertThat(store.puts()).isEqualTo(3);
    }

    @Test
    void concurrentPersistsShareWhatIsUploadedOnce() throws Exception {
        append(log, 1, 10);
        CompletableFuture<?> first = log.persist(START, 1);
        append(log, 1, 20);
        CompletableFuture<?> second = log.persist(START, 2);
        assertThat(store.puts()).isEqualTo(2);

        store.put(1).succeed();
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        store.put(0).succeed();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
    }

    /** FLINK-28440: in stock, truncation deletes what a checkpoint in flight refers to. */
    @Test
    void truncationTakesNothingFromACheckpointInFlight() throws Exception {
        append(log, 1, 10);
        ChangelogStateHandleStreamImpl inFlight = harness.persistNow(log, START, 1);
        log.truncate(log.nextSequenceNumber());
        assertThat(harness.read(inFlight)).containsExactly("1:[10]");

        log.reset(START, log.nextSequenceNumber(), 1);
        assertThat(harness.read(inFlight)).as("aborted, as it is said").containsExactly("1:[10]");

        log.subsumed(1);
        assertThat(store.objects()).isEmpty();
    }

    @Test
    void truncationDuringAnUploadTakesNothingFromThePersistThatWaits() throws Exception {
        append(log, 1, 10);
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> waiting =
                log.persist(START, 1);
        log.truncate(log.nextSequenceNumber());
        store.succeedAll();

        assertThat(harness.read(waiting)).containsExactly("1:[10]");
    }

    /** The log is open, and no checkpoint can need the set any more. */
    @Test
    void whatIsTruncatedWaitsBehindAFailureForThePersistThatNeedsItOnly() throws Exception {
        append(log, 1, 10);
        log.persist(START, 1);
        store.put(0).fail(new IOException("down"));
        append(log, 1, 20);
        log.persist(START, 2);
        append(log, 1, 30);
        log.persist(SequenceNumber.of(2), 3);
        log.persist(SequenceNumber.of(2), 4);
        long before = harness.inFlight.bytes();
        log.truncate(log.nextSequenceNumber());
        log.reset(START, log.nextSequenceNumber(), 3);
        assertThat(harness.batcher.size()).isEqualTo(1);
        log.reset(START, log.nextSequenceNumber(), 4);

        assertThat(harness.batcher.size()).isZero();
        assertThat(harness.inFlight.bytes()).isEqualTo(before / 3 * 2);
    }

    @Test
    void whatIsTruncatedBeforeItIsStoredIsDeletedWhenItIs() throws Exception {
        log.append(1, new byte[LogHarness.PREEMPTIVE_BYTES]);
        harness.timer.advance(LogHarness.DELAY);
        log.truncate(log.nextSequenceNumber());
        store.succeedAll();

        assertThat(store.objects()).isEmpty();
        assertThat(harness.inFlight.bytes()).isZero();
    }

    @Test
    void confirmedSegmentsAreTheJobManagers() throws Exception {
        append(log, 1, 10);
        harness.persistNow(log, START, 1);
        log.confirm(START, log.nextSequenceNumber(), 1);
        log.truncate(log.nextSequenceNumber());
        log.close();

        assertThat(store.objects()).hasSize(1);
    }

    @Test
    void resetChangesStayStoredAndAreNotSentAgain() throws Exception {
        append(log, 1, 10);
        harness.persistNow(log, START, 1);
        log.reset(START, log.nextSequenceNumber(), 1);

        assertThat(harness.read(harness.persistNow(log, START, 2))).containsExactly("1:[10]");
        assertThat(store.puts()).isEqualTo(1);
    }

    @Test
    void resetEndsAPersistUnderWayAndItsLateUploadPinsNothing() throws Exception {
        append(log, 1, 10);
        CompletableFuture<?> waiting = log.persist(START, 1);
        log.reset(START, log.nextSequenceNumber(), 1);
        assertThat(waiting).isCompletedExceptionally();

        store.succeedAll();
        log.truncate(log.nextSequenceNumber());
        assertThat(store.objects()).isEmpty();
    }

    @Test
    void whatIsTruncatedCannotBePersisted() throws Exception {
        append(log, 1, 10);
        SequenceNumber end = log.nextSequenceNumber();
        log.truncate(end);

        assertThatThrownBy(() -> log.persist(START, 7))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Checkpoint 7")
                .hasMessageContaining("from 0 on")
                .hasMessageContaining("holds 1");
        assertThatThrownBy(() -> log.truncate(SequenceNumber.of(5)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("5");
    }

    @Test
    void aRecordMustEndBeforeTheChangesAreSealed() throws Exception {
        log.beginChange(1).write(1);

        assertThatThrownBy(() -> log.persist(START, 1)).isInstanceOf(IllegalStateException.class);
        log.dropRecord();
        assertThat(log.persist(START, 1)).isCompleted();
    }

    @Test
    void refusesAKeyGroupOfAnotherTask() {
        assertThatThrownBy(() -> log.beginChange(10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("10");
    }

    @Test
    void aboveTheLimitTheTaskIsUnavailableAndNothingBlocks() throws Exception {
        while (harness.inFlight.isAvailable()) {
            log.append(1, new byte[LogHarness.PREEMPTIVE_BYTES]);
        }
        assertThat(harness.inFlight.bytes()).isGreaterThan(LogHarness.IN_FLIGHT_BYTES);
        CompletableFuture<?> available = harness.inFlight.getAvailableFuture();
        CompletableFuture<?> persist = log.persist(START, 1);
        assertThat(available).isNotDone();

        store.succeedAll();

        assertThat(available).isCompleted();
        assertThat(persist).isCompleted();
        assertThat(harness.inFlight.isAvailable()).isTrue();
        assertThat(harness.inFlight.bytes()).isZero();
    }

    @Test
    void writersShareASegment() throws Exception {
        SegmentedChangeLog other = harness.createLog();
        append(log, 1, 10);
        append(other, 2, 20);
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> first =
                log.persist(START, 1);
        assertThat(store.puts()).isZero();
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> second =
                other.persist(START, 1);
        store.succeedAll();

        assertThat(store.objects()).hasSize(1);
        assertThat(harness.read(first)).containsExactly("1:[10]");
        assertThat(harness.read(second)).containsExactly("2:[20]");

        log.reset(START, log.nextSequenceNumber(), 1);
        log.close();
        assertThat(store.objects()).hasSize(1);
        other.reset(START, other.nextSequenceNumber(), 1);
        other.truncate(other.nextSequenceNumber());
        assertThat(store.objects()).hasSize(1);
        other.subsumed(1);
        assertThat(store.objects()).isEmpty();
    }
}
