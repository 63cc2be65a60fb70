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

import io.dstl.store.testing.CountedNames;
import io.dstl.store.testing.ScriptedStore;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;

class PutPaceTest {

    private final ScriptedStore store = new ScriptedStore();
    private final ManualTimer timer = new ManualTimer();
    private final PutRules rules = rules(timer::nanos);
    private final Pace pace = rules.pace;
    private final PutContext paced = paced(rules);
    private final StartedPuts puts = new StartedPuts();

    /** Each put is one request. */
    private static PutRules rules(NanoClock clock) {
        RetrySettings once = new RetrySettings(1, Optional.empty(), Duration.ZERO);
        return PutRules.of(once, Long.MAX_VALUE, () -> 0.5, clock, PutObserver.NONE);
    }

    private PutContext paced(PutRules by) {
        return new PutContext(
                store,
                by,
                timer,
                new CountedNames("more-"),
                new Cleanups(Runnable::run, timer),
                PutObserver.NONE);
    }

    private CompletableFuture<FileStateHandle> put(String name) {
        return puts.put(paced, name);
    }

    private void throttle() {
        put("throttled");
        store.put(0).begin().fail(new IOException(new ThrottledException("503", null)));
    }

    @Test
    void aWishMakesLaterPutsWaitForTheirTurn() {
        throttle();
        CompletableFuture<FileStateHandle> first = put("first");
        CompletableFuture<FileStateHandle> second = put("second");
        assertThat(store.puts()).isEqualTo(1);

        timer.advance(Duration.ofMillis(100));
        assertThat(store.puts()).isEqualTo(2);
        timer.advance(Duration.ofMillis(100));
        assertThat(store.puts()).isEqualTo(3);
        store.succeedAll();

        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(puts.hasEnded(first)).isTrue();
        assertThat(puts.hasEnded(second)).isTrue();
    }

    @Test
    void anyOtherFailureHoldsNothingBack() {
        put("failing");
        store.put(0).begin().fail(new IOException("reset"));
        put("next");

        assertThat(store.puts()).isEqualTo(2);
    }

    @Test
    void failuresOfAPutThatWaitedArePassedOn() {
        throttle();
        CompletableFuture<FileStateHandle> put = put("waits");
        timer.advance(Duration.ofMillis(100));
        store.put(1).begin().fail(new IOException("reset"));

        assertThat(put).isCompletedExceptionally();
    }

    @Test
    void aPutGivenUpWhileItWaitsNeverBegins() {
        throttle();
        CompletableFuture<FileStateHandle> put = put("waits");
        put.cancel(false);
        timer.advance(Duration.ofSeconds(1));

        assertThat(store.puts()).isEqualTo(1);
        assertThat(puts.hasEnded(put)).isTrue();
    }

    @Test
    void givingUpReachesThePutThatHasWaited() {
        throttle();
        CompletableFuture<FileStateHandle> put = put("waits");
        timer.advance(Duration.ofMillis(100));
        put.cancel(false);

        assertThat(store.put(1).isCancelled()).isTrue();
    }

    /** Five further wishes, a second apart: one request a second. */
    private void throttleToOneASecond() {
        throttle();
        for (int wish = 0; wish < 5; wish++) {
            timer.advance(Duration.ofSeconds(1));
            pace.throttled();
        }
    }

