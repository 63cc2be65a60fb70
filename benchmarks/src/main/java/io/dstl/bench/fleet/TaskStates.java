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
package io.dstl.bench.fleet;

import java.util.Locale;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * The states of the tasks of one simulated TaskManager, and what they share: one segment of the log
 * per checkpoint. Names objects and counts them; nobody writes them. For one thread.
 */
public final class TaskStates {
    /** By it the store tells that an object is only a name. */
    private static final String HOLLOW = "hollow-";

    /** What the name of an object begins with that is given up by a truncation. */
    public static final String GATHERED = HOLLOW + "gathered-";

    final FleetSettings settings;
    final StateShape shape;
    private final Roots roots;
    private final int taskManager;

    /** Of what tasks list that outlives a checkpoint: segments, and files of materializations. */
    private final UnaryOperator<StreamStateHandle> handles;

    private String job = "";
    private StreamStateHandle segment;
    private long objects;
    private int named;

    /**
     * @param taskManager its number in the fleet, from 0 on
     */
    TaskStates(FleetSettings settings, StateShape shape, Roots roots, int taskManager) {
        this.settings = settings;
        this.shape = shape;
        this.roots = roots;
        this.taskManager = taskManager;
        this.handles = settings.ownHandles ? OwnHandles.ofTheJar() : UnaryOperator.identity();
    }

    TaskState of(int subtask) {
        return new TaskState(this, subtask);
    }

    KeyGroupRange keyGroups(int subtask) {
        return KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                KeyGroupRangeAssignment.computeDefaultMaxParallelism(settings.tasks),
                settings.tasks,
                subtask);
    }

    /** All that is named from now on is of this checkpoint. */
    void begin(JobID ofJob, long checkpoint) {
        job = ofJob.toHexString();
        segment = settings.changelog ? segment(shape.logBytes * settings.slots) : null;
    }

    /** The segment with the changes of all tasks for this checkpoint. */
    StreamStateHandle segment() {
        return segment;
    }

    private StreamStateHandle segment(long bytes) {
        return handles.apply(stored(roots.log + "/" + job + "/dstl", bytes));
    }

    /** A file that checkpoints share. */
    StreamStateHandle shared(long bytes) {
        return handles.apply(
                stored(
                        roots.checkpoints
                                + "/"
                                + job
                                + (settings.changelog ? "/taskowned" : "/shared"),
                        bytes));
    }

    /** An object that is given up together with all others of its kind. */
    StreamStateHandle gathered(long bytes) {
        named++;
        String folder =
                settings.changelog
                        ? roots.log + "/" + job + "/dstl"
                        : roots.checkpoints + "/" + job;
        return handles.apply(
                new FileStateHandle(
                        new Path(
                                String.format(
                                        Locale.ROOT,
                                        "%s/%s%08x-%012x",
                                        folder,
                                        GATHERED,
                                        taskManager,
                                        ++objects)),
                        bytes));
    }

    /** A file of one checkpoint alone; of a materialization it is the task's. */
    StreamStateHandle own(long checkpoint, long bytes) {
        return settings.changelog
                ? shared(bytes)
                : stored(roots.checkpoints + "/" + job + "/chk-" + checkpoint, bytes);
    }

    /** A name that no other piece of the fleet has. */
    String name() {
        return String.format(Locale.ROOT, "%s%08x-%012x", HOLLOW, taskManager, ++objects);
    }

    private StreamStateHandle stored(String folder, long bytes) {
        named++;
        return new FileStateHandle(new Path(folder + "/" + name()), bytes);
    }

    /** How many objects were named since this was last asked. */
    int takeNamed() {
        int count = named;
        named = 0;
        return count;
    }

    /** Where the cluster keeps its state, as its configuration has it. Immutable. */
    static final class Roots {
        private final String checkpoints;
        private final String log;

        Roots(String checkpoints, String log) {
            this.checkpoints = checkpoints;
            this.log = log;
        }
    }
}
