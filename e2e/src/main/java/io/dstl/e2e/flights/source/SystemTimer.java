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
package io.dstl.e2e.flights.source;

import io.dstl.e2e.flights.source.Pace.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** The only binding to the machine's clock: the readers' source of time in a real run. */
final class SystemTimer implements Timer {
    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public CompletableFuture<Void> after(Duration delay) {
        Executor later =
                CompletableFuture.delayedExecutor(
                        delay.toNanos(), TimeUnit.NANOSECONDS, Runnable::run);
        return CompletableFuture.runAsync(() -> {}, later);
    }
}
