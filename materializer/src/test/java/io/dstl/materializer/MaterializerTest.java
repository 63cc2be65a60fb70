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

import io.dstl.materializer.MaterializationPolicy.Reason;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.apache.flink.util.FlinkRuntimeException;
import org.junit.jupiter.api.Test;

class MaterializerTest extends MaterializerFixture {

    @Test
    void beginsAndCompletesOnTheTaskThreadAndUploadsElsewhere() {
        materializer.start();
        scheduler.advance(Duration.ZERO);
        assertThat(target.calls).isEmpty();

        mailbox.runAll();
        assertThat(target.calls).containsExactly("begin 8");
        assertThat(target.begun.get(0).upload().isDone()).isFalse();

        uploads.runAll();
        assertThat(target.calls).containsExactly("begin 8");

        mailbox.runAll();
        assertThat(target.calls).containsExactly("begin 8", "complete 8");
    }

    @Test
    void neverBeginsASecondBeforeTheFirstHasEnded() {
        begin();
        scheduler.advance(INTERVAL.multipliedBy(3));
        mailbox.runAll();
        uploads.runAll();
        scheduler.advance(INTERVAL.multipliedBy(3));
        assertThat(target.calls).containsExactly("begin 8");

        mailbox.runAll();
        scheduler.advance(INTERVAL);
        mailbox.runAll();
        assertThat(target.calls).containsExactly("begin 8", "complete 8", "begin 9");
    }

    @Test
    void ignoresAPolicyThatAsksTwice() {
        List<Consumer<Reason>> due = new ArrayList<>();
        MaterializationPolicy eager =
                new MaterializationPolicy() {
                    @Override
                    public void start(Consumer<Reason> isDue) {
                        due.add(isDue);
                    }

                    @Override
                    public void ended(Outcome outcome, Took took) {}

                    @Override
                    public void close() {}
                };
        Materializer asked = materializer(eager, this::submit);
        asked.start();
        due.get(0).accept(Reason.PERIOD);
        due.get(0).accept(Reason.PERIOD);
        mailbox.runAll();
        due.get(0).accept(Reason.PERIOD);
        mailbox.runAll();

        assertThat(target.calls).containsExactly("begin 8");
        assertThat(uploads.size()).isOne();
    }

    @Test
    void triesAgainAnIntervalLaterWhenThereWasNothingToDo() {
        target.planNothingToDo();
        begin();
        assertThat(scheduler.delays()).containsExactly(INTERVAL);
        assertThat(metrics.count(MaterializationMetrics.STARTED)).isZero();

        materializeOnce(INTERVAL);
        assertThat(target.calls).containsExactly("begin 8", "begin 9", "complete 9");
    }

    @Test
    void aFailedUploadIsToldWithItsCauseAndTriedAgainUnderAnotherId() {
        IOException cause = new IOException("503 Slow Down");
        target.planFailedUpload(cause);
        startAndMaterialize();
        materializeOnce(INTERVAL);

        assertThat(target.calls).containsExactly("begin 8", "fail 8", "begin 9", "complete 9");
        assertThat(target.causes).containsExactly(cause);
        assertThat(jobFailures).isEmpty();
    }

    @Test
    void anErrorInAnUploadIsAFailureToo() {
        Error cause = new NoClassDefFoundError("a plugin's class");
        target.planFailedUpload(cause);
        startAndMaterialize();

        assertThat(target.causes).containsExactly(cause);
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isOne();
        assertThat(scheduler.delays()).containsExactly(INTERVAL);
    }

    @Test
    void anErrorFatalToTheJvmIsToldAndThrownOn() {
        InternalError cause = new InternalError("a fault in unsafe memory access");
        target.planFailedUpload(cause);
        begin();

        assertThatThrownBy(uploads::runAll).isSameAs(cause);
        assertThatThrownBy(mailbox::runAll).isSameAs(cause);
        assertThat(target.calls).containsExactly("begin 8", "fail 8");
    }

