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
package io.dstl.changelog.serializer.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.cluster.PlannedFailure;
import io.dstl.changelog.cluster.SteppedNumbers;
import io.dstl.changelog.serializer.type.Departure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** State of every type in a job that fails, on a Flink, and is restored from both its parts. */
class SerializersInAJobTest {

    private static final int PARALLELISM = 2;

    /** Some rounds over all keys with each checkpoint. */
    private static final int STEP = 5 * EveryType.KEYS;

    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void goOnWithWhatTheyHadWritten(String delegate) throws Exception {
        Departure.deployBefore();
        Path checkpoints = Files.createDirectories(directory.resolve("checkpoints"));
        try (PlannedFailure failure = PlannedFailure.of(checkpoints);
                MiniCluster flink = new MiniCluster(cluster())) {
            flink.start();
            flink.executeJobBlocking(job(delegate, checkpoints, failure));

            assertThat(failure.restoredFrom()).isPositive();
        }
    }

    private MiniClusterConfiguration cluster() {
        Configuration configuration = new Configuration();
        configuration.set(StateChangelogOptions.STATE_CHANGE_LOG_STORAGE, "filesystem");
        configuration.setString(
                "state.changelog.dstl.dfs.base-path", directory.resolve("log").toUri().toString());
        return new MiniClusterConfiguration.Builder()
                .withRandomPorts()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(PARALLELISM)
                .build();
    }

    private static JobGraph job(String delegate, Path checkpoints, PlannedFailure failure) {
        Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, delegate);
        // A column family for each of many states: each would take 8 MB at its first value.
        configuration.setString("state.backend.rocksdb.writebuffer.size", "1 mb");
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
        configuration.set(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD, MemorySize.ZERO);
        configuration.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, true);
        configuration.set(
                StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL, Duration.ofMillis(500));
        // A slow machine may fail some.
        configuration.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 10);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ZERO);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(PARALLELISM);
        env.enableCheckpointing(100);
        env.addSource(new SteppedNumbers(failure.name(), STEP))
                .setParallelism(1)
                .keyBy(number -> number % EveryType.KEYS)
                .process(new EveryType())
                .sinkTo(new DiscardingSink<>());
        return env.getStreamGraph().getJobGraph();
    }
}
