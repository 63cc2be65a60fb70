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
package io.dstl.testkit;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A timer whose time passes when the test says so, on the thread of the test. What is due at the
 * same time runs in the order in which it was scheduled. A shut down timer rejects, and forgets
 * what it had. Other threads may schedule and cancel.
 */
public final class ManualTimer extends AbstractExecutorService implements ScheduledExecutorService {

    private final PriorityQueue<Task<?>> tasks =
            new PriorityQueue<>(
                    Comparator.<Task<?>>comparingLong(task -> task.due)
                            .thenComparingLong(task -> task.number));
    private long now;
    private long scheduled;
    private boolean shutdown;
    private Optional<Error> failure = Optional.empty();

    /** Lets time pass, running on the way what falls due. */
    public void advance(Duration time) {
        long until = nanos() + time.toNanos();
        while (isDueBy(until)) {
            runNext();
        }
        pass(until);
    }

    private synchronized boolean isDueBy(long until) {
        return !tasks.isEmpty() && tasks.peek().due <= until;
    }

    private synchronized void pass(long until) {
        now = until;
    }

    /** Lets time pass until the next task is due, and runs that one only. */
    public void runNext() {
        next().run();
    }

    private synchronized Task<?> next() {
        Task<?> task = tasks.remove();
        now = task.due;
        return task;
    }

    /** The time of this timer, in ns. */
    public synchronized long nanos() {
        return now;
    }

    /** Tasks neither run nor cancelled. */
    public synchronized int size() {
        tasks.removeIf(FutureTask::isCancelled);
        return tasks.size();
    }

    /** From now on, of the tasks neither run nor cancelled, the shortest first. */
    public synchronized List<Duration> delays() {
        tasks.removeIf(FutureTask::isCancelled);
        return tasks.stream()
                .map(task -> Duration.ofNanos(task.due - now))
                .sorted()
                .collect(Collectors.toList());
    }

    /** The next task fails to be scheduled, with this, as by a timer that gets no thread. */
    public synchronized void failNext(Error error) {
        failure = Optional.of(error);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return schedule(Executors.callable(command), delay, unit);
    }

    @Override
    public synchronized <V> ScheduledFuture<V> schedule(
            Callable<V> callable, long delay, TimeUnit unit) {
        if (shutdown) {
            throw new RejectedExecutionException("the timer is shut down");
        }
        if (failure.isPresent()) {
            Error once = failure.get();
            failure = Optional.empty();
            throw once;
        }
        Task<V> task = new Task<>(callable, now + unit.toNanos(delay), scheduled++);
        tasks.add(task);
        return task;
    }

    @Override
    public void execute(Runnable command) {
        schedule(command, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
            Runnable command, long initialDelay, long period, TimeUnit unit) {
        throw onlyOnce();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
            Runnable command, long initialDelay, long delay, TimeUnit unit) {
        throw onlyOnce();
    }

    /** Our code schedules each run of what it repeats when the one before is over. */
    private static UnsupportedOperationException onlyOnce() {
        return new UnsupportedOperationException(
                "This timer runs a task once: have the task schedule the next one itself.");
    }

    @Override
    public synchronized void shutdown() {
        shutdown = true;
        tasks.clear();
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        return Collections.emptyList();
    }

    @Override
    public synchronized boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return shutdown;
    }

    private final class Task<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {

        private final long due;
        private final long number;

        Task(Callable<V> callable, long due, long number) {
            super(callable);
            this.due = due;
            this.number = number;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(due - nanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(
                    getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }

        @Override
        public boolean isPeriodic() {
            return false;
        }
    }
}