    private List<CompletableFuture<FileStateHandle>> putMany(int number) {
        List<CompletableFuture<FileStateHandle>> puts = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            puts.add(put("waits-" + i));
        }
        return puts;
    }

    /** At one a second, the last of thirty would wait for half a minute. */
    @Test
    void whatWaitsGoesEarlierAsTheStoreRecovers() {
        throttleToOneASecond();
        List<CompletableFuture<FileStateHandle>> puts = putMany(30);
        timer.advance(Duration.ofSeconds(1));
        assertThat(store.puts()).isEqualTo(2);

        // One second for the first, and then 1/2, 1/3, ... down to 1/20.
        for (int millis = 0; millis < 3200; millis++) {
            store.succeedAll();
            timer.advance(Duration.ofMillis(1));
        }
        store.succeedAll();

        assertThat(puts).allSatisfy(put -> assertThat(put).isCompleted());
    }

    @Test
    void whatWaitsIsNoBurstWhenTheStoreTakesAllAgain() {
        throttle();
        CompletableFuture<FileStateHandle> first = put("first");
        putMany(30);
        timer.advance(Duration.ofMillis(100));
        for (int success = 0; success < 10; success++) {
            pace.succeeded();
        }
        assertThat(store.puts()).isEqualTo(2);

        store.put(1).begin().succeed();

        assertThat(first).isCompleted();
        assertThat(pace.isBounded()).isFalse();
        assertThat(store.puts()).isEqualTo(2);
        for (int i = 0; i < 30; i++) {
            timer.advance(Duration.ofMillis(50));
            assertThat(store.puts()).isEqualTo(3 + i);
            assertThat(store.put(2 + i).name()).endsWith("waits-" + i);
        }
        assertThat(timer.size()).isZero();
    }

    @Test
    void newPutsWaitForNoneWhenTheStoreTakesAllAgain() {
        throttle();
        putMany(3);
        for (int success = 0; success < 11; success++) {
            pace.succeeded();
        }
        put("new");
        put("newer");

        assertThat(store.puts()).isEqualTo(3);
        assertThat(store.put(1).name()).endsWith("new");
        assertThat(store.put(2).name()).endsWith("newer");
        timer.advance(Duration.ofMillis(200));
        assertThat(store.puts()).isEqualTo(6);
    }

    /** Its thread has not yet said that it does not wait any more. */
    @Test
    void whatIsGivenUpAsItsTurnComesLeavesTheTurnToTheNext() throws Exception {
        AtomicReference<Runnable> onTurn = new AtomicReference<>(() -> {});
        PutRules watched =
                rules(
                        () -> {
                            onTurn.get().run();
                            return timer.nanos();
                        });
        PutContext held = paced(watched);
        watched.pace.throttled();
        CompletableFuture<FileStateHandle> first = puts.put(held, "first");
        puts.put(held, "second");
        Thread canceller = new Thread(() -> first.cancel(false));
        onTurn.set(
                () -> {
                    if (timer.nanos() > 0 && canceller.getState() == Thread.State.NEW) {
                        canceller.start();
                        while (!first.isDone()) {
                            Thread.onSpinWait();
                        }
                    }
                });

        timer.advance(Duration.ofMillis(100));
        canceller.join();

        assertThat(store.puts()).isEqualTo(1);
        assertThat(store.put(0).name()).endsWith("second");
        assertThat(puts.hasEnded(first)).isTrue();
    }

    /** Each answer, given while the put is begun, would have the next begun within it. */
    @Test
    void manyThatAreAnsweredAtOnceTakeNoStack() {
        AtomicLong now = new AtomicLong();
        AtomicLong step = new AtomicLong();
        PutRules fast = rules(() -> now.addAndGet(step.get()));
        PutContext held = paced(fast);
        fast.pace.throttled();
        for (int i = 0; i < 50; i++) {
            puts.put(held, "waits-" + i);
        }
        Set<Integer> depths = new HashSet<>();
        store.onPut(
                put -> {
                    depths.add(Thread.currentThread().getStackTrace().length);
                    put.succeed();
                });
        step.set(TimeUnit.SECONDS.toNanos(1));
        timer.advance(Duration.ofMillis(100));

        assertThat(store.puts()).isEqualTo(50);
        assertThat(depths).hasSize(1);
    }

    private void breakOnce() {
        store.onPut(
                put -> {
                    store.onPut(next -> {});
                    throw new NoClassDefFoundError("a plugin's class");
                });
    }

    @Test
    void anErrorOfTheStoreFailsThatPutAndStopsNoOther() {
        throttle();
        CompletableFuture<FileStateHandle> first = put("first");
        CompletableFuture<FileStateHandle> second = put("second");
        breakOnce();
        timer.advance(Duration.ofMillis(200));
        store.succeedAll();

        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompleted();
        assertThat(puts.hasEnded(first)).isTrue();
        assertThat(puts.hasEnded(second)).isTrue();
    }

    @Test
    void anErrorOfTheStoreIsNotThrown() {
        breakOnce();
        CompletableFuture<FileStateHandle> first = put("first");

        assertThat(first).isCompletedExceptionally();
        assertThat(puts.hasEnded(first)).isTrue();
    }

    @Test
    void whatWaitsGoesLaterAsTheStoreAsksForFewerStill() {
        throttle();
        putMany(3);
        timer.advance(Duration.ofMillis(100));
        assertThat(store.puts()).isEqualTo(2);

        store.put(1).begin().fail(new ThrottledException("503", null));

        timer.advance(Duration.ofMillis(199));
        assertThat(store.puts()).isEqualTo(2);
        timer.advance(Duration.ofMillis(1));
        assertThat(store.puts()).isEqualTo(3);
    }

    @Test
    void noneOvertakesWhatWaits() {
        throttle();
        put("first");
        put("second");
        timer.advance(Duration.ofMillis(100));
        // Its turn has come, but not the time at which the timer looks for it.
        pace.succeeded();
        put("third");
        timer.advance(Duration.ofSeconds(1));

        assertThat(store.put(1).name()).endsWith("first");
        assertThat(store.put(2).name()).endsWith("second");
        assertThat(store.put(3).name()).endsWith("third");
    }

    @Test
    void whatIsGivenUpTakesNoTurn() {
        throttle();
        CompletableFuture<FileStateHandle> first = put("first");
        put("second");
        first.cancel(false);
        assertThat(puts.hasEnded(first)).isTrue();

        timer.advance(Duration.ofMillis(100));
        assertThat(store.put(1).name()).endsWith("second");
    }

    @Test
    void aClosedTimerEndsWhatWaited() {
        throttle();
        CompletableFuture<FileStateHandle> first = put("first");
        timer.shutdown();
        CompletableFuture<FileStateHandle> second = put("second");

        assertThat(first).isCompletedExceptionally();
        assertThat(second).isCompletedExceptionally();
        assertThat(puts.hasEnded(first)).isTrue();
        assertThat(puts.hasEnded(second)).isTrue();
    }

    @Test
    void aClosedTimerEndsThePut() {
        throttle();
        timer.shutdown();

        CompletableFuture<FileStateHandle> put = put("waits");
        assertThat(put).isCompletedExceptionally();
        assertThat(puts.hasEnded(put)).isTrue();
    }
}
