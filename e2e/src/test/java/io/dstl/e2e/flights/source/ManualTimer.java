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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A timer whose time passes when the test says so. */
final class ManualTimer implements Timer {
    private final List<CompletableFuture<Void>> waiting = new ArrayList<>();
    private long nanos;

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public CompletableFuture<Void> after(Duration delay) {
        CompletableFuture<Void> future = new CompletableFuture<>();
        waiting.add(future);
        return future;
    }

    void pass(Duration time) {
        nanos += time.toNanos();
        List<CompletableFuture<Void>> due = List.copyOf(waiting);
        waiting.clear();
        due.forEach(future -> future.complete(null));
    }
}
