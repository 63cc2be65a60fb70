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
import io.dstl.store.testing.ScriptedStore;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.junit.jupiter.api.Test;

/** What closing a log ends, and what it gives back. */
class ClosedLogTest {

    private final ScriptedStore store = new ScriptedStore();
    private final LogHarness harness = new LogHarness(store);
    private final SegmentedChangeLog log = harness.createLog();

    /** In stock, an append after close is dropped with a warning. */
    @Test
    void everyCallAfterCloseThrows() throws Exception {
        append(log, 1, 10);
        log.close();
        log.close();

        List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
                        () -> append(log, 1, 20),
                        () -> log.appendMeta(new byte[1]),
                        log::beginMetadata,
                        log::nextSequenceNumber,
                        () -> log.persist(START, 1),
                        () -> log.truncate(START),
                        () -> log.confirm(START, START, 1),
                        () -> log.reset(START, START, 1))
                .forEach(
                        call -> assertThatThrownBy(call).isInstanceOf(IllegalStateException.class));
    }

    /** What an aborted one was given stays: it may be in the high-availability store. */
    @Test
    void closingGivesBackWhatNoCheckpointWasGiven() throws Exception {
        append(log, 1, 10);
        ChangelogStateHandleStreamImpl pinned = harness.persistNow(log, START, 1);
        append(log, 1, 20);
        ChangelogStateHandleStreamImpl aborted = harness.persistNow(log, START, 2);
        log.reset(START, log.nextSequenceNumber(), 2);
        append(log, 1, 30);
        CompletableFuture<?> waiting = log.persist(START, 3);
        log.close();
        store.succeedAll();

        assertThat(waiting).isCompletedExceptionally();
        assertThat(harness.read(pinned)).containsExactly("1:[10]");
        assertThat(harness.read(aborted)).containsExactly("1:[10]", "1:[20]");
        assertThat(store.objects()).hasSize(2);
        assertThat(harness.inFlight.bytes()).isZero();
    }

    /** Else the heap would hold after some restarts in one outage what no checkpoint can need. */
    @Test
    void closingWithdrawsWhatWaitsForAStoreThatIsDown() throws Exception {
        CompletableFuture<?> last = fillTheBacklog();
        long before = harness.inFlight.bytes();
        assertThat(harness.batcher.size()).isEqualTo(3);
        log.close();

        assertThat(last).isCompletedExceptionally();
        assertThat(harness.batcher.size()).isZero();
        assertThat(harness.inFlight.bytes())
                .as("two of five are under way")
                .isEqualTo(before / 5 * 2);
        assertThat(harness.inFlight.keptBytes())
                .as("one of them has failed before")
                .isEqualTo(before / 5);

        store.succeedAll();
        assertThat(harness.inFlight.bytes()).isZero();
        assertThat(harness.inFlight.keptBytes()).isZero();
    }

    @Test
    void theNextAttemptDoesNotWaitBehindTheDeadOnesChanges() throws Exception {
        fillTheBacklog();
        log.close();
        SegmentedChangeLog next = harness.createLog();
        next.persist(START, 6);
        append(next, 1, 60);
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist =
                next.persist(START, 7);
        int firstOfNext = store.puts();
        store.put(firstOfNext - 1).fail(new IOException("down"));
        store.put(firstOfNext).succeed();

        assertThat(persist).isCompleted();
        assertThat(harness.read(persist)).containsExactly("1:[60]");
        store.succeedAll();
        assertThat(harness.inFlight.bytes()).isZero();
        assertThat(store.objects()).as("of the dead one nothing").hasSize(1);
    }

    /** Another task's part of a segment waits on, at its place. */
    @Test
    void closingWithdrawsNothingOfAnotherLog() throws Exception {
        SegmentedChangeLog other = harness.createLog();
        fillTheBacklog();
        append(log, 1, 60);
        log.persist(START, 6);
        append(other, 1, 70);
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist =
                other.persist(START, 6);
        log.close();
        for (int round = 0; round < 10; round++) {
            store.succeedAll();
        }

        assertThat(persist).isCompleted();
        assertThat(harness.read(persist)).containsExactly("1:[70]");
    }

    /** Five change sets, each of a checkpoint of its own: two under way, three wait behind them. */
    private CompletableFuture<?> fillTheBacklog() throws Exception {
        CompletableFuture<?> last = null;
        for (int checkpoint = 1; checkpoint <= 5; checkpoint++) {
            append(log, 1, checkpoint * 10);
            last = log.persist(START, checkpoint);
            harness.batcher.flush();
            if (checkpoint == 1) {
                store.put(0).fail(new IOException("down"));
            }
        }
        return last;
    }

    /** Flink's own backend closes its log on the thread that cancels, while the task writes. */
    @Test
    void aCloseByAnotherThreadGivesAwayNoMemoryThatTheWriterUses() throws Exception {
        SegmentedChangeLog other = harness.createLog();
        append(log, 1, 10, 11);
        DataOutputView record = log.beginChange(1);
        Thread canceller = new Thread(log::close);
        canceller.start();
        canceller.join();
        for (int change = 0; change < 50; change++) {
            append(other, 1, change);
        }
        byte[] rest = new byte[200];
        Arrays.fill(rest, (byte) 0xFF);
        record.write(rest);

        assertThat(harness.read(harness.persistNow(other, START, 1)))
                .isEqualTo(
                        IntStream.range(0, 50)
                                .mapToObj(change -> "1:[" + change + "]")
                                .collect(Collectors.toList()));
    }

    @Test
    void aCloseByTheWritersThreadGivesTheMemoryBack() throws Exception {
        append(log, 1, 10, 11);
        log.close();

        assertThat(harness.chunks.retained()).isEqualTo(2);
    }
}
