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
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PutHedgeTest {

    private static final Duration USUAL = Duration.ofMillis(20);
    private static final SizeClass SMALL = SizeClass.UP_TO_64_KB;

    private final ManualTimer timer = new ManualTimer();
    private final PutLatencies latencies = new PutLatencies();
    private final StartedPuts puts = new StartedPuts();
    private final List<String> hedges = new ArrayList<>();
    private ScriptedStore store = new ScriptedStore(Naming.REPLACES);
    private boolean throttled;
    private PutContext hedging = hedging(1);

    private PutContext hedging(double share) {
        HedgePolicy policy =
                new HedgePolicy(
                        latencies,
                        new HedgeBudget(new HedgeSettings(share, 5)),
                        () -> throttled,
                        timer::nanos);
        RetrySettings once = new RetrySettings(1, Optional.empty(), Duration.ZERO);
        return new PutContext(
                store,
                new PutRules(
                        new RetryPolicy(once, () -> 0.5, timer::nanos),
                        policy,
                        new Pace(timer::nanos, () -> {}),
                        Long.MAX_VALUE),
                timer,
                new CountedNames("hedge-"),
                new Cleanups(Runnable::run, timer),
                new PutObserver() {
                    @Override
                    public void hedgeSent() {
                        hedges.add("sent");
                    }

                    @Override
                    public void hedgeWon() {
                        hedges.add("won");
                    }
                });
    }

    private void warmUp() {
        for (int put = 0; put < PutLatencies.KNOWS_THE_QUANTILE; put++) {
            latencies.record(SMALL, USUAL.toNanos());
        }
    }

    private CompletableFuture<FileStateHandle> put() {
        return puts.put(hedging, "segment");
    }

    private CompletableFuture<FileStateHandle> latePut() {
        CompletableFuture<FileStateHandle> put = put();
        store.put(0).begin();
        timer.advance(USUAL);
        return put;
    }

    @Test
    void sendsNoneWhileNothingIsKnown() {
        put();
        store.put(0).begin();
        timer.advance(Duration.ofMinutes(1));

        assertThat(store.puts()).isEqualTo(1);
    }

    @Test
    void sendsOneWhenThePutIsLate() {
        warmUp();
        put();
        store.put(0).begin();
        timer.advance(USUAL.minusMillis(1));
        assertThat(store.puts()).isEqualTo(1);
        timer.advance(Duration.ofMillis(1));
        assertThat(store.puts()).isEqualTo(2);
        timer.advance(Duration.ofMinutes(1));

        assertThat(store.puts()).isEqualTo(2);
        assertThat(store.put(1).name()).isEqualTo(store.put(0).name());
        assertThat(hedges).containsExactly("sent");
    }

    @Test
    void waitingForAThreadIsNotLate() {
        warmUp();
        put();
        timer.advance(USUAL.multipliedBy(100));

        assertThat(store.puts()).isEqualTo(1);
    }

    @Test
    void theHedgeWinsAndTheLoserIsLeftToEnd() {
        warmUp();
        CompletableFuture<FileStateHandle> put = latePut();
        store.put(1).begin().succeed();
        assertThat(put).isCompleted();
        assertThat(store.put(0).isCancelled()).isFalse();
        assertThat(puts.hasEnded(put)).isFalse();
        store.put(0).succeed();

        assertThat(puts.hasEnded(put)).isTrue();
        assertThat(hedges).containsExactly("sent", "won");
        assertThat(store.objects()).containsExactly("memory/segment");
    }

    @Test
    void theFirstWinsAllTheSame() {
        warmUp();
        CompletableFuture<FileStateHandle> put = latePut();
        store.put(1).begin();
        store.put(0).succeed();

        assertThat(put).isCompleted();
        assertThat(hedges).containsExactly("sent");
    }

    @Test
    void whereANameIsWrittenOnceTheLoserLeavesNothing() {
        store = new ScriptedStore();
        hedging = hedging(1);
        warmUp();
        CompletableFuture<FileStateHandle> put = latePut();
        store.put(1).begin().succeed();
        store.put(0).succeed();

        assertThat(store.put(1).name()).isEqualTo("memory/hedge-1");
        assertThat(store.objects()).containsExactly("memory/hedge-1");
        assertThat(puts.hasEnded(put)).isTrue();
    }

    @Test
    void theLosersTimeCountsToo() {
        warmUp();
        latePut();
        store.put(1).begin().succeed();
        timer.advance(Duration.ofSeconds(2));
        store.put(0).succeed();

        assertThat(latencies.of(SMALL).getStatistics().getMax())
                .isEqualTo(USUAL.plusSeconds(2).toNanos());
    }

    /** A put may end after its result is known: that is no second time. */
    @ParameterizedTest
    @EnumSource(Naming.class)
    void aSuccessCountsOnce(Naming naming) {
        store = new ScriptedStore(naming);
        hedging = hedging(1);
        put();
        store.put(0).begin();
        timer.advance(USUAL);
        store.put(0).succeed();

        assertThat(latencies.of(SMALL).getCount()).isEqualTo(1);
        assertThat(latencies.of(SMALL).getStatistics().getMax()).isEqualTo(USUAL.toNanos());
    }

    /** Else a store that refuses at once would make all others look late. */
    @ParameterizedTest
    @EnumSource(Naming.class)
    void theTimeOfAFailureDoesNotCount(Naming naming) {
        store = new ScriptedStore(naming);
        hedging = hedging(1);
        put();
        store.put(0).begin().fail(new IOException("refused"));

        assertThat(latencies.of(SMALL).getCount()).isZero();
    }

    @Test
    void whereANameIsWrittenOnceTheLosersTimeCountsOnceToo() {
        store = new ScriptedStore();
        hedging = hedging(1);
        warmUp();
        latePut();
        store.put(1).begin().succeed();
        timer.advance(Duration.ofSeconds(2));
        store.put(0).succeed();

        assertThat(latencies.of(SMALL).getCount()).isEqualTo(PutLatencies.KNOWS_THE_QUANTILE + 2);
        assertThat(latencies.of(SMALL).getStatistics().getMax())
                .isEqualTo(USUAL.plusSeconds(2).toNanos());
    }

    @Test
    void aFailureBeforeIsTheEnd() {
        warmUp();
        CompletableFuture<FileStateHandle> put = put();
        store.put(0).begin().fail(new IOException("reset"));
        timer.advance(USUAL);

        assertThat(put).isCompletedExceptionally();
        assertThat(store.puts()).isEqualTo(1);
    }

    @Test
    void aFailureBesideAHedgeIsNot() {
        warmUp();
        CompletableFuture<FileStateHandle> put = latePut();
        store.put(1).begin();
        store.put(0).fail(new IOException("reset"));
        assertThat(put).isNotDone();
        store.put(1).succeed();

        assertThat(put).isCompleted();
    }

    @Test
    void failsWithWhatTheFirstFailedWith() {
        warmUp();
        CompletableFuture<FileStateHandle> put = latePut();
        store.put(1).begin().fail(new IOException("of the hedge"));
        store.put(0).fail(new IOException("of the first"));

        assertThatThrownBy(put::get).hasRootCauseMessage("of the first");
        assertThat(puts.hasEnded(put)).isTrue();
    }

    @Test
    void givingUpGivesBothUp() {
        warmUp();
        latePut().cancel(false);

        assertThat(store.put(0).isCancelled()).isTrue();
        assertThat(store.put(1).isCancelled()).isTrue();
    }

    @Test
    void sendsNoneWhileTheStoreAsksForFewer() {
        warmUp();
        throttled = true;
        latePut();

        assertThat(store.puts()).isEqualTo(1);
    }

    @Test
    void sendsNoMoreThanTheShare() {
        hedging = hedging(0.02);
        for (int put = 0; put < 1000; put++) {
            put();
            int number = store.puts() - 1;
            store.put(number).begin();
            timer.advance(USUAL.multipliedBy(put + 1));
            store.succeedAll();
        }

        // They come seconds apart: 5%, and those of the start.
        int most = 50 + HedgeBudget.AT_THE_START;
        assertThat(hedges.stream().filter("sent"::equals)).hasSizeBetween(1, most);
        assertThat(store.puts()).isBetween(1001, 1000 + most);
    }
}
