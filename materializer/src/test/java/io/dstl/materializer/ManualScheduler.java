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
package io.dstl.materializer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Runs what is due when the test moves the time, on the test's thread. */
final class ManualScheduler extends AbstractExecutorService implements ScheduledExecutorService {

    private final PriorityQueue<Planned<?>> plan =
            new PriorityQueue<>(Comparator.comparingLong(planned -> planned.dueMillis));
    private long nowMillis;
    private boolean shutDown;

    /** The delays of what is planned and not cancelled, from now on, in order. */
    List<Duration> delays() {
        List<Duration> delays = new ArrayList<>();
        plan.stream()
                .filter(planned -> !planned.isCancelled())
                .sorted(Comparator.comparingLong(planned -> planned.dueMillis))
                .forEach(planned -> delays.add(Duration.ofMillis(planned.dueMillis - nowMillis)));
        return delays;
    }

    void advance(Duration by) {
        long until = nowMillis + by.toMillis();
        while (!plan.isEmpty() && plan.peek().dueMillis <= until) {
            Planned<?> next = plan.remove();
            nowMillis = next.dueMillis;
            next.run();
        }
        nowMillis = until;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return schedule(
                () -> {
                    command.run();
                    return null;
                },
                delay,
                unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        if (shutDown) {
            throw new RejectedExecutionException("shut down");
        }
        Planned<V> planned = new Planned<>(callable, nowMillis + unit.toMillis(delay));
        plan.add(planned);
        return planned;
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
            Runnable command, long initialDelay, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
            Runnable command, long initialDelay, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void execute(Runnable command) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void shutdown() {
        shutDown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutDown = true;
        return new ArrayList<>(plan);
    }

    @Override
    public boolean isShutdown() {
        return shutDown;
    }

    @Override
    public boolean isTerminated() {
        return shutDown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return shutDown;
    }

    private final class Planned<V> extends FutureTask<V> implements ScheduledFuture<V> {

        private final long dueMillis;

        Planned(Callable<V> callable, long dueMillis) {
            super(callable);
            this.dueMillis = dueMillis;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueMillis - nowMillis, TimeUnit.MILLISECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(
                    getDelay(TimeUnit.MILLISECONDS), other.getDelay(TimeUnit.MILLISECONDS));
        }
    }
}
