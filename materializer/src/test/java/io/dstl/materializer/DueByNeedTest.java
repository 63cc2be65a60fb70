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
package io.dstl.materializer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.materializer.MaterializationPolicy.Reason;
import io.dstl.materializer.MaterializationTarget.Flush;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.flink.runtime.state.SnapshotResult;
import org.junit.jupiter.api.Test;

/** What is due by the size of the log, the turns of several tasks, and what is done ahead. */
class DueByNeedTest extends MaterializerFixture {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final MaterializationTurns<String> turns =
            new MaterializationTurns<>(1, PATIENCE, scheduler);

    @Test
    void aLogThatIsTooLargeIsMaterializedAheadOfItsPeriod() {
        startAndMaterialize();
        clock.advanceTime(CHECKPOINTS.multipliedBy(2));
        checkpointed(LARGE);
        run();

        assertThat(target.calls).containsExactly("begin 8", "complete 8", "begin 9", "complete 9");
        assertThat(metrics.count(Reason.PERIOD.metric())).isOne();
        assertThat(metrics.count(Reason.LOG_SIZE.metric())).isOne();
        assertThat(metrics.count(MaterializationMetrics.STARTED)).isEqualTo(2);
        assertThat(scheduler.delays()).as("the period begins anew").containsExactly(INTERVAL);
    }

    @Test
    void aReplayThatTakesTooLongIsAReasonOfItsOwn() {
        startAndMaterialize();
        rate.add(1 << 20, Duration.ofSeconds(20));
        clock.advanceTime(CHECKPOINTS.multipliedBy(2));
        checkpointed(new LogSize(4 << 20, 0, 400 << 20));
        run();

        assertThat(metrics.count(Reason.RECOVERY_TARGET.metric())).isOne();
        assertThat(target.calls).endsWith("begin 9", "complete 9");
    }

    @Test
    void failuresBySizeAreNoMoreFrequentThanThoseByThePeriod() {
        startAndMaterialize();
        for (int i = 0; i < 10; i++) {
            target.planFailedUpload(new IOException("503 Slow Down"));
            clock.advanceTime(CHECKPOINTS.multipliedBy(2));
            checkpointed(LARGE);
            run();
        }
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isOne();
        assertThat(jobFailures).isEmpty();
        assertThat(scheduler.delays()).containsExactly(INTERVAL);
    }

    @Test
    void whatIsDueBeforeTheBaseIsConfirmedBeginsOnceItIs() {
        target.ready = false;
        startAndMaterialize();
        assertThat(target.calls).isEmpty();
        checkpointed(LARGE);
        run();
        assertThat(target.calls).isEmpty();

        target.ready = true;
        checkpointed(LARGE);
        run();
        assertThat(target.calls).containsExactly("begin 8", "complete 8");
        assertThat(scheduler.delays()).containsExactly(INTERVAL);
        checkpointed(LARGE);
        run();
        assertThat(target.calls).as("nothing is deferred any more").hasSize(2);
    }

    @Test
    void aTargetThatIsNotReadyAnyMoreAsItsTurnComesGivesItAway() {
        Materializer ours = inTurn();
        UploadLane.Turn other = claimTurn();
        startAndMaterialize(ours);
        target.ready = false;
        other.end();
        run();
        assertThat(target.calls).isEmpty();
        assertThat(turns.underWay()).isZero();

        target.ready = true;
        ours.checkpointed();
        run();
        assertThat(target.calls).containsExactly("begin 8", "complete 8");
        assertThat(turns.underWay()).isZero();
    }

    @Test
    void beginsWhenItsTurnComesAndKeepsItToTheEnd() {
        UploadLane.Turn other = claimTurn();
        startAndMaterialize(inTurn());
        assertThat(target.calls).isEmpty();

        other.end();
        mailbox.runAll();
        assertThat(target.calls).containsExactly("begin 8");
        assertThat(turns.underWay()).isOne();
        run();
        assertThat(turns.underWay()).isZero();
    }

