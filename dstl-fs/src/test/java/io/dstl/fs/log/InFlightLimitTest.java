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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.batch.StoreWatch.Pressure;
import io.dstl.fs.log.InFlightLimit.WaitListener;
import io.dstl.fs.testing.LogHarness;
import io.dstl.store.testing.ScriptedStore;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.ObjLongConsumer;
import org.apache.flink.runtime.io.AvailabilityProvider;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InFlightLimitTest {

    private static final IOException REFUSAL = new IOException("403 AccessDenied");

    private final List<Pressure> heard = new ArrayList<>();
    private final InFlightLimit limit =
            new InFlightLimit(100, 200, (pressure, bytes) -> heard.add(pressure));
    private final InFlightLimit.Share share = limit.share(WaitListener.NONE);

    @Test
    void isAvailableUpToTheLimit() {
        share.add(100);
        assertThat(limit.getAvailableFuture()).isSameAs(AvailabilityProvider.AVAILABLE);

        assertThat(share.add(1)).isTrue();
        CompletableFuture<?> available = limit.getAvailableFuture();
        assertThat(available).isNotDone();
        assertThat(share.add(50)).isFalse();
        assertThat(limit.getAvailableFuture()).isSameAs(available);

        share.remove(51);
        assertThat(available).isCompleted();
        assertThat(limit.getAvailableFuture()).isSameAs(AvailabilityProvider.AVAILABLE);
        assertThat(heard).containsExactly(Pressure.UNAVAILABLE, Pressure.NONE);
    }

    /** Else the barrier that brings the refusal to light would not come. */
    @Test
    void hasNoSoftLimitWhileAllIsRefused() {
        share.add(101);
        CompletableFuture<?> available = limit.getAvailableFuture();
        share.waiveSoftLimit(REFUSAL);

        assertThat(available).isCompleted();
        assertThat(share.add(20)).isFalse();
        assertThat(limit.getAvailableFuture()).isSameAs(AvailabilityProvider.AVAILABLE);
        assertThat(limit.isReached()).isFalse();

        share.stored();
        assertThat(limit.getAvailableFuture()).isNotDone();
        share.remove(21);
        assertThat(limit.getAvailableFuture()).isSameAs(AvailabilityProvider.AVAILABLE);
        assertThat(heard)
                .containsExactly(
                        Pressure.UNAVAILABLE, Pressure.NONE, Pressure.UNAVAILABLE, Pressure.NONE);
    }

    @Test
    void hasItsSoftLimitOnceAnythingWasStored() {
        share.add(1);
        share.stored();
        share.remove(1);
        share.add(101);
        CompletableFuture<?> available = limit.getAvailableFuture();
        share.waiveSoftLimit(REFUSAL);

        assertThat(available).isNotDone();
        assertThat(limit.getAvailableFuture()).isSameAs(available);
    }

    /** It would wait for ever: nothing is stored until someone has mended what is refused. */
    @Test
    void givesTheRefusalToWhoWouldWait() throws Exception {
        share.add(201);
        CompletableFuture<Boolean> room = awaitRoom();
        share.waiveSoftLimit(REFUSAL);

        assertThatThrownBy(room::get).hasRootCause(REFUSAL).hasMessageContaining("403");
        assertThatThrownBy(share::awaitRoom).hasCause(REFUSAL).hasMessageContaining("403");
        assertThat(limit.share(WaitListener.NONE).awaitRoom()).as("has nothing in flight").isTrue();
        assertThat(limit.waiting()).isZero();
        assertThat(heard).containsExactly(Pressure.UNAVAILABLE, Pressure.WAITING, Pressure.NONE);

        share.stored();
        share.remove(101);
        assertThat(share.awaitRoom()).isTrue();
    }

    @Test
    void refusesToGoBelowZero() {
        limit.share(WaitListener.NONE).add(50);
        share.add(5);

        assertThatThrownBy(() -> share.remove(6))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("6 bytes");
    }

    @Test
    void refusesAHardLimitBelowTheSoftOne() {
        assertThatThrownBy(() -> new InFlightLimit(100, 99, (pressure, bytes) -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("99")
                .hasMessageContaining("100");
    }

    /** It would wait for what others hold, who may never hand it in. */
    @Test
    void whoHasNothingInFlightDoesNotWait() throws Exception {
        limit.share(WaitListener.NONE).add(201);

        assertThat(limit.isFull()).isTrue();
        assertThat(share.awaitRoom()).isTrue();
        assertThat(heard).containsExactly(Pressure.UNAVAILABLE);
    }

    @Test
    void whoseBytesAreStoredGoesOnThoughTheLimitIsStillExceeded() throws Exception {
        limit.share(WaitListener.NONE).add(201);
        share.add(10);
        CompletableFuture<Boolean> room = awaitRoom();
        share.remove(10);

        assertThat(room.get()).isTrue();
        assertThat(limit.isFull()).isTrue();
    }

    @Test
    void goesOnAtTheLimit() throws Exception {
        share.add(201);
        CompletableFuture<Boolean> room = awaitRoom();
        share.remove(1);

        assertThat(room.get()).isTrue();
        assertThat(limit.waiting()).isZero();
        assertThat(heard).containsExactly(Pressure.UNAVAILABLE, Pressure.WAITING);
        share.remove(100);
        assertThat(heard).endsWith(Pressure.NONE);
    }

    @Test
    void whoEndsWaitsNoMore() throws Exception {
        share.add(201);
        CompletableFuture<Boolean> room = awaitRoom();
        share.end();

        assertThat(room.get()).isFalse();
        assertThat(share.awaitRoom()).isFalse();
        assertThat(limit.bytes()).isEqualTo(201);
    }

    /** Another thread may bring the count down before the first has told that it is up. */
    @Test
    void saysLastWhatIsTheCase() {
        InFlightLimit.Share[] shares = new InFlightLimit.Share[1];
        ObjLongConsumer<Pressure> overtaken =
                (pressure, bytes) -> {
                    if (pressure == Pressure.UNAVAILABLE) {
                        shares[0].remove(101);
                    }
                    heard.add(pressure);
                };
        shares[0] = new InFlightLimit(100, 200, overtaken).share(WaitListener.NONE);
        shares[0].add(101);

        assertThat(heard).containsExactly(Pressure.UNAVAILABLE, Pressure.NONE);
    }

    @Test
    void tellsOutsideItsOwnLock() throws Exception {
        InFlightLimit[] limits = new InFlightLimit[1];
        List<Boolean> kept = new ArrayList<>();
        limits[0] =
                new InFlightLimit(
                        100, 200, (pressure, bytes) -> kept.add(keepsFromItsEnd(limits[0]::bytes)));
        InFlightLimit.Share waiting = limits[0].share(WaitListener.NONE);
        waiting.add(201);
        CompletableFuture<Boolean> room = awaitRoom(waiting);
        waiting.remove(201);

        assertThat(room.get()).isTrue();
        assertThat(kept).isNotEmpty().doesNotContain(true);
    }

    @Test
    void tellsOutsideTheLocksOfALog() throws Exception {
        ScriptedStore store = new ScriptedStore();
        SegmentedChangeLog[] log = new SegmentedChangeLog[1];
        List<Boolean> kept = new ArrayList<>();
        LogHarness harness =
                harness(store, (pressure, bytes) -> kept.add(keepsFromItsEnd(log[0]::isClosed)));
        log[0] = harness.createLog();
        while (harness.inFlight.isAvailable()) {
            log[0].append(1, new byte[LogHarness.PREEMPTIVE_BYTES]);
        }
        store.succeedAll();

        assertThat(kept).containsExactly(false, false);
    }

    /** Whether the calling thread keeps a call by another one from its end, by a lock it holds. */
    private static boolean keepsFromItsEnd(Runnable call) {
        Thread thread = new Thread(call);
        thread.start();
        while (thread.isAlive()) {
            ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
            if (info != null && info.getLockOwnerId() == Thread.currentThread().getId()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Whatever the accounting does, a change set that is on its way is sent. */
    @Test
    void anErrorOfTheListenerLeavesNoChangeSetUnsent() throws Exception {
        ScriptedStore store = new ScriptedStore();
        LogHarness harness =
                harness(
                        store,
                        (pressure, bytes) -> {
                            if (pressure == Pressure.UNAVAILABLE) {
                                throw new IllegalStateException("broken");
                            }
                        });
        SegmentedChangeLog log = harness.createLog();
        assertThatThrownBy(
                        () -> {
                            while (true) {
                                log.append(1, new byte[LogHarness.PREEMPTIVE_BYTES]);
                            }
                        })
                .hasMessage("broken");

        CompletableFuture<?> persist = log.persist(SequenceNumber.of(0), 1);
        harness.timer.advance(LogHarness.DELAY);
        store.succeedAll();

        assertThat(persist).isCompleted();
        assertThat(harness.inFlight.bytes()).isZero();
    }

    private static LogHarness harness(ScriptedStore store, ObjLongConsumer<Pressure> listener) {
        return new LogHarness(
                store,
                new ManualTimer(),
                watch ->
                        new InFlightLimit(
                                LogHarness.IN_FLIGHT_BYTES,
                                2 * LogHarness.IN_FLIGHT_BYTES,
                                listener));
    }

    /** By another thread, which has to wait as this returns, or has ended. */
    private CompletableFuture<Boolean> awaitRoom() {
        return awaitRoom(share);
    }

    private static CompletableFuture<Boolean> awaitRoom(InFlightLimit.Share share) {
        CompletableFuture<Boolean> room = new CompletableFuture<>();
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                room.complete(share.awaitRoom());
                            } catch (Throwable t) {
                                room.completeExceptionally(t);
                            }
                        });
        thread.start();
        // Its listener has been told by then.
        while (thread.getState() != Thread.State.WAITING && !room.isDone()) {
            Thread.onSpinWait();
        }
        return room;
    }
}
