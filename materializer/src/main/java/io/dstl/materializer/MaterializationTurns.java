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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Lets a bounded number of the materializations of one process be under way at a time, since they
 * share its processors, disks and network: the most urgent goes first, and of those equally urgent
 * the one that has waited longest.
 *
 * <p>A job may always have one under way. Else one whose uploads hang would keep those of all other
 * jobs waiting. So there are never more than the limit and one for each job.
 *
 * <p>Thread-safe. Nothing but bookkeeping is done under the lock.
 *
 * @param <J> identifies a job
 */
public final class MaterializationTurns<J> {

    private final int limit;

    @GuardedBy("this")
    private final List<JobTurn> waiting = new ArrayList<>();

    /** Of each job that has any. */
    @GuardedBy("this")
    private final Map<J, Integer> underWay = new HashMap<>();

    @GuardedBy("this")
    private int total;

    /**
     * @param limit of materializations under way, but for the first of each job; at least 1
     */
    public MaterializationTurns(int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("At least one at a time: " + limit);
        }
        this.limit = limit;
    }

    /**
     * A turn that has not been asked for yet.
     *
     * @param urgency the higher goes first; asked by any thread, while it waits; returns at once
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
        JobTurn next = null;
        long urgency = 0;
        for (JobTurn turn : waiting) {
            if (total < limit || !underWay.containsKey(turn.job)) {
                long other = turn.urgency.getAsLong();
                if (next == null || other > urgency) {
                    next = turn;
                    urgency = other;
                }
            }
        }
        if (next != null) {
            waiting.remove(next);
            next.stage = Stage.TAKEN;
            underWay.merge(next.job, 1, Integer::sum);
            total++;
        }
        return Optional.ofNullable(next);
    }

    private enum Stage {
        NEW,
        WAITING,
        TAKEN,
        OVER
    }

    private final class JobTurn implements UploadLane.Turn {
        private final J job;
        private final LongSupplier urgency;
        private Runnable begins = () -> {};

        /** Under the lock of all turns. */
        private Stage stage = Stage.NEW;

        JobTurn(J job, LongSupplier urgency) {
            this.job = requireNonNull(job);
            this.urgency = requireNonNull(urgency);
        }

        @Override
        public void await(Runnable toRun) {
            synchronized (MaterializationTurns.this) {
                if (stage != Stage.NEW) {
                    throw new IllegalStateException("A turn is asked for once: it is " + stage);
                }
                begins = requireNonNull(toRun);
                stage = Stage.WAITING;
                waiting.add(this);
            }
            admitAll();
        }

        @Override
        public void end() {
            synchronized (MaterializationTurns.this) {
                waiting.remove(this);
                if (stage == Stage.TAKEN) {
                    total--;
                    underWay.computeIfPresent(job, (id, turns) -> turns > 1 ? turns - 1 : null);
                }
                stage = Stage.OVER;
            }
            admitAll();
        }
    }
}
