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

import static io.dstl.registry.SegmentLedger.segment;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.junit.jupiter.api.Test;

/** The job has left, or the process ends with it. */
class DeletionQueueCloseTest extends DeletionQueueFixture {
    @Test
    void closingTriesWhatWaitsAtOnceAndThenAsBefore() {
        Refusals refusals = new Refusals(3);
        DeletionQueue queue = retrying(refusals);
        delete(queue, a, b);
        executor.runAll();
        queue.close();
        executor.runAll();

        assertThat(refusals.attempts).isEqualTo(4);
        assertThat(ledger.deleted).containsExactly(b);
        runToTheEnd();

        assertThat(ledger.deleted).containsExactly(b, a);
        assertThat(ledger.deleteFailed).isEmpty();
    }

    /** In the longest pause when the job leaves: the store is back before its end. */
    @Test
    void closingTakesNoAttempt() {
        Refusals refusals = new Refusals(6);
        DeletionQueue queue = retrying(refusals);
        delete(queue, a);
        executor.runAll();
        for (int pause = 0; pause < 4; pause++) {
            runNextTimer();
        }
        assertThat(refusals.attempts).isEqualTo(5);
        queue.close();
        executor.runAll();
        assertThat(refusals.attempts).isEqualTo(6);
        runToTheEnd();

        assertThat(ledger.deleted).containsExactly(a);
        assertThat(ledger.deleteFailed).isEmpty();
    }

    /** The first by itself, and the others together, also after the job has left. */
    @Test
    void whatIsGivenUpAfterClosingIsLoggedTogether() {
        List<String> lines = new ArrayList<>();
        DeletionQueue queue = telling(lines, DeletionQueue.MAX_WAITING);
        many(4).forEach(queue::delete);
        executor.runAll();
        queue.close();
        runToTheEnd();

        assertThat(ledger.deleteFailed).hasSize(4);
        assertThat(lines).containsExactly("1 in 7 attempts", "3 in 7 attempts");
    }

    /** The process may end with the job. */
    @Test
    void whatIsGivenUpBeforeIsLoggedAfterTheAttemptsAtTheClose() {
        List<String> lines = new ArrayList<>();
        DeletionQueue queue = telling(lines, 1);
        many(3).forEach(queue::delete);
        executor.runAll();
        assertThat(lines).as("more than may wait").containsExactly("1 in 1 attempts");
        queue.close();
        executor.runAll();

        assertThat(lines).containsExactly("1 in 1 attempts", "1 in 1 attempts");
        assertThat(ledger.deleteFailed).hasSize(2);
    }

    private DeletionQueue telling(List<String> lines, int maxWaiting) {
        DeletionSchedule schedule = DeletionSchedule.on(timer);
        return new DeletionQueue(
                new Refusals(Integer.MAX_VALUE),
                executor,
                schedule,
                ledger,
                maxWaiting,
                new GivenUpLog(
                        schedule,
                        (objects, bytes, attempts, first, failure) ->
                                lines.add(objects + " in " + attempts + " attempts")));
    }

    @Test
    void afterClosingARequestThatFailsAsAWholeIsTriedOnceMoreInHalves() {
        store.atMost = 5;
        DeletionQueue queue = retrying(store);
        List<StreamStateHandle> all = deleteMany(queue, Batches.SIZE - 1);
        queue.close();
        executor.runAll();

        assertThat(store.sizes()).containsExactly(9, 5, 4);
        assertThat(ledger.deleted).containsExactlyInAnyOrderElementsOf(all);
        assertThat(ledger.deleteFailed).isEmpty();
    }

    @Test
    void afterClosingHalvesThatFailTooAreTriedAsBefore() {
        store.atMost = 1;
        DeletionQueue queue = retrying(store);
        List<StreamStateHandle> all = deleteMany(queue, Batches.SIZE - 1);
        queue.close();
        executor.runAll();
        assertThat(store.sizes()).containsExactly(9, 5, 4);
        assertThat(ledger.deleted).isEmpty();
        runToTheEnd();

        assertThat(ledger.deleted).containsExactlyInAnyOrderElementsOf(all);
        assertThat(ledger.deleteFailed).isEmpty();
    }

    /** All in their longest pause. */
    @Test
    void closingTakesNoAttemptOfThoseThatFailTogether() {
        store.size = 128;
        store.atMost = 1;
        DeletionQueue queue = retrying(store);
        List<StreamStateHandle> all = deleteMany(queue, store.size);
        for (int second = 0; second < 90; second++) {
            executor.runAll();
            timer.advance(Duration.ofSeconds(1));
        }
        queue.close();
        executor.runAll();
        assertThat(ledger.deleteFailed).isEmpty();
        store.atMost = store.size;
        runToTheEnd();

        assertThat(ledger.deleted).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void closedWithoutATimerNothingIsTriedMoreThanOnceMore() {
        store.atMost = 1;
        DeletionQueue queue = retrying(store);
        List<StreamStateHandle> all = deleteMany(queue, Batches.SIZE - 1);
        timer.shutdown();
        queue.close();
        executor.runAll();

        assertThat(store.sizes()).containsExactly(9, 5, 4);
        assertThat(ledger.deleteFailed).containsExactlyInAnyOrderElementsOf(all);
        assertThat(timer.delays()).isEmpty();
    }

    @Test
    void closingDeletesWhatIsGatheredAndWhatWaits() {
        store.failing.add(a);
        DeletionQueue queue = retrying(store);
        delete(queue, a, segment("d"));
        runNextTimer();
        store.failing.clear();
        delete(queue, b, c);
        queue.close();
        executor.runAll();

        assertThat(store.requests.get(1)).containsExactly(b, c);
        assertThat(store.alone).containsExactly(a);
        assertThat(ledger.deleted).contains(a, b, c);
        assertThat(timer.delays()).isEmpty();
    }

    @Test
    void nothingIsGatheredAfterClosing() {
        DeletionQueue queue = retrying(store);
        queue.close();
        queue.delete(a);
        executor.runAll();

        assertThat(ledger.deleted).containsExactly(a);
        assertThat(timer.delays()).isEmpty();
    }
}