    @Test
    void aFailureGivesTheTurnAway() {
        target.planFailedUpload(new IOException("503 Slow Down"));
        target.plan(
                () -> {
                    throw new IOException("flush failed");
                });
        target.planNothingToDo();
        inTurn().start();
        for (int i = 0; i < 3; i++) {
            materializeOnce(INTERVAL);
            assertThat(turns.underWay()).isZero();
        }
        full = true;
        materializeOnce(INTERVAL);
        assertThat(turns.underWay()).isZero();
    }

    @Test
    void closingGivesTheTurnAwayWhereverItIs() {
        UploadLane.Turn other = claimTurn();
        Materializer waiting = inTurn();
        startAndMaterialize(waiting);
        waiting.close();
        other.end();
        run();
        assertThat(turns.underWay()).isZero();

        Materializer uploading = inTurn();
        begin(uploading);
        assertThat(turns.underWay()).isOne();
        uploading.close();
        assertThat(turns.underWay()).isZero();

        target.ahead.add(() -> {});
        Materializer ahead = inTurn();
        begin(ahead);
        assertThat(turns.underWay()).isOne();
        ahead.close();
        assertThat(turns.underWay()).isZero();
        assertThat(givenUp).hasSize(2);
        run();
        assertThat(target.calls).containsExactly("begin 8", "cancel 8");
    }

    @Test
    void whatCanBeDoneAheadIsDoneElsewhereAndBeforeTheSynchronousPart() {
        target.ahead.add(
                () -> {
                    target.calls.add("ahead");
                    clock.advanceTime(Duration.ofMillis(700));
                });
        planTaking(Duration.ofMillis(20), Duration.ofMillis(300));
        begin();
        assertThat(target.calls).isEmpty();
        uploads.runNext();
        assertThat(target.calls).containsExactly("ahead");
        run();

        assertThat(target.calls).containsExactly("ahead", "begin 8", "complete 8");
        assertThat(metrics.read(MaterializationMetrics.LAST_SYNC_DURATION)).isEqualTo(20L);
        assertThat(metrics.read(MaterializationMetrics.LAST_DURATION)).isEqualTo(1020L);
    }

    @Test
    void whatTheTaskWritesDuringAFlushIsFlushedTooBeforeTheSynchronousPart() {
        target.ahead.add(() -> target.calls.add("flush"));
        target.ahead.add(() -> target.calls.add("flush again"));
        begin();
        run();

        assertThat(target.calls).containsExactly("flush", "flush again", "begin 8", "complete 8");
        assertThat(metrics.count(MaterializationMetrics.STARTED)).isOne();
    }

    @Test
    void aTaskThatWritesAsFastAsItIsFlushedIsMaterializedAllTheSame() {
        for (int i = 0; i < 5; i++) {
            target.ahead.add(() -> target.calls.add("flush"));
        }
        begin();
        run();
        run();

        assertThat(target.calls)
                .containsExactly("flush", "flush", "flush", "begin 8", "complete 8");
        assertThat(target.flushes).containsExactly(Flush.FIRST, Flush.AGAIN, Flush.LAST);
    }

    /** Nor for the process, which an exception that leaves the thread would end. */
    @Test
    void whatFailsAheadIsOfNoConsequence() {
        target.ahead.add(
                () -> {
                    throw new IllegalStateException("no flush");
                });
        startAndMaterialize();
        run();
        assertThat(target.calls).containsExactly("begin 8", "complete 8");
    }

