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
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.backup.LogBackup;
import io.dstl.fs.log.InFlightLimit.WaitListener;
import io.dstl.fs.testing.LogHarness;
import io.dstl.store.RefusedException;
import io.dstl.store.testing.ScriptedStore;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A task that goes on to write while the store takes nothing: the timers of a watermark, say. The
 * timer stands still, so no batch is flushed because its delay is over.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HardLimitTest {

    private static final int SOFT = 3 * LogHarness.PREEMPTIVE_BYTES;
    private static final int HARD = 6 * LogHarness.PREEMPTIVE_BYTES;

    /** The most that one holds. */
    private static final int SET = LogHarness.PREEMPTIVE_BYTES + 250;

    private final ScriptedStore store = new ScriptedStore();
    private final LogHarness harness =
            new LogHarness(
                    store,
                    new ManualTimer(),
                    watch -> new InFlightLimit(SOFT, HARD, watch::changed));
    private final List<String> waits = Collections.synchronizedList(new ArrayList<>());
    private final SegmentedChangeLog log =
            harness.createLog(
                    LogBackup.NONE,
                    new WaitListener() {
                        @Override
                        public void begins() {
                            waits.add("begins");
                        }

                        @Override
                        public void ends() {
                            waits.add("ends");
                        }
                    });
    private final List<Thread> tasks = new ArrayList<>();

    @AfterEach
    void endTasks() throws InterruptedException {
        for (Thread task : tasks) {
            task.interrupt();
            task.join();
        }
    }

    @Test
    void aBurstHoldsNoMoreThanTheLimitAndLosesNothing() throws Exception {
        FutureTask<Void> burst = task(() -> writeSets(log, 100));
        long most = 0;
        for (int put = 0; waitsOrEnds(burst); put++) {
            most = Math.max(most, harness.inFlight.bytes());
            store.put(put).succeed();
        }
        burst.get();
        ChangelogStateHandleStreamImpl handle = harness.persistNow(log, START, 1);

        assertThat(most).isGreaterThan(HARD).isLessThanOrEqualTo(HARD + SET);
        assertThat(harness.read(handle)).hasSize(100);
        assertThat(harness.inFlight.bytes()).isZero();
        assertThat(waits).startsWith("begins", "ends", "begins").endsWith("ends");
    }

    /** The sets are gathered with others for ten milliseconds, or for days. */
    @Test
    void whatIsGatheredIsSentBeforeATaskWaitsForIt() throws Exception {
        FutureTask<Void> burst = task(() -> writeSets(log, 100));

        assertThat(waitsOrEnds(burst)).isTrue();
        assertThat(harness.batcher.size()).isZero();
        assertThat(store.puts()).isPositive();
    }

    @Test
    void aRecordLargerThanTheLimitPasses() throws Exception {
        FutureTask<Void> large =
                task(
                        () -> {
                            log.append(1, new byte[2 * HARD]);
                            log.append(1, new byte[2 * HARD]);
                        });
        for (int put = 0; waitsOrEnds(large); put++) {
            store.put(put).succeed();
        }

        large.get();
        assertThat(store.objects()).hasSize(2);
    }

    /** A task that took no records would get no aligned barrier, and no checkpoint the cause. */
    @Test
    void tasksTakeRecordsAboveTheSoftLimitWhileTheStoreRefusesAllFromTheStart() throws Exception {
        writeSets(log, 4);
        CompletableFuture<?> available = harness.inFlight.getAvailableFuture();
        assertThat(available).isNotDone();

        store.put(0).fail(new IOException(new RefusedException("403", "AccessDenied")));

        assertThat(available).isCompleted();
        CompletableFuture<?> persist = log.persist(START, 1);
        while (!persist.isDone()) {
            harness.timer.advance(LogHarness.RESEND_PAUSE);
            store.put(store.puts() - 1)
                    .fail(new IOException(new RefusedException("403", "AccessDenied")));
        }
        assertThatThrownBy(persist::get).hasRootCauseInstanceOf(RefusedException.class);
    }

    @Test
    void aTaskAboveTheHardLimitFailsIfTheStoreRefusesAllFromTheStart() throws Exception {
        FutureTask<Void> burst = task(() -> writeSets(log, 100));
        assertThat(waitsOrEnds(burst)).isTrue();

        store.put(0).fail(new IOException(new RefusedException("403", "AccessDenied")));

        assertThatThrownBy(burst::get)
                .hasMessageContaining("A change can't be kept until it is stored: The store")
                .hasRootCauseInstanceOf(RefusedException.class);
    }

    @Test
    void aTaskThatHoldsAllKeepsNobodyFromTheNextChangeSet() throws Exception {
        SegmentedChangeLog other = harness.createLog();
        assertThat(waitsOrEnds(task(() -> writeSets(log, 100)))).isTrue();

        other.append(1, new byte[10]);
        CompletableFuture<?> persist = other.persist(START, 1);

        assertThat(persist).isNotDone();
        assertThat(harness.inFlight.waiting()).isEqualTo(1);
    }

    /** What a barrier asks for goes out at once; only the next change waits. */
    @Test
    void aPersistDoesNotWait() throws Exception {
        for (int set = 0; !harness.inFlight.isFull(); set++) {
            log.append(1, new byte[10]);
            log.persist(START, set);
        }
        assertThat(harness.inFlight.waiting()).isZero();

        assertThat(waitsOrEnds(task(() -> log.append(1, new byte[10])))).isTrue();
    }

    @Test
    void goesOnWhenWhatHasFailedIsStoredAtTheNextAttempt() throws Exception {
        FutureTask<Void> burst = task(() -> writeSets(log, 8));
        assertThat(waitsOrEnds(burst)).isTrue();
        int failed = store.puts();
        for (int put = 0; put < failed; put++) {
            store.put(put).fail(new IOException("down"));
        }
        assertThat(harness.inFlight.waiting()).isEqualTo(1);

        harness.timer.advance(LogHarness.RESEND_PAUSE);
        assertThat(store.puts()).isGreaterThan(failed);
        for (int put = failed; waitsOrEnds(burst); put++) {
            store.put(put).succeed();
        }
        burst.get();
    }

    @Test
    void anInterruptEndsTheWait() throws Exception {
        FutureTask<Void> burst =
                task(
                        () -> {
                            try {
                                writeSets(log, 100);
                            } catch (InterruptedIOException e) {
                                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                                waits.add("interrupted");
                            }
                        });
        assertThat(waitsOrEnds(burst)).isTrue();
        tasks.get(0).interrupt();
        burst.get();

        assertThat(waits).containsExactly("begins", "ends", "interrupted");
    }

    @Test
    void aCancelledTaskWaitsNoMore() throws Exception {
        assertCancels(log::endWaits);
    }

    /** As Flink's own backend does it, and a job that leaves the TaskManager. */
    @Test
    void aLogThatAnotherThreadClosesWaitsNoMore() throws Exception {
        assertCancels(log::close);
    }

    private void assertCancels(Runnable cancellation) throws Exception {
        FutureTask<Void> burst =
                task(
                        () -> {
                            try {
                                writeSets(log, 100);
                            } catch (CancelTaskException e) {
                                waits.add("cancelled");
                            }
                        });
        assertThat(waitsOrEnds(burst)).isTrue();
        cancellation.run();
        burst.get();

        assertThat(waits).containsExactly("begins", "ends", "cancelled");
    }

    private static void writeSets(SegmentedChangeLog log, int sets) throws IOException {
        for (int set = 0; set < sets; set++) {
            log.append(1, new byte[LogHarness.PREEMPTIVE_BYTES]);
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private FutureTask<Void> task(Work work) {
        FutureTask<Void> task =
                new FutureTask<>(
                        () -> {
                            work.run();
                            return null;
                        });
        Thread thread = new Thread(task);
        tasks.add(thread);
        thread.start();
        return task;
    }

    /**
     * True when it waits, false when it has ended: one of which it comes to. It is in its wait and
     * stays there as the limit is exceeded first and somebody waits after that: only the test's
     * thread frees memory, and who was about to leave the wait would have had to take some.
     */
    private boolean waitsOrEnds(FutureTask<?> task) {
        while (!task.isDone()) {
            if (harness.inFlight.isFull() && harness.inFlight.waiting() > 0) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }
}
