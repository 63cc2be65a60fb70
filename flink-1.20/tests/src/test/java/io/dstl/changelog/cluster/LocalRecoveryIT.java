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

import static io.dstl.changelog.testing.Awaiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.testkit.LocalFlink;
import io.dstl.testkit.PathsBelow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RuntimeContext;
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
                .process(new WatchedCount(outage.name()))
                .sinkTo(new DiscardingSink<>());
        return env.getStreamGraph().getJobGraph();
    }

    private static List<Path> filesOfJobs(Path local) throws IOException {
        return PathsBelow.files(local).stream()
                .filter(file -> file.toString().contains("jid_"))
                .collect(Collectors.toList());
    }

    /** Says when it restores its state, and when it has. */
    private static final class WatchedCount extends CheckedCount {
        private static final long serialVersionUID = 1L;

        private final String outage;

        WatchedCount(String outage) {
            this.outage = outage;
        }

        /** Called before the state is restored. */
        @Override
        public void setRuntimeContext(RuntimeContext context) {
            super.setRuntimeContext(context);
            try {
                Outage.named(outage).restoring();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Cancelled while it waited for the source", e);
            }
        }

        @Override
        public void open(OpenContext context) throws Exception {
            Outage.named(outage).subtaskRestored();
            super.open(context);
        }
    }

    /** A {@link PlannedFailure} while whose subtasks restore, no file is in the store. */
    private static final class Outage extends PlannedFailure {
        private final Path store;
        private final int subtasks;

        @GuardedBy("this")
        private int restored;

        private Outage(Path store, Path checkpoints, int subtasks) {
            super(checkpoints);
            this.store = store;
            this.subtasks = subtasks;
        }

        /**
         * @param checkpoints of the job, in the store
         */
        static Outage of(Path store, Path checkpoints, int subtasks) {
            return findable(new Outage(store, checkpoints, subtasks));
        }

        static Outage named(String name) {
            return (Outage) PlannedFailure.named(name);
        }

        /** A subtask is about to restore its state. */
        synchronized void restoring() throws IOException, InterruptedException {
            if (hasFailed() && restored < subtasks) {
                awaitSourceRestored();
                move(store, away());
            }
        }

        /** A subtask has restored its state. */
        synchronized void subtaskRestored() throws IOException {
            if (hasFailed() && ++restored == subtasks) {
                move(away(), store);
            }
        }

        synchronized int restoredMeanwhile() {
            return restored;
        }

        private Path away() {
            return store.resolveSibling("away");
        }

        /** Each file for itself, as others may come and go meanwhile. */
        private static void move(Path from, Path to) throws IOException {
            for (Path file : PathsBelow.files(from)) {
                Path target = to.resolve(from.relativize(file).toString());
                Files.createDirectories(target.getParent());
                try {
                    Files.move(file, target);
                } catch (NoSuchFileException e) {
                    // The job has deleted it.
                }
            }
        }
    }
}