    /** Its snapshot would hang too, on the task thread. */
    @Test
    void nothingBeginsWhileAFlushHangs() {
        Materializer ours = inTurn();
        ours.start();
        whileItFlushes(
                () -> {
                    scheduler.advance(ALLOWED.minusSeconds(1));
                    assertThat(turns.underWay()).isOne();
                    scheduler.advance(ALLOWED);
                    assertThat(turns.underWay()).as("whatever the task does").isZero();
                    mailbox.runAll();
                    assertThat(givenUp).hasSize(1);
                    ours.checkpointed();
                    mailbox.runAll();
                    assertThat(uploads.size()).as("nor another flush").isZero();
                });
        run();
        assertThat(target.calls).isEmpty();
        assertThat(metrics.count(MaterializationMetrics.STARTED)).isZero();
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isZero();
        assertThat(turns.underWay()).isZero();

        ours.checkpointed();
        run();
        assertThat(target.calls)
                .as("little was written since")
                .containsExactly("begin 8", "complete 8");
    }

    /** Else a store or a disk that is slow for a while would restart the job. */
    @Test
    void flushesThatDoNotEndAreNoFailures() {
        Materializer ours = inTurn();
        ours.start();
        for (int i = 0; i <= MAX_FAILURES; i++) {
            ours.checkpointed();
            whileItFlushes(
                    () -> {
                        scheduler.advance(ALLOWED.multipliedBy(2));
                        mailbox.runAll();
                    });
        }
        assertThat(givenUp).hasSize(MAX_FAILURES + 1);
        assertThat(jobFailures).isEmpty();

        ours.checkpointed();
        run();
        assertThat(target.calls).containsExactly("begin 8", "complete 8");
    }

    /** It may have waited for long, and a snapshot would flush all that was written meanwhile. */
    @Test
    void aTaskThatLostItsTurnFlushesOnceMore() {
        for (int i = 0; i < 4; i++) {
            target.ahead.add(() -> target.calls.add("flush"));
        }
        inTurn().start();
        scheduler.advance(Duration.ZERO);
        for (int i = 0; i < 3; i++) {
            mailbox.runAll();
            uploads.runNext();
        }
        UploadLane.Turn other = turns.of("job", () -> 0);
        other.await(() -> {});
        scheduler.advance(PATIENCE);
        assertThat(other.claim()).isTrue();
        mailbox.runAll();
        other.end();
        target.ahead.add(() -> target.calls.add("one too many"));
        run();

        assertThat(target.calls)
                .containsExactly("flush", "flush", "flush", "flush", "begin 8", "complete 8");
        assertThat(target.flushes.get(3)).as("in its second turn").isEqualTo(Flush.LAST);
    }

    @Test
    void aFlushThatEndsAfterItWasGivenUpBeginsNothing() {
        inTurn().start();
        whileItFlushes(
                () -> {
                    scheduler.advance(ALLOWED.multipliedBy(2));
                    mailbox.runAll();
                });
        run();

        assertThat(target.calls).isEmpty();
        assertThat(turns.underWay()).isZero();
    }

    @Test
    void aFlushThatEndsBeforeTheTaskHearsThatItHangsCounts() {
        inTurn().start();
        whileItFlushes(
                () -> {
                    mailbox.hold();
                    scheduler.advance(ALLOWED.multipliedBy(2));
                });
        mailbox.release();
        run();

        assertThat(givenUp).isEmpty();
        assertThat(target.calls).containsExactly("begin 8", "complete 8");
        assertThat(turns.underWay()).isZero();
    }

    @Test
    void aFlushThatEndsAfterTheTaskHasIsOfNoConsequence() {
        Materializer ours = inTurn();
        ours.start();
        whileItFlushes(ours::close);
        mailbox.runAll();

        assertThat(target.calls).isEmpty();
        assertThat(turns.underWay()).isZero();
        assertThat(scheduler.size()).isZero();
    }

    @Test
    void aTaskThatIsLongAtWorkKeepsNoOtherFromItsTurn() {
        inTurn().start();
        scheduler.advance(Duration.ZERO);
        mailbox.tryYield();
        assertThat(turns.underWay()).as("a mail is on its way").isOne();
        List<String> next = new ArrayList<>();
        UploadLane.Turn other = turns.of("job", () -> 0);
        other.await(() -> next.add("other"));
        scheduler.advance(PATIENCE);
        assertThat(next).containsExactly("other");
        assertThat(other.claim()).isTrue();

        run();
        assertThat(target.calls).as("waits again").isEmpty();
        other.end();
        run();
        assertThat(target.calls).containsExactly("begin 8", "complete 8");
        assertThat(turns.underWay()).isZero();
    }

