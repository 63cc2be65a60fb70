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
package io.dstl.bench;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * While open, interrupts the thread that opened it when the JVM is told to end, and lets it clean
 * up: the clusters' processes would outlive this one.
 */
final class StopAtExit implements AutoCloseable {
    private static final long LIMIT_SECONDS = 60;

    private final CountDownLatch done = new CountDownLatch(1);

    private StopAtExit() {}

    static StopAtExit open() {
        StopAtExit stop = new StopAtExit();
        Thread worker = Thread.currentThread();
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> stop.interrupt(worker), "stop-at-exit"));
        return stop;
    }

    @Override
    public void close() {
        done.countDown();
    }

    private void interrupt(Thread worker) {
        if (done.getCount() == 0) {
            return;
        }
        worker.interrupt();
        try {
            if (!done.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("not all processes of the benchmark could be stopped");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
