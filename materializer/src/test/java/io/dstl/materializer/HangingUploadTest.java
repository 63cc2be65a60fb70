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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.apache.flink.runtime.state.SnapshotResult;
import org.junit.jupiter.api.Test;

/** Uploads that hang, and the log that is written once one has ended. */
class HangingUploadTest extends MaterializerFixture {

    private Runnable running = () -> {};
    private TrackedHandle late;

    @Test
    void anUploadThatHangsIsGivenUpWithTheTaskTheTimeAndWhatToLookAt() {
        scheduleUploads();
        whileItRuns(() -> scheduler.advance(ALLOWED.multipliedBy(2)));
        assertThat(target.calls).containsExactly("begin 8", "fail 8");
        assertThat(givenUp).hasSize(1);
        assertThat(target.causes.get(0))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("materialization 8")
                .hasMessageContaining("flights (2/4)#0")
                .hasMessageContaining("for 180 s")
                .hasMessageContaining("execution.checkpointing.dir")
                .hasMessageContaining("threads named dstl-materialization");
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isOne();

        materializeOnce(INTERVAL);
        assertThat(target.calls).containsExactly("begin 8", "fail 8", "begin 9", "complete 9");
    }

    /** Of its thread's handler, which ends the process: else the task would wait for the mail. */
    @Test
    void theErrorOfAMailThatThereIsNoMemoryForLeavesTheThread() {
        begin();
        Error noMemory = new OutOfMemoryError("Java heap space");
        mailbox.failNext(noMemory);

        assertThatThrownBy(uploads::runNext).isSameAs(noMemory);
    }

    @Test
    void whatAnUploadMakesAfterItWasGivenUpIsDiscardedOnce() {
        TrackedHandle handle = new TrackedHandle();
        late = handle;
        scheduleUploads();
        whileItRuns(() -> scheduler.advance(ALLOWED.multipliedBy(2)));
        assertThat(handle.discards).as("by its own thread, which is interrupted").isZero();
        mailbox.runAll();
        materializer.close();
        deletions.runAll();

        assertThat(handle.discards).isOne();
        assertThat(target.calls).containsExactly("begin 8", "fail 8");
    }

    @Test
    void anUploadThatGetsAnywhereMayTakeAnyTime() {
        scheduleUploads();
        whileItRuns(
                () -> {
                    for (int i = 0; i < 50; i++) {
                        scheduler.advance(ALLOWED.minusSeconds(1));
                        target.steps.incrementAndGet();
                    }
                });
        mailbox.runAll();

        assertThat(target.calls).containsExactly("begin 8", "complete 8");
        assertThat(givenUp).isEmpty();
    }

    @Test
    void anUploadThatCannotTellOfItsProgressHasItsPatienceAsWell() {
        target.patience = ALLOWED.multipliedBy(10);
        scheduleUploads();
        whileItRuns(() -> scheduler.advance(ALLOWED.multipliedBy(11)));
        mailbox.runAll();

        assertThat(target.calls).containsExactly("begin 8", "complete 8");
        assertThat(givenUp).isEmpty();
    }

    @Test
    void anUploadThatHangsForLongerThanItsPatienceIsGivenUp() {
        target.patience = ALLOWED.multipliedBy(10);
        scheduleUploads();
        whileItRuns(() -> scheduler.advance(ALLOWED.multipliedBy(12)));

        assertThat(target.calls).containsExactly("begin 8", "fail 8");
        assertThat(givenUp).hasSize(1);
    }

    /** It would hang on the task thread. */
    @Test
    void aSnapshotThatWouldStallIsPutOffToTheNextCheckpoint() {
        target.stalls = true;
        begin();
        assertThat(target.calls).isEmpty();
        assertThat(metrics.count(MaterializationMetrics.STARTED)).isZero();

        target.stalls = false;
        materializer.checkpointed();
        mailbox.runAll();
        uploads.runAll();
        mailbox.runAll();
        assertThat(target.calls).containsExactly("begin 8", "complete 8");
    }

    /** Else an idle task would look as if it had never kept its thread. */
    @Test
    void theLastSynchronousPartIsThatOfTheLastOneThatStarted() {
        target.plan(
                () -> {
                    clock.advanceTime(Duration.ofMillis(80));
                    return Optional.of(SnapshotResult::empty);
                });
        begin();
        uploads.runAll();
        mailbox.runAll();
        target.planNothingToDo();
        materializeOnce(INTERVAL);

        assertThat(target.calls).endsWith("complete 8", "begin 9");
        assertThat(metrics.read(MaterializationMetrics.LAST_SYNC_DURATION)).isEqualTo(80L);
    }

