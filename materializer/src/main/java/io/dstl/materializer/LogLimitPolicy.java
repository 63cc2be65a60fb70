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
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a materialization due when a completed checkpoint shows that the log is close to its limit:
 * at a share of the limit that is drawn anew each time, so that subtasks that grow alike don't stay
 * in step.
 *
 * <p><b>The policy looks ahead</b> for the duration of a materialization, since the log grows until
 * the materialization ends. The expected size then counts: the growth since the log was last cut,
 * extrapolated, but at most twice the current size.
 *
 * <p><b>A pause bounds the cost.</b> After each materialization the policy waits for the longest of
 * two checkpoint intervals, three usual durations, and the last duration. So a task that outgrows
 * its limit at once materializes for a quarter of the time if durations are equal, and never for
 * more than half of it.
 *
 * <p><b>The usual duration</b> is the shorter of the last two. A single late request to the store
 * makes one materialization several times as long; the next log must not grow by as much. After the
 * first of a task none is usual yet, and the pause is without it: after a restart the process is
 * cold, and the task catches up, so that the first takes long and the log grows fast. For the pause
 * only work counts, and for the look ahead all of the duration.
 *
 * <p><b>After a failure</b> none is due for {@link #AFTER_FAILURE}, the default period. So the
 * allowed failures are used up no faster than with that period, and a longer one does not leave the
 * log without its limit.
 *
 * <p>Used by the task thread, and {@link #urgency} by any: see {@link MaterializationPolicy}.
 */
public final class LogLimitPolicy implements MaterializationPolicy {

    private static final Logger LOG = LoggerFactory.getLogger(LogLimitPolicy.class);

    private static final double LEAST_SHARE = 0.8;
    private static final int CHECKPOINTS = 2;
    private static final int DURATIONS = 3;
    private static final int MOST_GROWTH = 2;
    private static final Duration AFTER_FAILURE = Duration.ofMinutes(10);

    private enum State {
        NEW,
        READY,
        ASKED,
        CLOSED
    }

    private final LogLimit limit;
    private final Duration checkpoints;
    private final LongSupplier millis;
    private final DoubleSupplier uniform;

    private State state = State.NEW;
    private Consumer<Reason> due = reason -> {};
    private double share;
    private Optional<Long> pausedUntil = Optional.empty();

    /** Size of the log at the first checkpoint since the log was last cut. */
    private long firstBytes;

    private long firstMillis;
    private long lastBytes = Long.MAX_VALUE;
    private Optional<Took> lastTook = Optional.empty();

    /** For the look ahead: the shorter of the last two, or the only one. */
    private Duration usuallyTakes = Duration.ZERO;

    private volatile long urgency = Long.MIN_VALUE;

    /**
     * @param checkpoints the checkpoint interval; zero if it is not known
     * @param millis a monotonic time
     * @param uniform draws from [0, 1); asked once for each materialization
     */
    LogLimitPolicy(
            LogLimit limit, Duration checkpoints, LongSupplier millis, DoubleSupplier uniform) {
        this.limit = requireNonNull(limit);
        this.checkpoints = requireNonNull(checkpoints);
        this.millis = requireNonNull(millis);
        this.uniform = requireNonNull(uniform);
    }

    @Override
    public void start(Consumer<Reason> toCall) {
        if (state != State.NEW) {
            throw new IllegalStateException("The policy is started once: it is " + state);
        }
        become(State.READY, "the task runs");
        due = requireNonNull(toCall);
        draw();
    }

    @Override
    public void checkpointed(LogSize size) {
        OptionalLong bytes = limit.bytes(size);
        urgency = bytes.isPresent() ? size.log() - bytes.getAsLong() : Long.MIN_VALUE;
        LogSize replaced = whenReplaced(size);
        if (state != State.READY || isPaused()) {
            return;
        }
        Optional<Reason> reached = limit.reached(replaced, share);
        if (reached.isPresent()) {
            become(State.ASKED, size.toString());
            due.accept(reached.get());
        }
    }

    /** The expected size at the end of a materialization that begins now. */
    private LogSize whenReplaced(LogSize size) {
        long now = millis.getAsLong();
        if (size.log() < lastBytes) {
            firstBytes = size.log();
            firstMillis = now;
        }
        lastBytes = size.log();
        double growth = (size.log() - firstBytes) / (double) Math.max(1, now - firstMillis);
        double expected = size.log() + growth * usuallyTakes.toMillis();
        return new LogSize(
                (long) Math.min(expected, MOST_GROWTH * (double) size.log()),
                size.leastLog(),
                size.materialized());
    }

    private boolean isPaused() {
        return pausedUntil.isPresent() && millis.getAsLong() - pausedUntil.get() < 0;
    }

    @Override
    public void ended(Outcome outcome, Took took) {
        if (state == State.NEW || state == State.CLOSED) {
            throw new IllegalStateException("No materialization can end: the policy is " + state);
        }
        draw();
        become(State.READY, outcome.toString());
        if (outcome == Outcome.COMPLETED) {
            completedAfter(took);
        } else if (outcome == Outcome.FAILED) {
            pausedUntil = Optional.of(millis.getAsLong() + AFTER_FAILURE.toMillis());
        }
    }

    private void completedAfter(Took took) {
        Took before = lastTook.orElse(took);
        usuallyTakes = shorter(before.all(), took.all());
        long pause = Math.max(CHECKPOINTS * checkpoints.toMillis(), took.work().toMillis());
        if (lastTook.isPresent()) {
            pause = Math.max(pause, DURATIONS * shorter(before.work(), took.work()).toMillis());
        }
        lastTook = Optional.of(took);
        pausedUntil = Optional.of(millis.getAsLong() + pause);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private void draw() {
        share = LEAST_SHARE + (1 - LEAST_SHARE) * uniform.getAsDouble();
    }

    /** By how many bytes the log is longer than its limit. */
    @Override
    public long urgency() {
        return urgency;
    }

    @Override
    public void close() {
        become(State.CLOSED, "the task ends");
    }

    private void become(State next, String reason) {
        LOG.debug("Materialization by the limit of the log: {} -> {}: {}", state, next, reason);
        state = next;
    }
}
