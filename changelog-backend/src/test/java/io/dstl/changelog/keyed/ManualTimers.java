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
package io.dstl.changelog.keyed;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.util.clock.Clock;
import org.apache.flink.util.clock.ManualClock;

/** Calls when the test lets time go on, and not before: as a task does that does not run yet. */
final class ManualTimers implements ProcessingTimeService {
    private final ManualClock clock = new ManualClock();
    private final List<Registered> registered = new ArrayList<>();

    /** Calls back for all that is due until a time, in order of time. */
    void advance(long toMillis) throws Exception {
        Optional<Registered> next = due(toMillis);
        while (next.isPresent()) {
            registered.remove(next.get());
            next.get().callback.onProcessingTime(next.get().timestamp);
            next = due(toMillis);
        }
    }

    /** Calls back for what is due next, whenever that is. */
    void callNext() throws Exception {
        Registered next = due(Long.MAX_VALUE).orElseThrow();
        registered.remove(next);
        next.callback.onProcessingTime(next.timestamp);
    }

    private Optional<Registered> due(long toMillis) {
        return registered.stream()
                .filter(timer -> timer.timestamp <= toMillis)
                .min(Comparator.comparingLong(timer -> timer.timestamp));
    }

    /** Whether nobody is to be called, whatever the time. */
    boolean isIdle() {
        return registered.isEmpty();
    }

    /** As when the task ends. */
    void forget() {
        registered.clear();
    }

    @Override
    public Clock getClock() {
        return clock;
    }

    @Override
    public ScheduledFuture<?> registerTimer(long timestamp, ProcessingTimeCallback callback) {
        Registered timer = new Registered(timestamp, callback);
        registered.add(timer);
        return timer;
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
            ProcessingTimeCallback callback, long initialDelay, long period) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
            ProcessingTimeCallback callback, long initialDelay, long period) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> quiesce() {
        return CompletableFuture.completedFuture(null);
    }

    private final class Registered extends CompletableFuture<Void>
            implements ScheduledFuture<Void> {
        private final long timestamp;
        private final ProcessingTimeCallback callback;

        Registered(long timestamp, ProcessingTimeCallback callback) {
            this.timestamp = timestamp;
            this.callback = callback;
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            return registered.remove(this) && super.cancel(mayInterrupt);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int compareTo(Delayed other) {
            throw new UnsupportedOperationException();
        }
    }
}
