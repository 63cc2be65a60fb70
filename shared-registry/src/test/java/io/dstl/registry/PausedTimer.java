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

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A timer on which no time passes: what is scheduled runs when the test says so. */
final class PausedTimer extends ScheduledThreadPoolExecutor {
    private final Deque<Entry> entries = new ArrayDeque<>();

    PausedTimer() {
        super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        if (isShutdown()) {
            throw new RejectedExecutionException("shut down");
        }
        Entry entry = new Entry(command, unit.toSeconds(delay));
        entries.add(entry);
        return entry;
    }

    boolean isIdle() {
        entries.removeIf(FutureTask::isCancelled);
        return entries.isEmpty();
    }

    long nextPauseSeconds() {
        return entries.element().seconds;
    }

    void runNext() {
        entries.remove().run();
    }

    private static final class Entry extends FutureTask<Void> implements ScheduledFuture<Void> {
        private final long seconds;

        Entry(Runnable command, long seconds) {
            super(callable(command));
            this.seconds = seconds;
        }

        private static Callable<Void> callable(Runnable command) {
            return Executors.callable(command, null);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(seconds, TimeUnit.SECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.SECONDS), other.getDelay(TimeUnit.SECONDS));
        }
    }
}
