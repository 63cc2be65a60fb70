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

import io.dstl.fs.batch.StoreWatch.Pressure;
import io.dstl.fs.testing.LogHarness;
import io.dstl.fs.testing.MemoryBackup;
import io.dstl.fs.testing.UntraceableException;
import io.dstl.registry.WriterId;
import io.dstl.store.testing.ScriptedStore;
import io.dstl.store.testing.UnshowableException;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.function.ObjLongConsumer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.junit.jupiter.api.Test;

/** An error in what should not fail, the log's own accounting included, leaves nobody waiting. */
class LogFaultTest {

    private final ScriptedStore store = new ScriptedStore();

    @Test
    void aFailureThatCannotBeShownIsWaitedOutLikeAnyOther() throws Exception {
        LogHarness harness = new LogHarness(store);
        SegmentedChangeLog log = harness.createLog();
        append(log, 1, 10);
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist =
                log.persist(START, 1);
        UnshowableException.fail(store.put(0));
        assertThat(persist).isNotDone();

        harness.timer.advance(LogHarness.RESEND_PAUSE.plus(LogHarness.DELAY));
        store.succeedAll();

        assertThat(persist).isCompleted();
        assertThat(harness.read(persist)).containsExactly("1:[10]");
        assertThat(harness.inFlight.bytes()).isZero();
    }

    @Test
    void anErrorInTakingAFailureFailsThePersistAndTheNextOneSendsAgain() throws Exception {
        LogHarness harness = new LogHarness(store);
        SegmentedChangeLog log = harness.createLog();
        append(log, 1, 10);
        CompletableFuture<?> first = log.persist(START, 1);
        store.put(0).fail(new UntraceableException("503"));
        assertThat(first).isCompletedExceptionally();
        assertThatThrownBy(first::get).hasRootCauseMessage("no cause");

        CompletableFuture<?> second = log.persist(START, 2);
        store.succeedAll();

        assertThat(second).isCompleted();
        assertThat(harness.inFlight.bytes()).isZero();
        assertThat(harness.inFlight.keptBytes()).isZero();
    }

    @Test
    void anErrorInTakingAFailureKeepsNoMemoryOfAClosedLog() throws Exception {
        LogHarness harness = new LogHarness(store);
        SegmentedChangeLog log = harness.createLog();
        append(log, 1, 10);
        log.persist(START, 1);
        log.close();
        store.put(0).fail(new UntraceableException("503"));

        assertThat(harness.inFlight.bytes()).isZero();
        assertThat(harness.inFlight.keptBytes()).isZero();
    }

    /** As of PyFlink, whose states are used beside the task thread. */
    @Test
    void aChangeOfAnotherThreadIsRefusedAndLeavesTheOpenOneAsItIs() throws Exception {
        LogHarness harness = new LogHarness(store);
        SegmentedChangeLog log = harness.createLog();
        DataOutputView record = log.beginChange(1);
        FutureTask<Void> other =
                new FutureTask<>(
                        () -> {
                            try {
                                append(log, 1, 20);
                            } finally {
                                log.dropRecord();
                            }
                            return null;
                        });
        Thread second = new Thread(other, "state service");
        second.start();

        assertThatThrownBy(other::get)
                .rootCause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Thread state service changes state while thread ")
                .hasMessageContaining(Thread.currentThread().getName())
                .hasMessageContaining("python.execution-mode: thread");
        record.write(10);
        log.endRecord();
        assertThat(harness.read(harness.persistNow(log, START, 1))).containsExactly("1:[10]");
        second.join();
    }

    /** Else the change sets of all writers, its own included, would wait for the delay. */
    @Test
    void aPersistThatThrowsHasReachedItsCheckpointAllTheSame() throws Exception {
        LogHarness harness =
                harness(
                        (pressure, bytes) -> {
                            throw new IllegalStateException("broken");
                        });
        SegmentedChangeLog log = harness.createLog();
        append(log, 1, 10);
        assertThatThrownBy(() -> log.persist(START, 1)).hasMessage("broken");

        assertThat(harness.batcher.size()).isZero();
        assertThat(store.puts()).isEqualTo(1);
    }