    @Test
    void aThrowingBeginIsAFailureOfWhichTheTargetKnows() {
        target.plan(
                () -> {
                    throw new IOException("flush failed");
                });
        startAndMaterialize();
        materializeOnce(INTERVAL);

        assertThat(target.calls).containsExactly("begin 8", "begin 9", "complete 9");
        assertThat(metrics.count(MaterializationMetrics.STARTED)).isEqualTo(2);
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isOne();
    }

    @Test
    void whatFailsAsTheTaskIsCancelledIsNoFailure() {
        target.planFailedUpload(new IOException("registry is already closed"));
        begin();
        materializer.cancelTask();
        uploads.runAll();
        mailbox.runAll();

        assertThat(target.calls).containsExactly("begin 8", "fail 8");
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isZero();
        assertThat(scheduler.delays()).isEmpty();
    }

    @Test
    void nothingBeginsOnceTheTaskIsCancelled() {
        materializer.start();
        scheduler.advance(Duration.ZERO);
        materializer.cancelTask();
        mailbox.runAll();

        assertThat(target.calls).isEmpty();
    }

    @Test
    void anUploadThatCannotEvenStartIsAFailure() {
        Error noThread = new OutOfMemoryError("unable to create native thread");
        Materializer starved =
                materializer(
                        new PeriodicPolicy(INTERVAL, scheduler, () -> 0.0),
                        upload -> {
                            throw noThread;
                        });
        begin(starved);

        assertThat(target.calls).containsExactly("begin 8", "fail 8");
        assertThat(target.causes).containsExactly(noThread);
        assertThat(target.begun.get(0).upload().isCancelled()).isTrue();
        assertThat(scheduler.delays()).containsExactly(INTERVAL);
    }

    /** Its thread has started, and another one that the lane needs has not. */
    @Test
    void anUploadThatStartsAlthoughTheLaneFailsSaysNothingOfTheNextOne() {
        Queue<Error> failures = new ArrayDeque<>(List.of(new OutOfMemoryError("no thread")));
        Materializer starved =
                materializer(
                        new PeriodicPolicy(INTERVAL, scheduler, () -> 0.0),
                        upload -> {
                            uploads.execute(upload);
                            if (!failures.isEmpty()) {
                                throw failures.remove();
                            }
                            return () -> {};
                        });
        begin(starved);
        scheduler.advance(INTERVAL);
        mailbox.runAll();
        uploads.runNext();
        mailbox.runAll();
        assertThat(target.calls).containsExactly("begin 8", "fail 8", "begin 9");

        uploads.runNext();
        mailbox.runAll();
        assertThat(target.calls).endsWith("complete 9");
    }

    @Test
    void anUploadThatHasEndedAlthoughTheLaneFailsIsTaken() {
        Materializer starved =
                materializer(
                        new PeriodicPolicy(INTERVAL, scheduler, () -> 0.0),
                        upload -> {
                            upload.run();
                            throw new OutOfMemoryError("no thread");
                        });
        begin(starved);
        assertThat(target.calls).containsExactly("begin 8", "complete 8");
    }

    @Test
    void anUploadThatFindsNoRoomIsNoFailureAndTriedAgain() {
        full = true;
        materializer.start();
        scheduler.advance(Duration.ZERO);
        for (int i = 0; i <= MAX_FAILURES; i++) {
            mailbox.runAll();
            scheduler.advance(INTERVAL);
        }
        assertThat(target.calls)
                .containsExactly("begin 8", "fail 8", "begin 9", "fail 9", "begin 10", "fail 10");
        assertThat(target.begun).allMatch(begun -> begun.upload().isCancelled());
        assertThat(jobFailures).isEmpty();
        assertThat(metrics.count(MaterializationMetrics.STARTED)).isZero();
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isZero();

        full = false;
        materializeOnce(Duration.ZERO);
        assertThat(target.calls).endsWith("begin 11", "complete 11");
    }

    @Test
    void findingNoRoomDoesNotEndAStreakOfFailures() {
        materializer.start();
        failTimes(MAX_FAILURES, new IOException("403 Forbidden"));
        full = true;
        materializeOnce(INTERVAL);
        full = false;
        failTimes(1, new IOException("403 Forbidden"));

        assertThat(jobFailures).hasSize(1);
    }

