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
package io.dstl.tools.orphans;

import io.dstl.fs.option.DstlOptions;
import io.dstl.tools.checkpoint.EntropyMarker;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.ParallelWork;
import io.dstl.tools.cli.Progress;
import io.dstl.tools.cli.StoreOfPath;
import io.dstl.tools.orphans.OrphanRule.OperatorWord;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.apache.flink.util.TimeUtils;

/**
 * What a search is to do, from the cluster's configuration and the command line; refuses what can't
 * be searched safely.
 */
final class OrphanSettings {
    private final Path base;
    private final EntropyMarker entropy;
    private final Duration minAge;
    private final OperatorWord word;
    private final Set<Path> configured = new LinkedHashSet<>();
    private final Set<Path> given = new LinkedHashSet<>();
    private final List<Path> savepoints = new ArrayList<>();

    /** What names each path, for errors. */
    private final Map<Path, String> arguments = new LinkedHashMap<>();

    private boolean stateFiles = true;
    private int threads = 1;
    private int retained = 1;

    private OrphanSettings(Path base, EntropyMarker entropy, Duration minAge, OperatorWord word) {
        this.base = base;
        this.entropy = entropy;
        this.minAge = minAge;
        this.word = word;
    }

    /**
     * @throws CommandFailure with key, value and remedy
     */
    static OrphanSettings of(Configuration configuration, String minAge, OperatorWord word)
            throws CommandFailure {
        String base = configuration.get(DstlOptions.BASE_PATH);
        if (base == null || base.trim().isEmpty()) {
            throw CommandFailure.usage(
                    DstlOptions.BASE_PATH.key()
                            + " is not set, so there is no log to search. Give the one that the"
                            + " jobs have: -D "
                            + DstlOptions.BASE_PATH.key()
                            + "=DIR");
        }
        OrphanSettings settings =
                new OrphanSettings(
                        path(DstlOptions.BASE_PATH.key(), base),
                        EntropyMarker.of(configuration),
                        minAge(configuration, minAge),
                        word);
        settings.arguments.put(settings.base, DstlOptions.BASE_PATH.key());
        settings.addDirectory(configuration, CheckpointingOptions.CHECKPOINTS_DIRECTORY);
        settings.addDirectory(configuration, CheckpointingOptions.SAVEPOINT_DIRECTORY);
        // Flink takes less for 1.
        settings.retained =
                Math.max(1, configuration.get(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS));
        return settings;
    }

    private static Duration minAge(Configuration configuration, String value)
            throws CommandFailure {
        Duration minAge;
        try {
            minAge = TimeUtils.parseDuration(value);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(
                    "--min-age is '" + value + "', no duration: write it as in '24 h'");
        }
        Duration timeout = configuration.get(CheckpointingOptions.CHECKPOINTING_TIMEOUT);
        if (minAge.compareTo(timeout) < 0) {
            throw CommandFailure.usage(
                    "--min-age is "
                            + value
                            + ", less than "
                            + CheckpointingOptions.CHECKPOINTING_TIMEOUT.key()
                            + ", "
                            + TimeUtils.formatWithHighestUnit(timeout)
                            + ": a checkpoint under way may refer to segments of that age. Give"
                            + " that or more");
        }
        return minAge;
    }

    private void addDirectory(Configuration configuration, ConfigOption<String> option)
            throws CommandFailure {
        String directory = configuration.get(option);
        if (directory != null && !directory.trim().isEmpty()) {
            configured.add(named(option.key(), directory));
        }
    }

    /**
     * @throws CommandFailure if there is nowhere to look for checkpoints, here or in the
     *     configuration
     */
    OrphanSettings andCheckpoints(List<String> further, List<String> single) throws CommandFailure {
        for (String directory : further) {
            given.add(named("--checkpoints", directory));
        }
        for (String savepoint : single) {
            savepoints.add(named("--savepoint", savepoint));
        }
        // There have to be some, whoever else has named it.
        configured.removeAll(given);
        if (configured.isEmpty() && given.isEmpty()) {
            throw CommandFailure.usage(
                    CheckpointingOptions.CHECKPOINTS_DIRECTORY.key()
                            + " is not set, so it is unknown where checkpoints are. Give each"
                            + " directory that has some: --checkpoints DIR");
        }
        return this;
    }

    private Path named(String argument, String value) throws CommandFailure {
        Path path = entropy.without(path(argument, value));
        arguments.putIfAbsent(path, argument);
        return path;
    }

    /**
     * To be called once Flink's file systems are started, before anything is looked for.
     *
     * @throws CommandFailure if this Flink has none for one of the paths
     */
    void checkStores() throws IOException, CommandFailure {
        for (Map.Entry<Path, String> argument : arguments.entrySet()) {
            StoreOfPath.of(argument.getValue(), argument.getKey());
        }
    }

    CheckpointSearch checkpoints(Progress progress) {
        return new CheckpointSearch(
                new ArrayList<>(configured), new ArrayList<>(given), savepoints, word, progress);
    }

    /**
     * @param wanted whether the state files beside the checkpoints are looked at, as segments are
     */
    OrphanSettings stateFiles(boolean wanted) {
        stateFiles = wanted;
        return this;
    }

    /**
     * @param number that list directories at the same time, where the log is in many
     * @throws CommandFailure with argument, value and remedy
     */
    OrphanSettings threads(int number) throws CommandFailure {
        threads = ParallelWork.checked(number);
        return this;
    }

    LogDirectories log(Progress progress) throws IOException {
        return new LogDirectories(entropy.expand(base), stateFiles, threads, progress);
    }

    OrphanRule rule(long now) {
        return new OrphanRule(minAge, word, retained, now);
    }

    static Path path(String name, String value) throws CommandFailure {
        try {
            return new Path(value.trim());
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(
                    name + " is no URI: " + e.getMessage() + ". Write it as in s3://bucket/path");
        }
    }
}
