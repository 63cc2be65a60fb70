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

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DrainLoopTest {

    private int runs;
    private DrainLoop loop;

    @Test
    void callsFromWithinTheStepMakeOneMoreRun() {
        loop =
                new DrainLoop(
                        () -> {
                            if (++runs == 1) {
                                loop.run();
                                loop.run();
                                assertThat(runs).as("not a run in a run").isOne();
                            }
                        });
        loop.run();
        assertThat(runs).isEqualTo(2);
    }

    @Test
    void aCallAfterAFailureBeginsAnew() {
        OutOfMemoryError failure = new OutOfMemoryError("Java heap space");
        loop =
                new DrainLoop(
                        () -> {
                            if (++runs == 1) {
                                loop.run();
                                throw failure;
                            }
                        });
        assertThatThrownBy(loop::run).isSameAs(failure);
        assertThat(runs).isOne();

        loop.run();
        assertThat(runs).isEqualTo(2);
    }

    /**
     * Every call is followed by a run that sees what was done before it, and runs never overlap.
     */
    @Test
    void nothingIsOverlookedWhenManyCall() throws Exception {
        int callers = 4;
        int calls = 10_000;
        AtomicInteger done = new AtomicInteger();
        AtomicInteger within = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        loop =
                new DrainLoop(
                        () -> {
                            assertThat(within.incrementAndGet()).isOne();
                            seen.set(done.get());
                            within.decrementAndGet();
                        });
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            CountDownLatch start = new CountDownLatch(callers);
            Future<?>[] all = new Future<?>[callers];
            for (int i = 0; i < callers; i++) {
                all[i] =
                        threads.submit(
                                () -> {
                                    start.countDown();
                                    start.await();
                                    for (int call = 0; call < calls; call++) {
                                        done.incrementAndGet();
                                        loop.run();
                                    }
                                    return null;
                                });
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(seen).hasValue(callers * calls);
    }
}