    @Test
    void anUploadThatWaitsForAThreadDoesNotHang() {
        begin();
        scheduler.advance(ALLOWED.multipliedBy(20));
        mailbox.runAll();
        uploads.runAll();
        mailbox.runAll();

        assertThat(target.calls).containsExactly("begin 8", "complete 8");
    }

    @Test
    void anUploadThatEndsBeforeItIsGivenUpCounts() {
        TrackedHandle handle = new TrackedHandle();
        late = handle;
        scheduleUploads();
        whileItRuns(
                () -> {
                    mailbox.hold();
                    scheduler.advance(ALLOWED.multipliedBy(2));
                });
        mailbox.release();
        mailbox.runAll();

        assertThat(target.calls).containsExactly("begin 8", "complete 8");
        assertThat(handle.discards).isZero();
        assertThat(givenUp).isEmpty();
    }

    @Test
    void anUploadThatMovesAgainBeforeTheTaskHearsThatItHangsGoesOn() {
        scheduleUploads();
        whileItRuns(
                () -> {
                    mailbox.hold();
                    scheduler.advance(ALLOWED.multipliedBy(2));
                    target.steps.incrementAndGet();
                    mailbox.release();
                });
        mailbox.runAll();

        assertThat(target.calls).containsExactly("begin 8", "complete 8");
        assertThat(givenUp).isEmpty();
    }

    @Test
    void anUploadThatHangsAgainIsGivenUpAgain() {
        scheduleUploads();
        whileItRuns(
                () -> {
                    mailbox.hold();
                    scheduler.advance(ALLOWED.multipliedBy(2));
                    target.steps.incrementAndGet();
                    mailbox.release();
                    mailbox.runAll();
                    scheduler.advance(ALLOWED.multipliedBy(2));
                });

        assertThat(target.calls).containsExactly("begin 8", "fail 8");
        assertThat(givenUp).hasSize(1);
    }

    @Test
    void noTimerIsLeftOfAnUploadThatHasEnded() {
        startAndMaterialize();
        assertThat(scheduler.delays()).containsExactly(INTERVAL);

        scheduler.advance(INTERVAL);
        mailbox.runAll();
        materializer.close();
        assertThat(scheduler.size()).isZero();
        assertThat(givenUp).as("it had not begun").hasSize(1);
    }

    @Test
    void theLogIsWrittenInPartsEachWithAMailOfItsOwn() {
        CompletableFuture<Void> room = new CompletableFuture<>();
        target.partsOfTheLog.add(CompletableFuture.completedFuture(null));
        target.partsOfTheLog.add(room);
        begin();
        uploads.runAll();

        assertThat(mailbox.tryYield()).isTrue();
        assertThat(target.calls).containsExactly("begin 8", "log 8");
        mailbox.runAll();
        assertThat(target.calls).as("waits for room").containsExactly("begin 8", "log 8", "log 8");

        room.complete(null);
        assertThat(target.calls).hasSize(3);
        mailbox.runAll();
        assertThat(target.calls).containsExactly("begin 8", "log 8", "log 8", "complete 8");
    }

    @Test
    void aResultWhoseLogCannotBeWrittenIsDiscarded() {
        TrackedHandle handle = planTrackedUpload();
        target.failTheLog(new IOException("a serializer's"));
        startAndMaterialize();
        deletions.runAll();

        assertThat(target.calls).containsExactly("begin 8", "fail 8");
        assertThat(handle.discards).isOne();
    }

    @Test
    void closingBetweenTwoPartsOfTheLogDiscardsTheResult() {
        TrackedHandle handle = planTrackedUpload();
        CompletableFuture<Void> room = new CompletableFuture<>();
        target.partsOfTheLog.add(room);
        startAndMaterialize();
        materializer.cancelTask();
        room.complete(null);
        mailbox.runAll();
        materializer.close();
        deletions.runAll();

        assertThat(target.calls).containsExactly("begin 8", "log 8", "cancel 8");
        assertThat(handle.discards).isOne();
    }

    /** As {@link #begin()}, for uploads that a test looks into. */
    private void scheduleUploads() {
        target.planUpload(
                () -> {
                    running.run();
                    return late == null ? SnapshotResult.empty() : SnapshotResult.of(late);
                });
        begin();
    }

    /** What happens while the upload runs, mails included. */
    private void whileItRuns(Runnable meanwhile) {
        running =
                () -> {
                    meanwhile.run();
                    mailbox.runAll();
                };
        uploads.runNext();
    }
}
