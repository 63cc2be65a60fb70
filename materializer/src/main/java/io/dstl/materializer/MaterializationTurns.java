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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the number of materializations under way in one process, since they share its processors,
 * disks and network. The most urgent goes first; of those equally urgent, the one that has waited
 * longest. After three more urgent ones, the longest waiting goes next. Otherwise a task with a
 * small log might never have a turn, and the segments it shares with other tasks would never be
 * deleted.
 *
 * <p>Each job may always have one under way. Otherwise a job whose uploads hang would block all
 * other jobs. So at most the limit plus one for each job are under way.
 *
 * <p><b>No turn waits for a task thread</b>, which may be in a long call of the user's function. A
 * turn that is not claimed in time goes to the next task. The slow task may ask again and then has
 * twice the time: otherwise a task that is always slow would never have a turn.
 *
 * <p>Does not own the scheduler. Thread-safe. Only bookkeeping is done under the lock.
 *
 * @param <J> identifies a job
 */
public final class MaterializationTurns<J> {

    private static final Logger LOG = LoggerFactory.getLogger(MaterializationTurns.class);

    private static final int MOST_OVERTAKEN = 3;

    private final int limit;
    private final Duration patience;
    private final ScheduledExecutorService scheduler;

    @GuardedBy("this")
    private final List<JobTurn> waiting = new ArrayList<>();

    /** Jobs without any have no entry. */
    @GuardedBy("this")
    private final Map<J, Integer> underWay = new HashMap<>();

    @GuardedBy("this")
    private int total;

    /** How often a turn went ahead of one that could have gone and had waited longer. */
    @GuardedBy("this")
    private int overtaken;

    /**
     * @param limit of materializations under way, except for the first of each job; at least 1
     * @param patience the time a task first has to claim its turn; counted in ms
     * @param scheduler runs short commands
     */
    public MaterializationTurns(int limit, Duration patience, ScheduledExecutorService scheduler) {
        if (limit < 1) {
            throw new IllegalArgumentException("At least one at a time: " + limit);
        }
        this.limit = limit;
        this.patience = requireNonNull(patience);
        this.scheduler = requireNonNull(scheduler);
    }

    /**
     * Creates a turn that nobody has asked for yet.
     *
     * @param urgency the highest goes first; any thread, while the turn waits; returns at once
     */
    public UploadLane.Turn of(J job, LongSupplier urgency) {
        return new JobTurn(job, urgency);
    }

    /** Materializations under way. */
    synchronized int underWay() {
        return total;
    }

    private void admitAll() {
        for (Optional<JobTurn> next = admit(); next.isPresent(); next = admit()) {
            next.get().begins.run();
        }
    }

    private synchronized Optional<JobTurn> admit() {
        JobTurn first = null;
        JobTurn next = null;
        long urgency = 0;
        for (JobTurn turn : waiting) {
            if (total < limit || !underWay.containsKey(turn.job)) {
                long other = turn.urgency.getAsLong();
                if (next == null) {
                    first = turn;
                }
                if (next == null || (other > urgency && overtaken < MOST_OVERTAKEN)) {
                    next = turn;
                    urgency = other;
                }
            }
        }
        if (next != null) {
            if (next == waiting.get(0)) {
                overtaken = 0;
            } else if (next != first) {
                overtaken++;
            }
            waiting.remove(next);
            next.called();
            underWay.merge(next.job, 1, Integer::sum);
            total++;
        }
        return Optional.ofNullable(next);
    }

    private enum Stage {
        /** Not asked for, ended, or given to another task. */
        NONE,
        WAITING,
        /** The task may claim it. */
        CALLED,
        CLAIMED
    }

    /** Fields are guarded by the lock of all turns. */
    private final class JobTurn implements UploadLane.Turn {
        private final J job;
        private final LongSupplier urgency;
        private Runnable begins = () -> {};
        private Stage stage = Stage.NONE;
        private Duration time = patience;
        private Optional<Future<?>> timeUp = Optional.empty();

        /** Tells a call from earlier ones, whose timers may still fire. */
        private int calls;

        JobTurn(J job, LongSupplier urgency) {
            this.job = requireNonNull(job);
            this.urgency = requireNonNull(urgency);
        }

        @Override
        public void await(Runnable toRun) {
            synchronized (MaterializationTurns.this) {
                if (stage != Stage.NONE) {
                    throw new IllegalStateException("A turn is asked for once: it is " + stage);
                }
                begins = requireNonNull(toRun);
                stage = Stage.WAITING;
                waiting.add(this);
            }
            admitAll();
        }

        private void called() {
            stage = Stage.CALLED;
            calls++;
            int call = calls;
            try {
                timeUp =
                        Optional.of(
                                scheduler.schedule(
                                        () -> passOn(call),
                                        time.toMillis(),
                                        TimeUnit.MILLISECONDS));
            } catch (RejectedExecutionException e) {
                LOG.debug("A turn is kept for its task: the scheduler has been shut down", e);
            }
        }

        private void passOn(int call) {
            synchronized (MaterializationTurns.this) {
                if (stage != Stage.CALLED || calls != call) {
                    return;
                }
                LOG.debug("A task of job {} did not come to its turn in {}", job, time);
                time = time.multipliedBy(2);
                leave();
            }
            admitAll();
        }

        @Override
        public boolean claim() {
            synchronized (MaterializationTurns.this) {
                boolean had = stage == Stage.CALLED;
                if (had) {
                    stage = Stage.CLAIMED;
                    endTime();
                }
                return had;
            }
        }

        @Override
        public void expectClaim() {
            synchronized (MaterializationTurns.this) {
                if (stage == Stage.CLAIMED) {
                    called();
                }
            }
        }

        @Override
        public void end() {
            synchronized (MaterializationTurns.this) {
                leave();
            }
            admitAll();
        }

        @GuardedBy("MaterializationTurns.this")
        private void leave() {
            waiting.remove(this);
            if (stage == Stage.CALLED || stage == Stage.CLAIMED) {
                total--;
                underWay.computeIfPresent(job, (id, turns) -> turns > 1 ? turns - 1 : null);
            }
            stage = Stage.NONE;
            endTime();
        }

        private void endTime() {
            timeUp.ifPresent(future -> future.cancel(false));
            timeUp = Optional.empty();
        }
    }
}