    /** A restart would read the whole state from the store that throttles. */
    @Test
    void doesNotCountWhatTheStoreThrottles() {
        materializer.start();
        failTimes(MAX_FAILURES, new IOException("403 Forbidden"));
        target.throttled = true;
        failTimes(3 * MAX_FAILURES, new IOException("503 Slow Down"));
        assertThat(jobFailures).isEmpty();
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isEqualTo(4 * MAX_FAILURES);

        target.throttled = false;
        failTimes(1, new IOException("403 Forbidden"));
        assertThat(jobFailures).hasSize(1);
    }

    @Test
    void failsTheJobPastTheLimitWithTheKeyItsValueAndTheCause() {
        IOException cause = new IOException("403 Forbidden");
        materializer.start();
        failTimes(MAX_FAILURES, cause);
        assertThat(jobFailures).isEmpty();
        assertThat(scheduler.delays()).containsExactly(INTERVAL);

        failTimes(1, cause);
        assertThat(jobFailures).hasSize(1);
        assertThat(jobFailures.get(0))
                .hasMessageContaining("flights (2/4)#0")
                .hasMessageContaining("3 materializations")
                .hasMessageContaining("state.changelog.max-failures-allowed allows 2")
                .hasCause(cause);
        assertThat(scheduler.delays()).isEmpty();
    }

    /** The checkpoint timeout and the failures that are tolerated bound an outage. */
    @Test
    void countsOneFailureOfAnOutage() {
        materializer.start();
        failTimes(MAX_FAILURES, new IOException("down"));
        for (int i = 0; i < 5; i++) {
            target.planFailedUpload(new IOException("down"));
            materializeOnce(INTERVAL);
        }
        assertThat(jobFailures).isEmpty();

        failTimes(1, new IOException("403 Forbidden"));
        assertThat(jobFailures).hasSize(1);
    }

    @Test
    void countsOnlyFailuresInARow() {
        materializer.start();
        for (int round = 0; round < 3; round++) {
            failTimes(MAX_FAILURES, new IOException("503 Slow Down"));
            materializeOnce(INTERVAL);
        }

        assertThat(jobFailures).isEmpty();
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isEqualTo(3 * MAX_FAILURES);
        assertThat(metrics.count(MaterializationMetrics.COMPLETED)).isEqualTo(3);
    }

    @Test
    void havingNothingToDoDoesNotEndAStreakOfFailures() {
        materializer.start();
        failTimes(MAX_FAILURES, new IOException("403 Forbidden"));
        target.planNothingToDo();
        materializeOnce(INTERVAL);
        failTimes(1, new IOException("403 Forbidden"));

        assertThat(jobFailures).hasSize(1);
    }

    @Test
    void aResultThatTheTargetRefusesIsDiscardedAndAFailure() {
        IllegalStateException refusal = new IllegalStateException("the log is behind");
        TrackedHandle handle = planTrackedUpload();
        target.failNextCompletion(refusal);
        startAndMaterialize();
        deletions.runAll();

        assertThat(target.calls).containsExactly("begin 8", "complete 8", "fail 8");
        assertThat(target.causes).containsExactly(refusal);
        assertThat(handle.discards).isOne();
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isOne();
    }

    @Test
    void measuresTheWholeOfTheLastMaterialization() {
        assertThat(metrics.read(MaterializationMetrics.LAST_DURATION)).isEqualTo(-1L);
        planTaking(Duration.ofMillis(20), Duration.ofMillis(300));
        startAndMaterialize();

        assertThat(metrics.read(MaterializationMetrics.LAST_DURATION)).isEqualTo(320L);
        assertThat(metrics.count(MaterializationMetrics.STARTED)).isOne();
        assertThat(metrics.count(MaterializationMetrics.COMPLETED)).isOne();
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isZero();
    }

