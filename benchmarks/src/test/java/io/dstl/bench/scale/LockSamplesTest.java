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
package io.dstl.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class LockSamplesTest {
    private final Object lock = new Object();
    private final LockSamples samples = new LockSamples(LockSamplesTest.class.getName());

    @Test
    void seesWhoHoldsTheLockAndWhoWaits() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Thread holder = new Thread(() -> hold(held, release));
        Thread waiter = new Thread(() -> hold(new CountDownLatch(1), release));
        holder.start();
        held.await();
        samples.look(new ThreadInfo[] {null});
        waiter.start();
        while (waiter.getState() != Thread.State.BLOCKED) {
            Thread.onSpinWait();
        }
        samples.look(ManagementFactory.getThreadMXBean().dumpAllThreads(true, false));
        release.countDown();
        holder.join();
        waiter.join();

        assertThat(samples.looks()).isEqualTo(2);
        assertThat(samples.heldShare()).isEqualTo(0.5);
        assertThat(samples.metadataShare()).isZero();
        assertThat(samples.waiting()).isEqualTo(0.5);
    }

    @Test
    void withoutALookNothingIsHeld() {
        assertThat(samples.heldShare()).isZero();
        assertThat(samples.waiting()).isZero();
    }

    private void hold(CountDownLatch held, CountDownLatch release) {
        synchronized (lock) {
            held.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
