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
package io.dstl.changelog.replay;

import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static io.dstl.changelog.testing.Awaiting.await;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A log that is read ahead is the log that is read, and no more of it than fits. */
@Timeout(120)
class ReadAheadTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final CloseableRegistry cancellation = new CloseableRegistry();
    private final Scripted source = new Scripted();
    private final RestoreProgress progress = new RestoreProgress(new ManualClock());
    private final ReadAhead ahead = new ReadAhead(source, cancellation, progress);

    @AfterEach
    void nothingIsLeft() {
        assertThat(source.opened).as("iterators opened").isEqualTo(source.closed);
        assertThat(cancellation.getNumberOfRegisteredCloseables()).isZero();
        assertThat(source.reader)
                .satisfiesAnyOf(
                        reader -> assertThat(reader).isNull(),
                        reader -> assertThat(reader.isAlive()).isFalse());
    }

    /** The end of the last part is told after it was handed over. */
    private void awaitReader() {
        await().atMost(LONG).until(() -> source.reader.getState() == Thread.State.TERMINATED);
    }

    @Test
    void handsOutEachPartInOrderAndTellsWhatHasBeenRead() throws Exception {
        List<LogSource.Part> parts = parts(2);
        source.script(List.of(change(1), change(2)).iterator());
        source.script(Collections.emptyIterator());

        try (LogSource.Ahead announced = ahead.announce(parts)) {
            assertThat(read(parts.get(0))).containsExactly(1, 2);
            assertThat(read(parts.get(1))).isEmpty();
            awaitReader();
        }

        assertThat(source.events).containsExactly("done", "done", "closed");
        assertThat(progress.changes()).isEqualTo(2);
        assertThat(progress.bytes()).isEqualTo(3);
    }

    /** Returns how many of them have been read. */
    private AtomicLong scriptChanges(int count, int bytes) {
        AtomicLong made = new AtomicLong();
        source.script(
                Stream.generate(
                                () -> {
                                    made.incrementAndGet();
                                    return change(bytes);
                                })
                        .limit(count)
                        .iterator());
        return made;
    }

    @Test
    void readsNoMoreAheadThanFits() throws Exception {
        int bytes = 10_000;
        int count = 2_000;
        List<LogSource.Part> parts = parts(1);
        AtomicLong made = scriptChanges(count, bytes);

        try (LogSource.Ahead announced = ahead.announce(parts)) {
            await().atMost(LONG)
                    .until(
                            () ->
                                    made.get() * bytes > 1 << 20
                                            && source.reader.getState() == Thread.State.WAITING);
            assertThat(made.get() * bytes).isBetween(1L << 20, 3L << 20);
            assertThat(read(parts.get(0))).hasSize(count).containsOnly(bytes);
        }
    }

    @Test
    void readsOneBatchAheadToSpareTheHeap() throws Exception {
        int bytes = 64 << 10;
        int count = 50;
        List<LogSource.Part> parts = parts(1);
        AtomicLong made = scriptChanges(count, bytes);
        ReadAhead sparing = ReadAhead.sparing(source, cancellation, progress);

        try (LogSource.Ahead announced = sparing.announce(parts)) {
            await().atMost(LONG)
                    .until(
                            () ->
                                    made.get() > 2
                                            && source.reader.getState() == Thread.State.WAITING);
            assertThat(made).as("two batches, and the change that follows").hasValue(3);
            assertThat(read(sparing, parts.get(0))).hasSize(count).containsOnly(bytes);
        }
    }

    @Test
    void failsToOpenWhereTheReplayComesToIt() throws Exception {
        List<LogSource.Part> parts = parts(2);
        source.script(List.of(change(7)).iterator());
        source.failToOpen = new IOException("unreachable");

        try (LogSource.Ahead announced = ahead.announce(parts)) {
            assertThat(read(parts.get(0))).containsExactly(7);
            assertThatThrownBy(() -> open(parts.get(1))).isSameAs(source.failToOpen);
        }
    }

    @Test
    void failsToReadBehindTheChangesThatItCouldRead() throws Exception {
        for (Throwable failure : List.of(new IllegalStateException("x"), new OutOfMemoryError())) {
            List<LogSource.Part> parts = parts(1);
            source.script(failingAfter(2, failure));

            try (LogSource.Ahead announced = ahead.announce(parts)) {
                CloseableIterator<StateChange> changes = open(parts.get(0));
                changes.next();
                changes.next();
                assertThatThrownBy(changes::hasNext).isSameAs(failure);
            }
        }
    }

    @Test
    void endsWhenItIsClosedWithoutHavingBeenReplayed() {
        CompletableFuture<Void> reading = new CompletableFuture<>();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        source.script(blocking(reading, closed), () -> closed.complete(null));

        LogSource.Ahead announced = ahead.announce(parts(1));
        reading.join();
        announced.close();
    }

    @Test
    void endsTheReplaysWaitingWhenTheTaskIsCancelled() throws Exception {
        List<LogSource.Part> parts = parts(1);
        CompletableFuture<Void> reading = new CompletableFuture<>();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        source.script(blocking(reading, closed), () -> closed.complete(null));

        try (LogSource.Ahead announced = ahead.announce(parts)) {
            CompletableFuture<Void> cancelled =
                    reading.thenRunAsync(
                            () -> {
                                try {
                                    cancellation.close();
                                } catch (IOException e) {
                                    throw new IllegalStateException(e);
                                }
                            });
            assertThatThrownBy(() -> open(parts.get(0))).isInstanceOf(IllegalStateException.class);
            cancelled.join();
        }
    }

    @Test
    void readsNothingForATaskThatIsCancelledAlready() throws Exception {
        cancellation.close();

        assertThatThrownBy(() -> ahead.announce(parts(1))).isInstanceOf(CancelTaskException.class);

        assertThat(source.events).isEmpty();
        assertThat(source.opened).isZero();
    }

    @Test
    void endsWhatIsAnnouncedAsTheTaskIsCancelled() throws Exception {
        List<LogSource.Part> parts = parts(1);
        source.onAnnounce = () -> IOUtils.closeQuietly(cancellation);

        try (LogSource.Ahead announced = ahead.announce(parts)) {
            assertThatThrownBy(() -> open(parts.get(0))).isInstanceOf(IllegalStateException.class);
        }

        assertThat(source.events).isNotEmpty().containsOnly("closed");
        assertThat(source.opened).isZero();
    }

    @Test
    void tellsWhereTheReplayBeginsThatNothingCouldBeAnnounced() {
        List<LogSource.Part> parts = parts(2);
        IllegalStateException failure = new IllegalStateException("no client");
        source.onAnnounce =
                () -> {
                    throw failure;
                };

        try (LogSource.Ahead announced = ahead.announce(parts)) {
            assertThatThrownBy(() -> open(parts.get(0))).isSameAs(failure);
        }
    }

    @Test
    void holdsBackAllButTheFirst() throws Exception {
        ReadAhead held = ReadAhead.holdingBack(source, cancellation, progress);
        List<LogSource.Part> parts = parts(3);
        source.script(List.of(change(1)).iterator());
        source.script(List.of(change(2)).iterator());
        source.script(List.of(change(3)).iterator());

        try (LogSource.Ahead announced = held.announce(parts)) {
            assertThat(read(held, parts.get(0))).containsExactly(1);
            await().atMost(LONG).until(() -> source.reader.getState() == Thread.State.WAITING);
            assertThat(source.opened).isEqualTo(1);
            assertThat(source.announced).containsExactly(1);

            announced.readOn();
            assertThat(read(held, parts.get(1))).containsExactly(2);
            assertThat(read(held, parts.get(2))).containsExactly(3);
            awaitReader();
        }
        assertThat(source.announced).containsExactly(1, 2);
        assertThat(source.events).containsExactly("done", "closed", "done", "done", "closed");
    }

    /** Whoever waits for the next part is told. */
    @Test
    void failsWithTheReader() throws Exception {
        source.onDone =
                () -> {
                    throw new IllegalStateException("disk gone");
                };
        List<LogSource.Part> parts = parts(2);
        source.script(Collections.emptyIterator());

        try (LogSource.Ahead announced = ahead.announce(parts)) {
            assertThatThrownBy(
                            () -> {
                                read(parts.get(0));
                                read(parts.get(1));
                            })
                    .hasRootCauseMessage("disk gone");
        }
    }

    /** As if there was no memory to keep the cause. */
    @Test
    void whoeverWaitsForTheLogIsToldOfItsEndWithoutACauseToo() {
        ChangeBatch.HandOver queue = new ChangeBatch.HandOver(1, true);

        queue.fail(null);

        assertThat(queue.isStopped()).isTrue();
        assertThat(queue.failure()).isNull();
    }

    /** What is done then needs all that the first part describes. */
    @Test
    void looksAfterSomethingElseOnceTheFirstIsRead() throws Exception {
        ReadAhead held = ReadAhead.holdingBack(source, cancellation, progress);
        List<LogSource.Part> parts = parts(2);
        Thread replay = Thread.currentThread();
        AtomicInteger looks = new AtomicInteger();
        AtomicInteger early = new AtomicInteger();
        source.script(
                Stream.generate(
                                () -> {
                                    await().atMost(LONG).until(() -> isWaiting(replay));
                                    early.set(looks.get());
                                    return change(1);
                                })
                        .limit(1)
                        .iterator());
        source.script(List.of(change(2)).iterator());

        try (LogSource.Ahead announced = held.announce(parts)) {
            announced.wake(
                    () -> {
                        looks.incrementAndGet();
                        announced.readOn();
                    });
            assertThat(read(held, parts.get(0))).containsExactly(1);
            assertThat(read(held, parts.get(1))).containsExactly(2);
        }

        assertThat(early).hasValue(0);
        assertThat(looks.get()).isPositive();
    }

    private static boolean isWaiting(Thread thread) {
        return thread.getState() == Thread.State.WAITING;
    }

    @Test
    void endsWhileItHoldsBack() throws Exception {
        ReadAhead held = ReadAhead.holdingBack(source, cancellation, progress);
        List<LogSource.Part> parts = parts(2);
        source.script(List.of(change(1)).iterator());

        try (LogSource.Ahead announced = held.announce(parts)) {
            assertThat(read(held, parts.get(0))).containsExactly(1);
        }

        assertThat(source.opened).isEqualTo(1);
    }

    @Test
    void hasTheOneWhoWaitsLookAfterSomethingElse() throws Exception {
        List<LogSource.Part> parts = parts(1);
        CompletableFuture<Void> ready = new CompletableFuture<>();
        List<Thread> woken = Collections.synchronizedList(new ArrayList<>());
        source.script(
                Stream.generate(
                                () -> {
                                    ready.join();
                                    return change(5);
                                })
                        .limit(1)
                        .iterator());

        try (LogSource.Ahead announced = ahead.announce(parts)) {
            announced.wake(
                    () -> {
                        woken.add(Thread.currentThread());
                        ready.complete(null);
                    });
            assertThat(read(parts.get(0))).containsExactly(5);
        }

        assertThat(woken).containsExactly(Thread.currentThread());
    }

    private CloseableIterator<StateChange> open(LogSource.Part part) throws IOException {
        return ahead.open(part.log(), part.keyGroups());
    }

    /** The sizes of the changes. */
    private List<Integer> read(LogSource.Part part) throws Exception {
        return read(ahead, part);
    }

    private static List<Integer> read(ReadAhead from, LogSource.Part part) throws Exception {
        List<Integer> sizes = new ArrayList<>();
        try (CloseableIterator<StateChange> changes = from.open(part.log(), part.keyGroups())) {
            changes.forEachRemaining(change -> sizes.add(change.getChange().length));
        }
        return sizes;
    }

    private static StateChange change(int bytes) {
        return StateChange.ofDataChange(3, new byte[bytes]);
    }

    private static List<LogSource.Part> parts(int count) {
        byte[][] sets = new byte[count][4];
        try {
            return LoggedChangeSet.of(
                            log(DelegateKind.ALL, segment("segment", sets)), DelegateKind.ALL)
                    .stream()
                    .map(LoggedChangeSet::part)
                    .collect(toList());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Iterator<StateChange> failingAfter(int count, Throwable failure) {
        return new Iterator<>() {
            private int left = count;

            @Override
            public boolean hasNext() {
                return true;
            }

            @Override
            public StateChange next() {
                if (left-- > 0) {
                    return change(1);
                }
                if (failure instanceof Error) {
                    throw (Error) failure;
                }
                throw (RuntimeException) failure;
            }
        };
    }

    /** As a store that does not answer: ends when it is closed, whatever interrupts. */
    private static Iterator<StateChange> blocking(
            CompletableFuture<Void> reading, CompletableFuture<Void> closed) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                reading.complete(null);
                closed.join();
                throw new IllegalStateException("closed");
            }

            @Override
            public StateChange next() {
                throw new IllegalStateException("closed");
            }
        };
    }

    /** Hands out what the test gave it. */
    private static final class Scripted implements LogSource {
        final List<String> events = Collections.synchronizedList(new ArrayList<>());
        final List<Integer> announced = Collections.synchronizedList(new ArrayList<>());
        IOException failToOpen;
        Runnable onAnnounce = () -> {};
        Runnable onDone = () -> {};
        volatile Thread reader;
        int opened;
        int closed;

        private final List<CloseableIterator<StateChange>> scripts = new ArrayList<>();

        void script(Iterator<StateChange> changes) {
            script(changes, () -> {});
        }

        void script(Iterator<StateChange> changes, Runnable onClose) {
            scripts.add(
                    CloseableIterator.adapterForIterator(
                            changes,
                            () -> {
                                closed++;
                                onClose.run();
                            }));
        }

        @Override
        public CloseableIterator<StateChange> open(
                ChangelogStateHandle log, KeyGroupRange keyGroups) throws IOException {
            reader = Thread.currentThread();
            if (scripts.isEmpty()) {
                throw failToOpen;
            }
            opened++;
            return scripts.remove(0);
        }

        @Override
        public Ahead announce(List<LogSource.Part> parts) {
            announced.add(parts.size());
            onAnnounce.run();
            return new Ahead() {
                @Override
                public void done(ChangelogStateHandle log) {
                    events.add("done");
                    onDone.run();
                }

                @Override
                public void close() {
                    events.add("closed");
                }
            };
        }
    }
}
