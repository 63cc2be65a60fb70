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

import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.flink.core.execution.RestoreMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random runs of a job against Flink's own registry and checkpoint store: concurrent checkpoints,
 * barriers that reach tasks at different times, late acknowledgements, lost notifications,
 * materializations in between, failures, rescaling. The bucket is checked after each step.
 */
class SegmentLifeInFlinkRandomTest {

    private static final int STEPS = 200;
    private static final int MAX_CONCURRENT_CHECKPOINTS = 3;
    private static final int TASK_MANAGERS = 2;
    private static final int SEEDS = 20;

    @TempDir File directory;

    /** Run one again with {@code -Ddstl.seed=...}. */
    static List<Long> seeds() {
        Long chosen = Long.getLong("dstl.seed");
        return chosen != null
                ? List.of(chosen)
                : new Random(20_240_602)
                        .longs(Integer.getInteger("dstl.simulation.seeds", SEEDS))
                        .boxed()
                        .collect(toList());
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theBucketHoldsWhatIsReferredTo(long seed) throws Exception {
        new Episode(seed, directory).play();
    }

    private static final class Episode {

        private final long seed;
        private final Random random;
        private final SimulatedJob job;

        Episode(long seed, File directory) {
            this.seed = seed;
            this.random = new Random(seed);
            this.job =
                    new SimulatedJob(
                            directory,
                            1 + random.nextInt(2),
                            TASK_MANAGERS,
                            random.nextBoolean() ? RestoreMode.CLAIM : RestoreMode.NO_CLAIM);
        }

        void play() throws Exception {
            job.start(2 + random.nextInt(3));
            for (int step = 0; step < STEPS; step++) {
                String what = takeAStep();
                job.checkBucket("seed " + seed + ", step " + step + ": " + what);
            }
            settle();
            Set<String> left = job.listing();
            Set<String> excused = new TreeSet<>(job.coordinator.forgotten());
            excused.addAll(job.unproven);
            excused.removeAll(job.needed());
            left.removeAll(excused);
            assertThat(left)
                    .as("seed %d: at the end, all accounted for", seed)
                    .isEqualTo(job.needed());
        }

        private String takeAStep() throws Exception {
            switch (random.nextInt(12)) {
                case 0:
                case 1:
                    return store();
                case 2:
                    return trigger();
                case 3:
                case 4:
                case 5:
                    return barrier();
                case 6:
                case 7:
                case 8:
                    return acknowledge();
                case 9:
                    return abort();
                case 10:
                    return materialize();
                default:
                    return random.nextInt(5) == 0 ? disaster() : "nothing";
            }
        }

        private String store() {
            int first = anySubtask();
            List<Integer> sharing = new ArrayList<>(Collections.singletonList(first));
            for (int other : job.subtasks()) {
                if (other != first
                        && random.nextBoolean()
                        && job.runOnOneTaskManager(first, other)
                        && job.tasks.get(first).isOfOneEpochWith(job.tasks.get(other))) {
                    sharing.add(other);
                }
            }
            return job.store(sharing.toArray(new Integer[0])) + " of " + sharing;
        }

        private String trigger() {
            if (job.coordinator.pending().size() == MAX_CONCURRENT_CHECKPOINTS) {
                return "nothing";
            }
            return "trigger " + job.coordinator.trigger(job.tasks.size());
        }

        private String barrier() {
            int subtask = anySubtask();
            SimulatedTask task = job.tasks.get(subtask);
            for (long checkpointId : job.coordinator.pending()) {
                if (task.awaitsBarrier(checkpointId)) {
                    task.snapshot(checkpointId);
                    return "barrier " + checkpointId + " at " + subtask;
                }
            }
            return "nothing";
        }

        private String acknowledge() throws Exception {
            int subtask = anySubtask();
            SimulatedTask task = job.tasks.get(subtask);
            if (!task.hasUnacknowledged()) {
                return "nothing";
            }
            long checkpointId = task.acknowledge(job.coordinator, subtask);
            if (!job.coordinator.isPending(checkpointId)
                    || !job.coordinator.isFullyAcknowledged(checkpointId)) {
                return "acknowledge " + checkpointId + " by " + subtask;
            }
            if (random.nextInt(5) == 0) {
                return completeInDoubt(checkpointId);
            }
            OptionalLong subsumed = job.complete(checkpointId);
            job.checkBucket("seed " + seed + ": " + checkpointId + " completed, unconfirmed");
            notifySome(listener -> listener.confirmed(checkpointId, subsumed));
            return "complete " + checkpointId;
        }

        /** The job restarts, where it tolerates no failure, or goes on. */
        private String completeInDoubt(long checkpointId) throws Exception {
            job.coordinator.completeInDoubt(checkpointId);
            notifySome(listener -> listener.aborted(checkpointId));
            return "complete "
                    + checkpointId
                    + ", in doubt; "
                    + (random.nextBoolean() ? restart() : "go on");
        }

        private String abort() {
            List<Long> pending = job.coordinator.pending();
            if (pending.isEmpty() || random.nextInt(3) > 0) {
                return "nothing";
            }
            long checkpointId = pending.get(random.nextInt(pending.size()));
            job.coordinator.abort(checkpointId);
            notifySome(listener -> listener.aborted(checkpointId));
            return "abort " + checkpointId;
        }

        /** Notifications get lost now and then. */
        private void notifySome(Consumer<SimulatedTask> notification) {
            for (SimulatedTask task : job.tasks) {
                if (random.nextInt(8) > 0) {
                    notification.accept(task);
                }
            }
        }

        private String materialize() {
            int subtask = anySubtask();
            if (!job.tasks.get(subtask).mayMaterialize()) {
                return "nothing";
            }
            job.tasks.get(subtask).materialize();
            return "materialize " + subtask;
        }

        private String disaster() throws Exception {
            switch (random.nextInt(4)) {
                case 0:
                    return failOver();
                case 1:
                    return freeze();
                case 2:
                    job.thaw();
                    return "thaw";
                default:
                    return restart();
            }
        }

        private String failOver() throws Exception {
            if (!job.coordinator.isRecoverable()) {
                return "nothing";
            }
            job.coordinator.failOver();
            return "fail over, " + restart();
        }

        private String freeze() throws Exception {
            if (!job.coordinator.latest().isPresent()) {
                return "nothing";
            }
            job.freeze(random.nextInt(TASK_MANAGERS));
            job.start(2 + random.nextInt(3));
            return "freeze, and restart with " + job.tasks.size();
        }

        /**
         * Only from a checkpoint: a job that starts anew tells no TaskManager so, and what it had
         * in flight stays until the next checkpoint completes, or for the orphans command.
         */
        private String restart() throws Exception {
            if (!job.coordinator.latest().isPresent()) {
                return "nothing";
            }
            job.stop();
            job.start(2 + random.nextInt(3));
            return "restart with " + job.tasks.size();
        }

        /** Enough undisturbed checkpoints to subsume all that went before. */
        private void settle() throws Exception {
            job.thaw();
            job.coordinator.pending().forEach(job.coordinator::abort);
            for (int i = 0; i < 3; i++) {
                job.checkpoint();
                job.checkBucket("seed " + seed + ", settling");
            }
        }

        private int anySubtask() {
            return random.nextInt(job.tasks.size());
        }
    }
}