    @Test
    void neitherDoesOneThatIsLongAtWorkAsItsFlushEnds() {
        inTurn().start();
        List<String> next = new ArrayList<>();
        UploadLane.Turn other = turns.of("job", () -> 0);
        whileItFlushes(() -> other.await(() -> next.add("other")));
        scheduler.advance(PATIENCE.minusMillis(1));
        assertThat(next).isEmpty();
        scheduler.advance(Duration.ofMillis(1));
        assertThat(next).containsExactly("other");
        assertThat(other.claim()).isTrue();

        run();
        assertThat(target.calls).as("waits again").isEmpty();
        other.end();
        run();
        assertThat(target.calls).containsExactly("begin 8", "complete 8");
        assertThat(scheduler.delays()).containsExactly(INTERVAL);
    }

    @Test
    void anUploadThatHasEndedOrHangsGivesItsTurnAwayWithoutTheTask() {
        target.planUpload(
                () -> {
                    assertThat(turns.underWay()).isOne();
                    scheduler.advance(ALLOWED.multipliedBy(2));
                    assertThat(turns.underWay()).isZero();
                    return SnapshotResult.empty();
                });
        begin(inTurn());
        uploads.runNext();
        mailbox.runAll();
        assertThat(target.calls).containsExactly("begin 8", "complete 8");

        scheduler.advance(INTERVAL);
        mailbox.runAll();
        assertThat(turns.underWay()).isOne();
        uploads.runNext();
        assertThat(turns.underWay()).isZero();
    }

    /** In a new attempt, which is due; the flush ends with what happens meanwhile. */
    private void whileItFlushes(Runnable meanwhile) {
        whileItFlushesAfter(Duration.ZERO, meanwhile);
    }

    private void whileItFlushesAfter(Duration time, Runnable meanwhile) {
        target.ahead.add(meanwhile);
        scheduler.advance(time);
        mailbox.runAll();
        uploads.runNext();
    }

    @Test
    void whereThereIsNoRoomAheadNoSnapshotIsTaken() {
        target.ahead.add(() -> {});
        full = true;
        startAndMaterialize();
        assertThat(target.calls).isEmpty();
        assertThat(scheduler.delays()).containsExactly(INTERVAL);
        assertThat(metrics.count(MaterializationMetrics.STARTED)).isZero();
    }

    @Test
    void showsTheLogBesideItsLimitAndTheTimeOfItsReplay() {
        assertThat(metrics.read(MaterializationMetrics.REPLAY_TIME)).isEqualTo(-1L);
        materializer.start();
        checkpointed(new LogSize(3 << 20, 0, 40 << 20));
        assertThat(metrics.read(MaterializationMetrics.LOG_SIZE)).isEqualTo(3L << 20);
        assertThat(metrics.read(MaterializationMetrics.LOG_SIZE_LIMIT)).isEqualTo(10L << 20);

        rate.add(2 << 20, Duration.ofSeconds(1));
        assertThat(metrics.read(MaterializationMetrics.REPLAY_TIME)).isEqualTo(1500L);
    }

    private UploadLane.Turn claimTurn() {
        UploadLane.Turn other = turns.of("job", () -> 0);
        other.await(() -> {});
        assertThat(other.claim()).isTrue();
        return other;
    }

    private Materializer inTurn() {
        UploadLane lane =
                new UploadLane() {
                    @Override
                    public Ticket submit(Runnable upload) {
                        return DueByNeedTest.this.submit(upload);
                    }

                    @Override
                    public Turn turn(LongSupplier urgency) {
                        return turns.of("job", urgency);
                    }
                };
        return materializer(new PeriodicPolicy(INTERVAL, scheduler, () -> 0.0), lane);
    }
}
