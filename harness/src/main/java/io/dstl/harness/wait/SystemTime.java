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
package io.dstl.harness.wait;

import io.dstl.harness.wait.Await.Time;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The machine's own time: the one class of the harness that is bound to it. Thread-safe. */
public final class SystemTime implements Time {
    private final Clock clock = Clock.systemUTC();

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public void pause(Duration duration) throws InterruptedException {
        boolean opened = new CountDownLatch(1).await(duration.toNanos(), TimeUnit.NANOSECONDS);
        if (opened) {
            throw new IllegalStateException("a latch that nobody holds has opened");
        }
    }
}
