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
 * A materialization is due when a completed checkpoint shows that the log has reached its limit, or
 * a bit before: at a share of it that is drawn anew each time, so that subtasks that grow alike
 * don't stay in step.
 *
 * <p><b>It looks ahead</b> for as long as a materialization takes: the log goes on growing until
 * its end. What counts is what the log is going to have then, if it grows as it has since it was
 * last cut, but at most twice what it has.
 *
 * <p><b>What it costs is bounded</b> by a pause after each materialization: two checkpoint
 * intervals, three times what one takes, and as long as the last one has taken. So a task that
 * outgrows its limit at once is at work on materializations for a quarter of the time, if they take
 * alike, and never for more than half of it.
 *
 * <p><b>What one takes</b> is the shorter duration of the last two. A single request to the store
 * that is late makes one materialization several times as long: it must not make the next log as
 * much longer.
 *
 * <p><b>After a failure</b> nothing is due by size until a materialization has completed: what
 * fails is tried again as often as the period says, so that a store that is down for a while uses
 * up the failures that a job may have no faster than without this policy.
 *
 * <p>Used by the task thread only, as {@link MaterializationPolicy} says.
 */
public final class LogSizePolicy implements MaterializationPolicy {

    private static final Logger LOG = LoggerFactory.getLogger(LogSizePolicy.class);

    private static final double LEAST_SHARE = 0.8;
    private static final int CHECKPOINTS = 2;
    private static final int DURATIONS = 3;
    private static final int MOST_GROWTH = 2;

    private enum State {
        NEW,
        READY,
        ASKED,
        FAILED,
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

    /** What a log has been at the first checkpoint since it was last cut. */
    private long firstBytes;

    private long firstMillis;
    private long lastBytes = Long.MAX_VALUE;
    private Optional<Duration> lastTook = Optional.empty();

    /** The shorter of the last two; of the only one, if there was no other. */
    private Duration usuallyTakes = Duration.ZERO;

    private volatile long urgency = Long.MIN_VALUE;

    /**
     * @param checkpoints the interval between them; zero if it is not known
     * @param millis a time that only grows
     * @param uniform draws from [0, 1); asked once for each materialization
     */
    LogSizePolicy(
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

    /** What the log is going to be at the end of a materialization that begins now. */
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
    public void ended(Outcome outcome, Duration took) {
        if (state == State.NEW || state == State.CLOSED) {
            throw new IllegalStateException("No materialization can end: the policy is " + state);
        }
        draw();
        if (outcome == Outcome.FAILED || (state == State.FAILED && outcome != Outcome.COMPLETED)) {
            become(State.FAILED, "the period says when the next is tried");
        } else {
            become(State.READY, outcome.toString());
        }
        if (outcome == Outcome.COMPLETED) {
            completedAfter(took);
        }
    }

    private void completedAfter(Duration took) {
        usuallyTakes = lastTook.filter(before -> before.compareTo(took) < 0).orElse(took);
        lastTook = Optional.of(took);
        long atLeast = Math.max(CHECKPOINTS * checkpoints.toMillis(), took.toMillis());
        long pause = Math.max(atLeast, DURATIONS * usuallyTakes.toMillis());
        pausedUntil = Optional.of(millis.getAsLong() + pause);
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
        LOG.debug("Materialization by size: {} -> {}: {}", state, next, reason);
        state = next;
    }
}
