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

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the process of a fleet is told, in the order of its command line. For one thread while it is
 * being filled.
 */
public final class FleetSettings {
    final Path configuration;
    final Path checkpoints;
    final List<Path> metadata = new ArrayList<>();
    boolean changelog;
    boolean ownHandles;
    int tasks = 1;
    int slots = 1;
    int materializeEvery = 1;
    private int truncated;

    /**
     * @param configuration the directory with that of the cluster
     * @param checkpoints the file to write down each of them in
     */
    public FleetSettings(Path configuration, Path checkpoints) {
        this.configuration = configuration;
        this.checkpoints = checkpoints;
    }

    static FleetSettings parse(String[] arguments) {
        FleetSettings settings =
                new FleetSettings(Path.of(arguments[0]), Path.of(arguments[1]))
                        .changelog(Boolean.parseBoolean(arguments[2]))
                        .ownHandles(Boolean.parseBoolean(arguments[3]))
                        .size(Integer.parseInt(arguments[4]), Integer.parseInt(arguments[5]))
                        .materializeEvery(Integer.parseInt(arguments[6]))
                        .truncated(Integer.parseInt(arguments[7]));
        for (int i = 8; i < arguments.length; i++) {
            settings.metadata(Path.of(arguments[i]));
        }
        return settings;
    }

    /** Two checkpoints of a real job: directories with a {@code _metadata} each. */
    public FleetSettings metadata(Path directory) {
        metadata.add(directory);
        return this;
    }

    public FleetSettings changelog(boolean enabled) {
        changelog = enabled;
        return this;
    }

    /** Whether its segments are listed as dstl's TaskManagers list theirs, or as Flink's do. */
    public FleetSettings ownHandles(boolean own) {
        ownHandles = own;
        return this;
    }

    /**
     * @param allTasks with state, of the fleet
     * @param slotsEach of a TaskManager
     */
    public FleetSettings size(int allTasks, int slotsEach) {
        tasks = allTasks;
        slots = slotsEach;
        return this;
    }

    /** In checkpoints, from one materialization of a task to the next. */
    public FleetSettings materializeEvery(int between) {
        materializeEvery = between;
        return this;
    }

    /** Objects that all tasks together give up at once, when they are told to. */
    public FleetSettings truncated(int objects) {
        truncated = objects;
        return this;
    }

    /** For {@link #parse}. */
    public List<String> commandLine() {
        List<String> arguments = new ArrayList<>();
        arguments.add(configuration.toString());
        arguments.add(checkpoints.toString());
        arguments.add(Boolean.toString(changelog));
        arguments.add(Boolean.toString(ownHandles));
        arguments.add(Integer.toString(tasks));
        arguments.add(Integer.toString(slots));
        arguments.add(Integer.toString(materializeEvery));
        arguments.add(Integer.toString(truncated));
        metadata.forEach(directory -> arguments.add(directory.toString()));
        return arguments;
    }

    /**
     * That a task refers to in addition at each checkpoint of {@link FleetCheckpoints#GATHERING}.
     */
    int gatheredEach() {
        int perTask = tasks * FleetCheckpoints.GATHERING;
        return (truncated + perTask - 1) / perTask;
    }

    /** How many objects all tasks give up at once: as many as asked for, or a few more. */
    public int gathered() {
        return gatheredEach() * FleetCheckpoints.GATHERING * tasks;
    }

    /** TaskManagers that have slots for all the tasks. */
    int taskManagers() {
        return (tasks + slots - 1) / slots;
    }
}
