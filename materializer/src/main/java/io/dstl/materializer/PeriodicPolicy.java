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

import static java.util.Objects.requireNonNull;

import io.dstl.materializer.MaterializationPolicy.Reason;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a materialization due at a fixed interval after the end of the last one, whatever its
 * reason. The first is due at a random point of the first interval, so that the subtasks of a job,
 * which start together, spread their uploads over the interval.
 *
 * <p>Does not own the scheduler. Used by the task thread only, as {@link MaterializationPolicy}
 * says.
 */
public final class PeriodicPolicy implements MaterializationPolicy {

    private static final Logger LOG = LoggerFactory.getLogger(PeriodicPolicy.class);

    private enum State {
        NEW,
        STARTED,
        CLOSED
    }

    private final Duration interval;
    private final ScheduledExecutorService scheduler;
    private final DoubleSupplier uniform;

    private State state = State.NEW;
    private Consumer<Reason> due = reason -> {};
    private Optional<Future<?>> planned = Optional.empty();

    /**
     * @param interval longer than zero; counted in milliseconds
     * @param scheduler runs {@code due}, which is short
     * @param uniform draws from [0, 1); asked once
     */
    public PeriodicPolicy(
            Duration interval, ScheduledExecutorService scheduler, DoubleSupplier uniform) {
        if (interval.toMillis() <= 0) {
            throw new IllegalArgumentException(
                    "A period between materializations is at least 1 ms: " + interval);
        }
        this.interval = interval;
        this.scheduler = requireNonNull(scheduler);
        this.uniform = requireNonNull(uniform);
    }

    @Override
    public void start(Consumer<Reason> toCall) {
        become(State.STARTED, "the task runs");
        due = requireNonNull(toCall);
        plan(Duration.ofMillis((long) (uniform.getAsDouble() * interval.toMillis())));
    }

    @Override
    public void ended(Outcome outcome, Took took) {
        if (state != State.STARTED) {
            throw new IllegalStateException("No materialization can end: the policy is " + state);
        }
        planned.ifPresent(future -> future.cancel(false));
        plan(interval);
    }

    @Override
    public void close() {
        if (state == State.CLOSED) {
            return;
        }
        become(State.CLOSED, "the task ends");
        planned.ifPresent(future -> future.cancel(false));
        planned = Optional.empty();
    }

    private void plan(Duration delay) {
        try {
            planned =
                    Optional.of(
                            scheduler.schedule(
                                    () -> due.accept(Reason.PERIOD),
                                    delay.toMillis(),
                                    TimeUnit.MILLISECONDS));
            LOG.debug("The next materialization is due in {}", delay);
        } catch (RejectedExecutionException e) {
            LOG.debug("No further materialization: the scheduler has been shut down", e);
        }
    }

    private void become(State next, String reason) {
        if (state == State.CLOSED || state == next) {
            throw new IllegalStateException(
                    "The policy can't go from " + state + " to " + next + ": " + reason);
        }
        LOG.debug("Periodic materialization: {} -> {}: {}", state, next, reason);
        state = next;
    }
}
