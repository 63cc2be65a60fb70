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

import io.dstl.store.HedgePolicy.HedgeBudget;
import io.dstl.store.PutLatencies.SizeClass;
import io.dstl.store.RetrySettings.HedgeSettings;
import io.dstl.store.SegmentStore.Naming;
import io.dstl.store.testing.CountedNames;
import io.dstl.store.testing.ScriptedStore;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;

/** The rules of a put together, and the order of its events. */
class PutRaceTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final ScriptedStore store = new ScriptedStore(Naming.REPLACES);
    private final ManualTimer timer = new ManualTimer();
    private final PutLatencies latencies = new PutLatencies();
    private final List<String> heard = new ArrayList<>();
    private final StartedPuts puts = new StartedPuts();
    private final PutContext context = context();

    /** Two attempts without a pause, and hedges. */
    private PutContext context() {
        return context(Runnable::run);
    }

    private PutContext context(Executor cleanups) {
        Pace pace = new Pace(timer::nanos, () -> {});
        HedgeBudget budget = new HedgeBudget(new HedgeSettings(1, 5));
        RetrySettings retries = new RetrySettings(2, Optional.of(TIMEOUT), Duration.ZERO);
        return new PutContext(
                store,
                new PutRules(
                        new RetryPolicy(retries, () -> 0.5, timer::nanos),
                        new HedgePolicy(latencies, budget, pace::isBounded, timer::nanos),
                        pace,
                        Long.MAX_VALUE),
                timer,
                new CountedNames("more-"),
                new Cleanups(cleanups, timer),
                new PutObserver() {
                    @Override
                    public void requestBegun() {
                        heard.add("begun");
                    }

                    @Override
                    public void retried() {
                        heard.add("retried");
                    }

                    @Override
                    public void hedgeSent() {
                        heard.add("hedge sent");
                    }

                    @Override
                    public void hedgeWon() {
                        heard.add("hedge won");
                    }

                    @Override
                    public void stored(int winner, int started) {
                        heard.add("stored");
                    }
                });
    }

    private void usuallyTakes(Duration time) {
        for (int put = 0; put < PutLatencies.KNOWS_THE_QUANTILE; put++) {
            latencies.record(SizeClass.UP_TO_64_KB, time.toNanos());
        }
    }

    private CompletableFuture<FileStateHandle> put() {
        CompletableFuture<FileStateHandle> put = puts.put(context, "segment");
        put.whenComplete((segment, error) -> heard.add(error == null ? "done" : "failed"));
        return put;
    }

    @Test
    void tellsInTheStatedOrder() {
        usuallyTakes(Duration.ofMillis(20));
        CompletableFuture<FileStateHandle> put = put();
        store.put(0).begin();
        timer.advance(Duration.ofMillis(20));
        store.put(1).begin().succeed();
        assertThat(puts.hasEnded(put)).isFalse();
        store.put(0).fail(new IOException("reset"));

        assertThat(puts.hasEnded(put)).isTrue();
        assertThat(heard)
                .containsExactly("begun", "hedge sent", "begun", "hedge won", "stored", "done");
    }

    /** As where a process may start no more threads. */
    @Test
    void endsWhereNoThreadCanBeHadForTheCleanUp() {
        CompletableFuture<FileStateHandle> put =
                puts.put(
                        context(
                                task -> {
                                    throw new OutOfMemoryError("unable to create native thread");
                                }),
                        "segment");
        for (int attempt = 0; attempt < 2; attempt++) {
            store.put(attempt).begin().fail(new IOException("reset"));
        }

        assertThat(put).isCompletedExceptionally();
        assertThat(puts.hasEnded(put)).isTrue();
    }

    @Test
    void endsAfterTheCallerHasGivenItUp() {
        CompletableFuture<FileStateHandle> put = put();
        put.cancel(false);
        assertThat(heard).containsExactly("failed");
        assertThat(store.put(0).isCancelled()).isTrue();
        assertThat(puts.hasEnded(put)).isFalse();
        store.put(0).succeed();

        assertThat(puts.hasEnded(put)).isTrue();
        assertThat(heard).containsExactly("failed");
    }

    /** Else a pause of nothing would have it sent against the wish. */
    @Test
    void thePaceHearsOfAWishBeforeTheNextAttemptStarts() {
        put();
        store.put(0).begin().fail(new ThrottledException("503", null));
        assertThat(heard).contains("retried");
        assertThat(store.puts()).isEqualTo(1);

        timer.advance(Duration.ofMillis(100));
        assertThat(store.puts()).isEqualTo(2);
    }

    /** Under one name the first attempt is left to end; it is late, and nobody waits for it. */
    @Test
    void aLoserGetsNoHedge() {
        usuallyTakes(TIMEOUT.multipliedBy(2));
        CompletableFuture<FileStateHandle> put = put();
        store.put(0).begin();
        timer.advance(TIMEOUT);
        store.put(1).begin().succeed();
        assertThat(put).isCompleted();
        timer.advance(TIMEOUT.multipliedBy(5));

        assertThat(store.puts()).isEqualTo(2);
        assertThat(heard).doesNotContain("hedge sent");
    }

    @Test
    void anAttemptWhoseHedgeGetsSomewhereIsWaitedFor() {
        usuallyTakes(Duration.ofMillis(20));
        CompletableFuture<FileStateHandle> put = put();
        store.put(0).begin();
        timer.advance(Duration.ofMillis(20));
        store.put(1).begin();
        for (int piece = 0; piece < 10; piece++) {
            timer.advance(TIMEOUT.minusMillis(50));
            store.put(1).progress();
        }
        assertThat(store.puts()).isEqualTo(2);
        store.put(1).succeed();

        assertThat(put).isCompleted();
        assertThat(heard).doesNotContain("retried").contains("hedge won");
    }

    @Test
    void aHedgeIsNoAttempt() {
        usuallyTakes(Duration.ofMillis(20));
        CompletableFuture<FileStateHandle> put = put();
        store.put(0).begin();
        timer.advance(Duration.ofMillis(20));
        store.put(1).begin();
        store.put(0).fail(new IOException("first"));
        store.put(1).fail(new IOException("hedge"));
        assertThat(heard).contains("retried");
        store.put(2).begin().fail(new IOException("second"));

        assertThat(heard).endsWith("failed");
        assertThat(puts.hasEnded(put)).isTrue();
        assertThat(store.puts()).isEqualTo(3);
    }
}
