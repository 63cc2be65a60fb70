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

import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeletionQueueTest {

    private static final Error NO_THREAD = new Error("unable to create native thread");

    private final SegmentLedger ledger = new SegmentLedger();
    private final ManualExecutor executor = new ManualExecutor();
    private final ManualTimer timer = new ManualTimer();
    private final StreamStateHandle a = segment("a");
    private final StreamStateHandle b = segment("b");
    private final StreamStateHandle c = segment("c");
    private final Batches store = new Batches();

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
        List<Integer> lines = new ArrayList<>();
        DeletionSchedule schedule = DeletionSchedule.on(timer);
        DeletionQueue queue =
                new DeletionQueue(
                        new Refusals(Integer.MAX_VALUE),
                        executor,
                        schedule,
                        ledger,
                        DeletionQueue.MAX_WAITING,
                        new GivenUpLog(
                                schedule,
                                (objects, bytes, attempts, first, failure) -> lines.add(objects)));
        many(4).forEach(queue::delete);
        executor.runAll();
        queue.close();
        runToTheEnd();

        assertThat(ledger.deleteFailed).hasSize(4);
        assertThat(lines).containsExactly(1, 3);
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

    /** One 503 as the process ends. */
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

    private List<StreamStateHandle> deleteMany(DeletionQueue queue, int number) {
        List<StreamStateHandle> segments = many(number);
        segments.forEach(queue::delete);
        return segments;
    }

    private static List<StreamStateHandle> many(int number) {
        return IntStream.range(0, number)
                .mapToObj(i -> segment("segment-" + i))
                .collect(Collectors.toList());
    }

    private static void delete(DeletionQueue queue, StreamStateHandle... segments) {
        Arrays.asList(segments).forEach(queue::delete);
    }

    private void runNextTimer() {
        timer.runNext();
        executor.runAll();
    }

    /** Until nothing waits any more. */
    private void runToTheEnd() {
        executor.runAll();
        while (timer.size() > 0) {
            runNextTimer();
        }
    }

    /** Deletes several with one request. */
    private static final class Batches implements SegmentDeleter {
        private static final int SIZE = 10;

        private final List<List<StreamStateHandle>> requests = new ArrayList<>();
        private final Set<StreamStateHandle> failing = new HashSet<>();
        private final List<StreamStateHandle> alone = new ArrayList<>();
        private int size = SIZE;

        /** More fail together. */
        private int atMost = SIZE;

        private boolean throwing = true;

        Stream<Integer> sizes() {
            return requests.stream().map(List::size);
        }

        @Override
        public int batchSize() {
            return size;
        }

        @Override
        public void delete(StreamStateHandle segment) throws IOException {
            alone.add(segment);
            if (failing.contains(segment)) {
                throw new IOException("403 Forbidden");
            }
        }

        @Override
        public Map<StreamStateHandle, ? extends Throwable> deleteBatch(
                Collection<StreamStateHandle> segments) throws Exception {
            requests.add(new ArrayList<>(segments));
            Map<StreamStateHandle, Throwable> failures = new HashMap<>();
            if (segments.size() > atMost) {
                IOException together = new IOException("503 Slow Down");
                if (throwing) {
                    throw together;
                }
                segments.forEach(segment -> failures.put(segment, together));
                return failures;
            }
            for (StreamStateHandle segment : segments) {
                if (failing.contains(segment)) {
                    failures.put(segment, new IOException("403 Forbidden"));
                }
            }
            return failures;
        }
    }

    private DeletionQueue queue(SegmentDeleter deleter) {
        return new DeletionQueue(deleter, executor, DeletionSchedule.none(), ledger);
    }

    private DeletionQueue retrying(SegmentDeleter deleter) {
        return new DeletionQueue(deleter, executor, DeletionSchedule.on(timer), ledger);
    }

    /** Fails so many times, and then no more. */
    private static final class Refusals implements SegmentDeleter {
        private final int failures;
        private int attempts;

        Refusals(int failures) {
            this.failures = failures;
        }

        @Override
        public void delete(StreamStateHandle segment) throws IOException {
            if (attempts++ < failures) {
                throw new IOException("503 Slow Down");
            }
        }
    }
}
