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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WatchedPoolTest {

    private final DaemonThreads factory = new DaemonThreads("test");
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final ThreadPoolExecutor pool =
            new ThreadPoolExecutor(
                    1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), this::newThread);
    private final ManualTimer timer = new ManualTimer();
    private final WatchedPool watched = new WatchedPool(pool, timer);
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

    private Thread newThread(Runnable work) {
        Thread thread = factory.newThread(work);
        threads.add(thread);
        return thread;
    }

    @AfterEach
    void end() {
        pool.shutdownNow();
    }

    /** Notices an interrupt, but does not end by it. */
    private void hang() {
        begun.countDown();
        boolean noticed = false;
        while (goOn.getCount() > 0) {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                noticed = true;
                interrupted.complete(true);
            }
        }
        interrupted.complete(noticed);
    }

    private void joinAll() throws InterruptedException {
        pool.shutdown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void oneThatHangsIsInterruptedAndKeepsNoOtherWaiting() throws Exception {
        StreamStateHandle first = SegmentLedger.segment("first");
        StreamStateHandle second = SegmentLedger.segment("second");
        CompletableFuture<Void> deleted = new CompletableFuture<>();
        DeletionQueue queue =
                new DeletionQueue(
                        segment -> {
                            if (segment == first) {
                                hang();
                            } else {
                                deleted.complete(null);
                            }
                        },
                        watched,
                        DeletionSchedule.none(),
                        RegistryListener.none());
        queue.delete(first);
        begun.await();
        queue.delete(second);
        timer.advance(WatchedPool.ALLOWED.minusMillis(1));
        assertThat(interrupted).isNotDone();
        assertThat(deleted).isNotDone();

        timer.advance(Duration.ofMillis(1));
        deleted.join();
        assertThat(interrupted.join()).isTrue();

        goOn.countDown();
        joinAll();
        assertThat(pool.getCorePoolSize()).isEqualTo(1);
    }

    @Test
    void oneThatEndsInTimeIsNotInterrupted() throws Exception {
        goOn.countDown();
        watched.execute(this::hang);
        joinAll();
        timer.advance(WatchedPool.ALLOWED);

        assertThat(interrupted).isCompletedWithValue(false);
        assertThat(timer.size()).isZero();
    }

    @Test
    void aTimerWithoutAThreadKeepsNoneFromRunning() throws Exception {
        timer.failNext(new Error("unable to create native thread"));
        goOn.countDown();
        watched.execute(this::hang);
        joinAll();

        assertThat(interrupted).isDone();
    }
}
