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
package io.dstl.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.SegmentStore.SegmentContent;
import io.dstl.store.testing.CountedNames;
import io.dstl.store.testing.ScriptedStore;
import io.dstl.store.testing.UnshowableException;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleSupplier;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;

class PutRetryTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final ScriptedStore store = new ScriptedStore();
    private final ManualTimer timer = new ManualTimer();
    private final List<String> successes = new ArrayList<>();
    private final StartedPuts puts = new StartedPuts();
    private final CompletableFuture<FileStateHandle> put = puts.put(retrying(store), "segment");

    private PutContext retrying(SegmentStore over) {
        return retrying(over, () -> 0.5);
    }

    private PutContext retrying(SegmentStore over, DoubleSupplier random) {
        RetrySettings settings = new RetrySettings(3, Optional.of(TIMEOUT), PAUSE);
        return new PutContext(
                over,
                PutRules.of(settings, Long.MAX_VALUE, random, timer::nanos, PutObserver.NONE),
                timer,
                new CountedNames("further-"),
                new Cleanups(Runnable::run, timer),
                new PutObserver() {
                    @Override
                    public void stored(int winner, int started) {
                        successes.add(winner + " of " + started);
                    }
                });
    }

    @Test
    void eachAttemptHasANameOfItsOwnWhereANameIsWrittenOnce() {
        for (int attempt = 0; attempt < 3; attempt++) {
            store.put(attempt).begin().fail(new IOException("503"));
            timer.advance(PAUSE.multipliedBy(2));
        }

        assertThat(store.put(0).name()).isEqualTo("memory/segment");
        assertThat(store.put(1).name()).isEqualTo("memory/further-1");
        assertThat(store.put(2).name()).isEqualTo("memory/further-2");
    }

    @Test
    void endsWithItsLastAttempt() {
        store.put(0).begin();
        timer.advance(TIMEOUT);
        store.put(1).begin().succeed();
        assertThat(put).isCompleted();
        assertThat(puts.hasEnded(put)).isFalse();

        store.put(0).fail(new IOException("aborted"));

        assertThat(puts.hasEnded(put)).isTrue();
    }

    @Test
    void aFirstSuccessNeedsNoSecondAttempt() {
        store.put(0).begin();
        int timers = timer.size();
        store.put(0).succeed();
        assertThat(timer.size()).as("its timeout is not kept").isEqualTo(timers - 1);
        timer.advance(TIMEOUT.multipliedBy(5));

        assertThat(put).isCompleted();
        assertThat(store.puts()).isEqualTo(1);
        assertThat(successes).containsExactly("1 of 1");
    }

    /** Stock fails the waiting tasks with the first error, so that further attempts help nobody. */
    @Test
    void anErrorFailsNobodyWhileAttemptsAreLeft() {
        store.put(0).begin().fail(new IOException("503"));
        assertThat(put).isNotDone();
        timer.advance(PAUSE.minusMillis(1));
        assertThat(store.puts()).isEqualTo(1);

        timer.advance(Duration.ofMillis(1));
        store.put(1).begin().fail(new OutOfMemoryError("an Error is no end either"));
        assertThat(put).isNotDone();
        timer.advance(PAUSE.multipliedBy(2).minusMillis(1));
        assertThat(store.puts()).isEqualTo(2);
        timer.advance(Duration.ofMillis(1));
        store.put(2).begin().succeed();

        assertThat(put).isCompleted();
        assertThat(successes).containsExactly("3 of 3");
    }

    @Test
    void theLastErrorFailsThePut() {
        for (int attempt = 0; attempt < 3; attempt++) {
            store.put(attempt).begin().fail(new IOException("error " + attempt));
            timer.advance(PAUSE.multipliedBy(2));
        }

        assertThat(store.puts()).isEqualTo(3);
        assertThatThrownBy(put::get)
                .hasRootCauseMessage("error 2")
                .hasMessageContaining("3 attempts");
    }

    @Test
    void aFailureThatCannotBeShownFailsThePutToo() {
        for (int attempt = 0; attempt < 3; attempt++) {
            store.put(attempt).begin();
            UnshowableException.fail(store.put(attempt));
            timer.advance(PAUSE.multipliedBy(2));
        }

        assertThat(put).isCompletedExceptionally();
        assertThatThrownBy(put::get)
                .hasCauseInstanceOf(IOException.class)
                .hasMessageContaining("UnshowableException")
                .hasMessageContaining("3 attempts");
        assertThat(puts.hasEnded(put)).isTrue();
    }

    /** No store should; but who waits for the put would wait for ever. */
    @Test
    void aStoreThatThrowsFailsAnAttempt() {
        store.put(0).begin().fail(new IOException("503"));
        store.onPut(
                next -> {
                    store.onPut(further -> {});
                    throw new IllegalStateException("broken");
                });
        timer.advance(PAUSE);
        assertThat(store.puts()).isEqualTo(1);
        assertThat(put).isNotDone();

        timer.advance(PAUSE.multipliedBy(2));
        store.put(1).begin().succeed();
        assertThat(put).isCompleted();
        assertThat(successes).containsExactly("3 of 3");
        assertThat(puts.hasEnded(put)).isTrue();
    }

    @Test
    void anErrorBetweenTwoAttemptsFailsThePut() {
        DoubleSupplier broken =
                () -> {
                    throw new IllegalStateException("broken");
                };
        CompletableFuture<FileStateHandle> paused = puts.put(retrying(store, broken), "paused");
        store.put(1).begin().fail(new IOException("503"));

        assertThat(paused).isCompletedExceptionally();
        assertThatThrownBy(paused::get).hasRootCauseMessage("broken");
        assertThat(puts.hasEnded(paused)).isTrue();
    }

    @Test
    void aTimeoutStartsTheNextAttemptAtOnceBesideTheFirst() {
        store.put(0).begin();
        timer.advance(TIMEOUT);
        assertThat(store.puts()).isEqualTo(2);
        assertThat(store.put(0).isCancelled()).isFalse();

        store.put(1).begin();
        store.put(0).succeed();

        assertThat(put).isCompleted();
        assertThat(successes).containsExactly("1 of 2");
    }

    @Test
    void aLoserThatEndsLaterLeavesNoObject() {
        store.put(0).begin();
        timer.advance(TIMEOUT);
        store.put(1).begin().succeed();
        store.put(0).succeed();

        assertThat(put).isCompleted();
        assertThat(store.objects()).hasSize(1).containsExactly(path(put));
    }

    @Test
    void waitingForAThreadIsNoTimeout() {
        timer.advance(TIMEOUT.multipliedBy(10));

        assertThat(put).isNotDone();
        assertThat(store.puts()).isEqualTo(1);
    }

    /** As of a file system: all of its threads may hang in calls that never return. */
    @Test
    void waitsForAThreadAMinuteWhileTheStoreGetsOnWithNothing() {
        timer.advance(Duration.ofMinutes(1).minusMillis(1));
        assertThat(put).isNotDone();
        timer.advance(Duration.ofMillis(1));

        assertThatThrownBy(put::get)
                .hasRootCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining("has not begun attempt 1");
        assertThat(store.puts()).isEqualTo(1);
    }

    @Test
    void waitsForAThreadWhileTheStoreGetsOnWithAnother() {
        PutContext retrying = retrying(store);
        puts.put(retrying, "other");
        CompletableFuture<FileStateHandle> waiting = puts.put(retrying, "waiting");
        store.put(1).begin();
        for (int half = 0; half < 6; half++) {
            timer.advance(Duration.ofSeconds(30));
            store.put(1).progress();
            assertThat(waiting).isNotDone();
        }

        timer.advance(Duration.ofMinutes(1));
        assertThat(waiting).isCompletedExceptionally();
    }

    /** The further attempt of a put whose first one hangs finds no thread either. */
    @Test
    void aHangingAttemptEndsThoughTheNextOneHasNoThread() {
        store.put(0).begin();
        timer.advance(TIMEOUT);
        assertThat(store.puts()).isEqualTo(2);
        timer.advance(Duration.ofMinutes(1));

        assertThatThrownBy(put::get).hasRootCauseInstanceOf(TimeoutException.class);
    }

    @Test
    void theLastTimeoutFailsThePutAndLateSuccessesLeaveNoObject() {
        for (int attempt = 0; attempt < 3; attempt++) {
            store.put(attempt).begin();
            timer.advance(TIMEOUT);
        }
        assertThatThrownBy(put::get).hasRootCauseInstanceOf(TimeoutException.class);

        store.put(0).succeed();
        store.put(1).succeed();
        store.put(2).succeed();

        assertThat(store.objects()).isEmpty();
    }

    /** Else none would ever be stored where each takes longer than all attempts together. */
    @Test
    void whoRunsOutOfAttemptsGetsLongerOnesNextTime() {
        PutContext retrying = retrying(store);
        List<CompletableFuture<FileStateHandle>> together = new ArrayList<>();
        for (int put = 0; put < 2; put++) {
            together.add(puts.put(retrying, "late " + put));
        }
        int begun = 0;
        for (int attempt = 0; attempt < 3; attempt++) {
            for (; begun < store.puts(); begun++) {
                store.put(begun).begin();
            }
            timer.advance(TIMEOUT);
        }
        assertThat(together).allMatch(CompletableFuture::isCompletedExceptionally);

        CompletableFuture<FileStateHandle> longer = puts.put(retrying, "segment");
        store.put(begun).begin();
        timer.advance(TIMEOUT.multipliedBy(2).minusMillis(1));
        assertThat(store.puts()).isEqualTo(begun + 1);
        store.put(begun).succeed();
        assertThat(longer).isCompleted();

        puts.put(retrying, "stored within half of it");
        store.put(begun + 1).begin();
        timer.advance(TIMEOUT.minusMillis(1));
        store.put(begun + 1).succeed();

        puts.put(retrying, "segment");
        store.put(begun + 2).begin();
        timer.advance(TIMEOUT);
        assertThat(store.puts()).isEqualTo(begun + 4);
    }

    /** Each request takes 20 s: a slow store must not get three for each put. */
    @Test
    void aStoreThatAnswersLateGetsOneRequestForEachPutInTheEnd() {
        ScriptedStore late = new ScriptedStore();
        late.onPut(
                request -> {
                    request.begin();
                    timer.schedule(() -> request.succeed(), 20, TimeUnit.SECONDS);
                });
        PutContext retrying = retrying(late);
        List<Integer> requests = new ArrayList<>();
        CompletableFuture<FileStateHandle> last = new CompletableFuture<>();
        for (int put = 0; put < 8; put++) {
            int before = late.puts();
            last = puts.put(retrying, "late " + put);
            while (!last.isDone()) {
                timer.advance(TIMEOUT);
            }
            requests.add(late.puts() - before);
        }
        assertThat(last).isCompleted();
        assertThat(requests).startsWith(3, 3, 3, 3, 2).endsWith(1, 1, 1);

        late.onPut(request -> request.begin());
        CompletableFuture<FileStateHandle> down = puts.put(retrying, "down");
        while (!down.isDone()) {
            timer.advance(TIMEOUT);
        }
        int before = late.puts();
        puts.put(retrying, "down still");
        timer.advance(TIMEOUT.multipliedBy(8));
        assertThat(late.puts())
                .as("a store that is down is asked more often")
                .isEqualTo(before + 2);
    }

    /** Else a segment that needs longer than all attempts would be sent from its start for ever. */
    @Test
    void anAttemptThatGetsSomewhereIsWaitedForWithoutAnother() {
        store.put(0).begin();
        for (int piece = 0; piece < 1000; piece++) {
            timer.advance(TIMEOUT.minusMillis(1));
            store.put(0).progress();
        }
        assertThat(store.puts()).isEqualTo(1);
        store.put(0).succeed();

        assertThat(put).isCompleted();
        assertThat(successes).containsExactly("1 of 1");
        assertThat(timer.size()).isLessThanOrEqualTo(1);
    }

    @Test
    void oneThatGetsNoFurtherForATimeoutIsNotWaitedFor() {
        store.put(0).begin();
        timer.advance(TIMEOUT.dividedBy(2));
        store.put(0).progress();
        timer.advance(TIMEOUT.minusMillis(1));
        assertThat(store.puts()).isEqualTo(1);
        timer.advance(Duration.ofMillis(1));
        assertThat(store.puts()).isEqualTo(2);
    }

    /** Both, say, as a connection that was lost for a while is back. */
    @Test
    void noTimeoutEndsAnOlderAttemptThatGetsSomewhere() {
        for (int attempt = 0; attempt < 3; attempt++) {
            store.put(attempt).begin();
            timer.advance(attempt < 2 ? TIMEOUT : TIMEOUT.dividedBy(2));
        }
        for (int piece = 0; piece < 100; piece++) {
            store.put(0).progress();
            timer.advance(TIMEOUT.minusMillis(1));
        }
        assertThat(put).isNotDone();
        assertThat(store.put(0).isCancelled()).isFalse();
        store.put(0).succeed();

        assertThat(put).isCompleted();
        assertThat(successes).containsExactly("1 of 3");
    }

    @Test
    void noErrorOfALaterAttemptEndsOneThatGetsSomewhere() {
        lastAttemptFailsBesideTheFirst();
        timer.advance(TIMEOUT.minusMillis(1));
        store.put(0).progress();
        timer.advance(TIMEOUT.minusMillis(1));
        assertThat(put).isNotDone();
        store.put(0).succeed();

        assertThat(put).isCompleted();
    }

    @Test
    void thePutFailsAsItsLastHopeGetsNoFurther() {
        lastAttemptFailsBesideTheFirst();
        timer.advance(TIMEOUT);

        assertThatThrownBy(put::get).hasRootCauseMessage("error 2");
    }

    @Test
    void thePutFailsWithItsLastHope() {
        lastAttemptFailsBesideTheFirst();
        store.put(0).fail(new IOException("error 0"));

        assertThatThrownBy(put::get).hasRootCauseMessage("error 0");
    }

    private void lastAttemptFailsBesideTheFirst() {
        store.put(0).begin();
        timer.advance(TIMEOUT);
        for (int attempt = 1; attempt < 3; attempt++) {
            store.put(0).progress();
            store.put(attempt).begin().fail(new IOException("error " + attempt));
            timer.advance(attempt < 2 ? PAUSE.multipliedBy(2) : Duration.ZERO);
        }
        assertThat(store.puts()).isEqualTo(3);
        assertThat(put).isNotDone();
    }

    /** A file system may take all bytes at once, and send them as the file is closed. */
    @Test
    void theLastAttemptIsGivenASecondForEachMegabyte() {
        SegmentContent content = contentOf(20_000_000);
        CompletableFuture<FileStateHandle> large = puts.put(retrying(store), "large", content);
        for (int attempt = 1; attempt < 4; attempt++) {
            store.put(attempt).begin();
            timer.advance(TIMEOUT);
        }
        timer.advance(Duration.ofSeconds(20).minusMillis(1));
        assertThat(large).isNotDone();
        timer.advance(Duration.ofMillis(1));
        assertThatThrownBy(large::get).hasRootCauseInstanceOf(TimeoutException.class);
    }

    private static SegmentContent contentOf(long expectedBytes) {
        return new SegmentContent() {
            @Override
            public void writeTo(OutputStream out) throws IOException {
                out.write(1);
            }

            @Override
            public long expectedBytes() {
                return expectedBytes;
            }
        };
    }

    @Test
    void anErrorOfAnAttemptThatHasTimedOutChangesNothing() {
        store.put(0).begin();
        timer.advance(TIMEOUT);
        store.put(0).fail(new IOException("late"));
        timer.advance(PAUSE);
        assertThat(store.puts()).isEqualTo(2);

        store.put(1).begin().succeed();
        assertThat(put).isCompleted();
    }

    @Test
    void givingUpStopsEverything() {
        store.put(0).begin();
        put.cancel(false);
        timer.advance(TIMEOUT.multipliedBy(5));
        store.put(0).succeed();

        assertThat(store.puts()).isEqualTo(1);
        assertThat(store.objects()).isEmpty();
    }

    private static String path(CompletableFuture<FileStateHandle> put) {
        return put.join().getFilePath().toString();
    }
}