    /** Else the log may wait for ever for what nobody does, and keep its memory. */
    @Test
    void anErrorInTheMiddleOfAPersistEndsTheProcess() throws Exception {
        Error noMemory = new OutOfMemoryError("Java heap space");
        LogHarness harness =
                harness(
                        (pressure, bytes) -> {
                            throw noMemory;
                        });
        SegmentedChangeLog log = harness.createLog();
        append(log, 1, 10);

        assertThatThrownBy(() -> log.persist(START, 1)).isSameAs(noMemory);
        assertThat(harness.fatal).containsExactly(noMemory);
    }

    /** The thread of the request would only log it. */
    @Test
    void anErrorInTakingAnOutcomeEndsTheProcess() throws Exception {
        Error noMemory = new OutOfMemoryError("Java heap space");
        LogHarness harness =
                harness(
                        (pressure, bytes) -> {
                            if (pressure == Pressure.NONE) {
                                throw noMemory;
                            }
                        });
        SegmentedChangeLog log = harness.createLog();
        append(log, 1, 10);
        log.persist(START, 1);
        assertThat(harness.fatal).isEmpty();

        store.succeedAll();
        assertThat(harness.fatal).containsExactly(noMemory);
    }

    /** The first thread of the timer, when all tasks have just begun. */
    @Test
    void aTimerWithoutAThreadEndsNoProcess() throws Exception {
        ManualTimer timer = new ManualTimer();
        LogHarness harness =
                new LogHarness(
                        store, timer, watch -> new InFlightLimit(0, Long.MAX_VALUE, (p, b) -> {}));
        SegmentedChangeLog log = harness.createLog();
        append(log, 1, 10);
        CompletableFuture<?> first = log.persist(START, 1);
        timer.failNext(new OutOfMemoryError("unable to create native thread"));
        store.put(0).fail(new IOException("503"));
        assertThat(harness.fatal).isEmpty();

        CompletableFuture<?> second = log.persist(START, 2);
        store.succeedAll();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(harness.inFlight.bytes()).isZero();
    }

    /** A store may lack a class of its own: no reason to end the jobs of others. */
    @Test
    void anErrorOfTheStoreEndsNoProcess() throws Exception {
        LogHarness harness = new LogHarness(store);
        SegmentedChangeLog log = harness.createLog();
        append(log, 1, 10);
        CompletableFuture<?> persist = log.persist(START, 1);
        store.put(0).fail(new IOException(new NoClassDefFoundError("Snappy")));

        assertThat(persist).isCompletedExceptionally();
        assertThat(harness.fatal).isEmpty();
    }

    @Test
    void closingTakesEachStepThoughTheFirstThrows() throws Exception {
        LogHarness harness =
                harness(
                        (pressure, bytes) -> {
                            if (pressure == Pressure.NONE) {
                                throw new IllegalStateException("broken");
                            }
                        });
        MemoryBackup backup = new MemoryBackup();
        SegmentedChangeLog log = harness.createLog(backup);
        append(log, 1, 10);
        log.persist(START, 1);
        store.put(0).fail(new IOException("down"));
        assertThatThrownBy(log::close).hasMessage("broken");

        assertThat(backup.isClosed()).isTrue();
        assertThatThrownBy(() -> harness.registry.restored(new WriterId("writer-1"), 1))
                .hasMessageContaining("not open");
        SegmentedChangeLog other = harness.createLog();
        append(other, 1, 20);
        other.persist(START, 2);
        assertThat(store.puts()).as("waits for no closed log").isEqualTo(2);
    }

    /** Whose limit is exceeded by the first change set. */
    private LogHarness harness(ObjLongConsumer<Pressure> listener) {
        return new LogHarness(
                store, new ManualTimer(), watch -> new InFlightLimit(0, Long.MAX_VALUE, listener));
    }
}
