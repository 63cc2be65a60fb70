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
package io.dstl.changelog.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dstl.testkit.LocalFlink;
import io.dstl.testkit.PathsBelow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A job on a real cluster fails once and restarts on the same TaskManager, while the store has none
 * of its files: state and log come from the local disk.
 */
class LocalRecoveryIT {

    private static final int STEP = 1_000;

    /** Deletion has threads of its own; how long it may take is no matter of this test. */
    private static final Duration DELETION = Duration.ofMinutes(1);

    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"rocksdb", "hashmap"})
    void restartsFromTheLocalDiskWhileTheStoreIsAway(String delegate) throws Exception {
        Path store = Files.createDirectories(directory.resolve("store"));
        Path checkpoints = Files.createDirectories(store.resolve("checkpoints"));
        Path local = Files.createDirectories(directory.resolve("local"));
        try (Outage outage = Outage.of(store, checkpoints, PlannedFailure.PARALLELISM);
                MiniCluster cluster =
                        LocalFlink.start(configuration(store, local), PlannedFailure.PARALLELISM)) {
            JobGraph job = job(delegate, outage);
            cluster.submitJob(job).get();

            JobResult result = cluster.requestJobResult(job.getJobID()).get();
            assertThat(result.getSerializedThrowable()).isEmpty();
            assertThat(outage.restoredMeanwhile()).isEqualTo(PlannedFailure.PARALLELISM);
            await().atMost(DELETION).untilAsserted(() -> assertThat(filesOfJobs(local)).isEmpty());
        }
    }

    private static Configuration configuration(Path store, Path local) {
        Configuration configuration = PlannedFailure.cluster(store.resolve("log"));
        configuration.set(StateRecoveryOptions.LOCAL_RECOVERY, true);
        configuration.set(
                CheckpointingOptions.LOCAL_RECOVERY_TASK_MANAGER_STATE_ROOT_DIRS, local.toString());
        return configuration;
    }

    private static JobGraph job(String delegate, Outage outage) {
        StreamExecutionEnvironment env = outage.environment(delegate, Duration.ofMillis(200));
        env.addSource(new SteppedNumbers(outage.name(), STEP))
                .setParallelism(1)
                .keyBy(number -> number % CheckedCount.KEYS)
                .process(new CheckedCount(outage.name()))
                .sinkTo(new DiscardingSink<>());
        return env.getStreamGraph().getJobGraph();
    }

    private static List<Path> filesOfJobs(Path local) throws IOException {
        return PathsBelow.files(local).stream()
                .filter(file -> file.toString().contains("jid_"))
                .collect(Collectors.toList());
    }
}