    @Test
    void closingBeforeTheFirstLeavesNothingPlanned() {
        materializer.start();
        materializer.close();
        materializer.close();
        scheduler.advance(INTERVAL);

        assertThat(mailbox.size()).isZero();
        assertThat(target.calls).isEmpty();
        assertThatThrownBy(materializer::start).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingWithABeginInTheMailboxBeginsNothing() {
        materializer.start();
        scheduler.advance(Duration.ZERO);
        materializer.close();
        mailbox.runAll();

        assertThat(target.calls).isEmpty();
    }

    @Test
    void closingDuringAnUploadCancelsIt() {
        begin();
        materializer.close();
        materializer.close();
        uploads.runAll();

        assertThat(target.begun.get(0).upload().isCancelled()).isTrue();
        assertThat(target.calls).containsExactly("begin 8", "cancel 8");
        assertThat(mailbox.size()).isZero();
        assertThat(jobFailures).isEmpty();
    }

    @Test
    void closingLeavesNothingPlannedIfTheTargetFailsToForget() {
        target.cancelFailure = Optional.of(new FlinkRuntimeException("aborted twice"));
        begin();
        assertThatThrownBy(materializer::close).isSameAs(target.cancelFailure.get());
        uploads.runAll();

        assertThat(scheduler.size()).isZero();
        assertThat(target.begun.get(0).upload().isCancelled()).isTrue();
    }

    @Test
    void closingAfterAnUploadDiscardsTheResultThatNobodyTakes() {
        TrackedHandle handle = planTrackedUpload();
        begin();
        uploads.runAll();
        materializer.close();
        mailbox.runAll();
        deletions.runAll();

        assertThat(target.calls).containsExactly("begin 8", "cancel 8");
        assertThat(handle.discards).isOne();
    }

    @Test
    void closingAfterTheMailboxDiscardsTheResultToo() {
        TrackedHandle handle = planTrackedUpload();
        begin();
        mailbox.close();
        uploads.runAll();
        materializer.close();
        deletions.runAll();

        assertThat(target.calls).containsExactly("begin 8", "cancel 8");
        assertThat(handle.discards).isOne();
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isZero();
    }

    @Test
    void closingAfterAFailedUploadTellsTheTargetThatItIsCancelled() {
        target.planFailedUpload(new IOException("connection reset"));
        begin();
        uploads.runAll();
        materializer.close();
        mailbox.runAll();

        assertThat(target.calls).containsExactly("begin 8", "cancel 8");
        assertThat(jobFailures).isEmpty();
    }

    @Test
    void closingAfterACompletionCancelsNothing() {
        startAndMaterialize();
        materializer.close();
        scheduler.advance(INTERVAL);
        mailbox.runAll();

        assertThat(target.calls).containsExactly("begin 8", "complete 8");
    }

    @Test
    void aMailboxThatTakesNothingAnyMoreIsNoFailure() {
        materializer.start();
        mailbox.close();
        scheduler.advance(Duration.ZERO);

        assertThat(target.calls).isEmpty();
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isZero();
        assertThat(jobFailures).isEmpty();
    }

    @Test
    void anUploadThatIsRejectedAsTheTaskEndsIsNoFailure() {
        materializer.start();
        uploads.shutDown();
        scheduler.advance(Duration.ZERO);
        mailbox.runAll();
        materializer.close();

        assertThat(target.calls).containsExactly("begin 8", "cancel 8");
        assertThat(target.begun.get(0).upload().isCancelled()).isTrue();
        assertThat(metrics.count(MaterializationMetrics.FAILED)).isZero();
    }

    @Test
    void anUploadCancelledByAnotherIsAFailure() {
        begin();
        target.begun.get(0).upload().cancel(true);
        uploads.runAll();
        mailbox.runAll();

        assertThat(target.calls).containsExactly("begin 8", "fail 8");
        assertThat(target.causes.get(0)).isInstanceOf(CancellationException.class);
    }

    private void failTimes(int times, Throwable cause) {
        for (int i = 0; i < times; i++) {
            materializer.checkpointed();
            target.planFailedUpload(cause);
            materializeOnce(INTERVAL);
        }
    }
}
