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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeletionQueueTest extends DeletionQueueFixture {
    private static final Error NO_THREAD = new Error("unable to create native thread");

    @Test
    void tellsOfADeletionOnceItIsDone() {
        DeletionQueue queue = queue(segment -> {});
        queue.delete(a);
        assertThat(ledger.deleted).isEmpty();

        executor.runAll();
        assertThat(ledger.deleted).containsExactly(a);
    }

    @Test
    void aFailureIsCountedAndStopsNothingElse() {
        IOException refused = new IOException("403 Forbidden");
        DeletionQueue queue =
                queue(
                        segment -> {
                            if (segment == a) {
                                throw refused;
                            }
                        });
        delete(queue, a, b);
        executor.runAll();

        assertThat(ledger.deleteFailed).containsExactly(a);
        assertThat(ledger.causes).containsExactly(refused);
        assertThat(ledger.deleted).containsExactly(b);
    }

    @Test
    void anErrorIsCountedAsWell() {
        SegmentDeleter broken =
                segment -> {
                    throw new NoClassDefFoundError("a plugin's class");
                };
        queue(broken).delete(a);
        executor.runAll();

        assertThat(ledger.deleteFailed).containsExactly(a);
    }

    @Test
    void anErrorFatalToTheProcessIsNotKept() {
        SegmentDeleter broken =
                segment -> {
                    throw new OutOfMemoryError("Java heap space");
                };
        queue(broken).delete(a);

        assertThatThrownBy(executor::runAll).isInstanceOf(OutOfMemoryError.class);
        assertThat(ledger.deleteFailed).containsExactly(a);
    }

    @Test
    void aDeletionThatFindsNoThreadIsCountedNotThrown() {
        executor.failNext(NO_THREAD);
        queue(segment -> {}).delete(a);
        assertThat(ledger.deleteFailed).containsExactly(a);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDeletionThatFindsNoThreadIsTriedAgainOnce(boolean isTakenAllTheSame) {
        executor.failNext(NO_THREAD, isTakenAllTheSame);
        retrying(segment -> {}).delete(a);
        executor.runAll();
        timer.advance(Duration.ofSeconds(1));
        executor.runAll();

        assertThat(ledger.deleted).containsExactly(a);
    }

    @Test
    void aLineThatATimerWithoutAThreadCannotEndIsNotThrownEither() {
        timer.failNext(NO_THREAD);
        executor.shutDown();
        retrying(segment -> {}).delete(a);
        assertThat(ledger.deleteFailed).containsExactly(a);
    }

    @Test
    void aTimerWithoutAThreadGathersNothing() {
        timer.failNext(NO_THREAD);
        retrying(store).delete(a);
        executor.runAll();

        assertThat(ledger.deleted).containsExactly(a);
    }

    @Test
    void aFailureThatATimerWithoutAThreadCannotRetryIsCounted() {
        retrying(new Refusals(1)).delete(a);
        timer.failNext(NO_THREAD);
        executor.runAll();

        assertThat(ledger.deleteFailed).containsExactly(a);
    }

    @Test
    void aDeletionThatComesTooLateIsCountedNotThrown() {
        executor.shutDown();
        queue(segment -> {}).delete(a);

        assertThat(ledger.deleteFailed).containsExactly(a);
    }

    /** The store is down for some minutes. */
    @Test
    void aFailedDeletionIsTriedAgainAfterPausesThatGrow() {
        Refusals refusals = new Refusals(5);
        DeletionQueue queue = retrying(refusals);
        queue.delete(a);
        executor.runAll();
        for (long pause : new long[] {1, 4, 16, 64, 256}) {
            assertThat(timer.delays()).containsExactly(Duration.ofSeconds(pause));
            timer.advance(Duration.ofSeconds(pause));
            executor.runAll();
        }

        assertThat(ledger.deleted).containsExactly(a);
        assertThat(ledger.deleteFailed).isEmpty();
        assertThat(timer.delays()).isEmpty();
    }

    @Test
    void afterTheLastAttemptItIsLeftToTheCommand() {
        Refusals refusals = new Refusals(Integer.MAX_VALUE);
        retrying(refusals).delete(a);
        executor.runAll();
        while (ledger.deleteFailed.isEmpty()) {
            timer.runNext();
            executor.runAll();
        }

        assertThat(refusals.attempts).isEqualTo(6);
        assertThat(ledger.deleteFailed).containsExactly(a);
    }

    @Test
    void noMoreThanABoundedNumberWaits() {
        DeletionQueue queue = retrying(new Refusals(Integer.MAX_VALUE));
        many(DeletionQueue.MAX_WAITING + 1).forEach(queue::delete);
        executor.runAll();

        assertThat(ledger.deleteFailed)
                .containsExactly(segment("segment-" + DeletionQueue.MAX_WAITING));
    }

    @Test
    void aTimerThatHasEndedMeansNoFurtherAttempt() {
        timer.shutdown();
        retrying(new Refusals(1)).delete(a);
        executor.runAll();

        assertThat(ledger.deleteFailed).containsExactly(a);
    }

    @Test
    void whatComesTogetherIsDeletedByOneRequest() {
        DeletionQueue queue = retrying(store);
        delete(queue, a, b);
        executor.runAll();
        assertThat(store.requests).isEmpty();
        assertThat(timer.delays()).containsExactly(Duration.ofSeconds(1));

        runNextTimer();
        assertThat(store.requests).containsExactly(Arrays.asList(a, b));
        assertThat(ledger.deleted).containsExactly(a, b);
        assertThat(timer.delays()).isEmpty();
    }

    @Test
    void aFullRequestWaitsForNothing() {
        DeletionQueue queue = retrying(store);
        many(2 * Batches.SIZE + 1).forEach(queue::delete);
        executor.runAll();

        assertThat(store.requests).hasSize(2).allSatisfy(r -> assertThat(r).hasSize(Batches.SIZE));
        assertThat(timer.delays()).isNotEmpty();
        runNextTimer();
        assertThat(ledger.deleted).hasSize(2 * Batches.SIZE + 1);
    }

    @Test
    void aFailureOfOneIsTriedAgainByItself() {
        store.failing.add(b);
        DeletionQueue queue = retrying(store);
        delete(queue, a, b, c);
        runNextTimer();
        assertThat(ledger.deleted).containsExactly(a, c);

        store.failing.clear();
        runNextTimer();
        assertThat(ledger.deleted).containsExactly(a, c, b);
        assertThat(ledger.deleteFailed).isEmpty();
    }

    @Test
    void whatFailsToTheEndIsCountedByItself() {
        store.failing.add(b);
        DeletionQueue queue = retrying(store);
        delete(queue, a, b);
        runToTheEnd();

        assertThat(ledger.deleted).containsExactly(a);
        assertThat(ledger.deleteFailed).containsExactly(b);
    }

    /** So many may take longer than the client waits for, each time. */
    @Test
    void aRequestThatFailsAsAWholeIsTriedAgainWithHalfOfThem() {
        store.atMost = 2;
        List<StreamStateHandle> all = deleteMany(retrying(store), Batches.SIZE);
        runToTheEnd();

        assertThat(store.sizes()).containsExactly(10, 5, 5, 3, 2, 3, 2, 2, 2);
        assertThat(ledger.deleted).containsExactlyInAnyOrderElementsOf(all);
        assertThat(ledger.deleteFailed).isEmpty();
    }

    @Test
    void whatAreToldToHaveFailedTogetherAreHalvedToo() {
        store.atMost = 5;
        store.throwing = false;
        List<StreamStateHandle> all = deleteMany(retrying(store), Batches.SIZE);
        executor.runAll();
        timer.advance(Duration.ofSeconds(1));
        executor.runAll();

        assertThat(store.sizes()).containsExactly(10, 5, 5);
        assertThat(ledger.deleted).containsExactlyElementsOf(all);
    }

    @Test
    void whatFailedByItselfGoesAloneFromThenOn() {
        DeletionQueue queue = retrying(store);
        List<StreamStateHandle> segments = many(Batches.SIZE);
        store.failing.addAll(segments.subList(0, 3));
        segments.forEach(queue::delete);
        executor.runAll();
        store.failing.clear();
        timer.advance(Duration.ofSeconds(2));
        executor.runAll();

        assertThat(store.requests).hasSize(1);
        assertThat(store.alone).containsExactlyElementsOf(segments.subList(0, 3));
        assertThat(ledger.deleted).containsExactlyInAnyOrderElementsOf(segments);
    }

    @Test
    void aTimerThatHasEndedGathersNothing() {
        timer.shutdown();
        retrying(new Batches()).delete(a);
        executor.runAll();

        assertThat(ledger.deleted).containsExactly(a);
    }

    /** The store has turned out to know no request for several. */
    @Test
    void whatIsGatheredGoesWithTheFirstThatNeedsNoOthers() {
        DeletionQueue queue = retrying(store);
        queue.delete(a);
        store.size = 1;
        queue.delete(b);
        executor.runAll();

        assertThat(ledger.deleted).containsExactly(a, b);
        assertThat(timer.delays()).isEmpty();
    }
}
