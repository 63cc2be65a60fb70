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
package io.dstl.e2e.chaos;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The checkpoints of one job that Flink goes by, over all changes of leader: not the newest in the
 * bucket is what a job is restored from, but the last one that a leader has completed or restored.
 * Sinks have committed no other's rows. Savepoints are none. Immutable.
 */
final class CheckpointLine {
    private final Optional<JobManagerEvent> last;
    private final Set<Long> superseded;

    private CheckpointLine(Optional<JobManagerEvent> last, Set<Long> superseded) {
        this.last = last;
        this.superseded = superseded;
    }

    /**
     * @param events of one job, in any order
     */
    static CheckpointLine of(List<JobManagerEvent> events) {
        Optional<JobManagerEvent> last = Optional.empty();
        Set<Long> savepoints = new HashSet<>();
        Deque<Long> kept = new ArrayDeque<>();
        NavigableSet<Long> open = new TreeSet<>();
        Set<Long> superseded = new TreeSet<>();
        List<JobManagerEvent> inOrder = new ArrayList<>(events);
        inOrder.sort(Comparator.comparing(JobManagerEvent::at));
        for (JobManagerEvent event : inOrder) {
            switch (event.kind()) {
                case SAVEPOINT_TRIGGERED:
                    savepoints.add(event.checkpoint());
                    break;
                case CHECKPOINT_TRIGGERED:
                    open.add(event.checkpoint());
                    break;
                case CHECKPOINT_COMPLETED:
                    if (!savepoints.contains(event.checkpoint())) {
                        open.remove(event.checkpoint());
                        superseded.addAll(open.headSet(event.checkpoint()));
                        open.headSet(event.checkpoint()).clear();
                        last = Optional.of(event);
                        kept.addLast(event.checkpoint());
                        while (kept.size() > ChaosHost.RETAINED) {
                            superseded.add(kept.removeFirst());
                        }
                    }
                    break;
                case RESTORED:
                    open.remove(event.checkpoint());
                    last = Optional.of(event);
                    // Of another job, or one that was in doubt and that the next leader has found.
                    if (!kept.contains(event.checkpoint())) {
                        kept.addLast(event.checkpoint());
                    }
                    break;
                default:
                    break;
            }
        }
        return new CheckpointLine(last, superseded);
    }

    /** Where the job goes on from; empty for one that has nothing yet. */
    Optional<String> last() {
        return last.map(
                event ->
                        event.path()
                                .orElseGet(
                                        () ->
                                                ChaosHost.checkpoint(
                                                        event.job().orElseThrow(),
                                                        event.checkpoint())));
    }

    /**
     * The numbers of those that newer ones have taken the place of. A leader that dies while it
     * discards one, and one that has not completed it itself, leave the metadata behind; so does
     * one that dies between writing it and telling ZooKeeper.
     */
    Set<Long> superseded() {
        return Set.copyOf(superseded);
    }
}
