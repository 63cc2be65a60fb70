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

import io.dstl.testkit.LocalFlink;
import io.dstl.testkit.PathsBelow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A job of two regions, whose tasks share the files of one TaskManager. One region fails again and
 * again in the middle of checkpoints, and is restored from the last that has completed; the other
 * goes on. Each retained checkpoint then has what it must have.
 */
class RegionFailoverTest {
    private static final String FAILING = "failing";
    private static final String SURVIVING = "surviving";
    private static final int PARALLELISM = 2;
    private static final int STEP = 1_000;
    private static final int FAILURES = 3;
    private static final int RETAINED = 2;

    /** Two are under way at a time: between two failures of these some complete. */
    private static final int CHECKPOINTS_BETWEEN = 5;

    /** How long it may take is no matter of this test. */
    private static final Duration DELETION = Duration.ofMinutes(1);

    /** Of the job at hand. */
    private static final AtomicInteger FAILURES_TO_COME = new AtomicInteger();

    private static final AtomicLong LAST_FAILURE = new AtomicLong();
    private static final Map<String, Integer> STARTS = new ConcurrentHashMap<>();
    private static final AtomicInteger CHECKPOINTS_TO_COME = new AtomicInteger();
    private static volatile CompletableFuture<Void> checkpointed;

    @TempDir Path directory;

    @BeforeEach
    void expectFailures() {
        FAILURES_TO_COME.set(FAILURES);
        LAST_FAILURE.set(0);
        STARTS.clear();
    }

    /** Without materialization their logs are from before the first failure. */
    @ParameterizedTest
    @CsvSource({"rocksdb, false", "rocksdb, true", "hashmap, true"})
    void leavesCheckpointsThatAreWhole(String delegate, boolean materialized) throws Exception {
        Configuration configuration = PlannedFailure.cluster(directory.resolve("log"));
        configuration.set(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS, RETAINED);
        try (MiniCluster cluster = LocalFlink.start(configuration, 2 * PARALLELISM)) {
            runUntilCheckpointed(cluster, job(delegate, materialized));
            assertThat(STARTS).containsEntry(FAILING, 1 + FAILURES).containsEntry(SURVIVING, 1);

            // Those before them are deleted on other threads.
            await().atMost(DELETION)
                    .untilAsserted(() -> assertThat(checkpoints()).hasSize(RETAINED));
            for (Path checkpoint : checkpoints()) {
                JobGraph restored = job(delegate, materialized);
                restored.setSavepointRestoreSettings(
                        SavepointRestoreSettings.forPath(checkpoint.toUri().toString()));
                runUntilCheckpointed(cluster, restored);
            }
        }
    }

    private static void runUntilCheckpointed(MiniCluster cluster, JobGraph job) throws Exception {
        CHECKPOINTS_TO_COME.set(RETAINED);
        checkpointed = new CompletableFuture<>();
        cluster.submitJob(job).get();
        CompletableFuture<JobResult> end = cluster.requestJobResult(job.getJobID());
        CompletableFuture.anyOf(end, checkpointed).get();
        assertThat(end).as("the job, which nobody has cancelled").isNotDone();
        cluster.cancelJob(job.getJobID()).get();
        end.get();
    }

    private List<Path> checkpoints() throws IOException {
        return PathsBelow.files(directory.resolve("checkpoints")).stream()
                .filter(file -> file.getFileName().toString().equals("_metadata"))
                .map(Path::getParent)
                .collect(Collectors.toList());
    }

    private JobGraph job(String delegate, boolean materialized) {
        Configuration configuration =
                PlannedFailure.job(
                        delegate, directory.resolve("checkpoints"), Duration.ofMillis(200));
        configuration.set(StateChangelogOptions.PERIODIC_MATERIALIZATION_ENABLED, materialized);
        configuration.set(CheckpointingOptions.MAX_CONCURRENT_CHECKPOINTS, 2);
        configuration.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        // Those that a failure interrupts, and those that a slow machine does.
        configuration.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 100);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, FAILURES);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(PARALLELISM);
        env.enableCheckpointing(50);
        region(env, FAILING, new FailingCount());
        region(env, SURVIVING, new CheckedCount());
        return env.getStreamGraph().getJobGraph();
    }

    private static void region(StreamExecutionEnvironment env, String name, CheckedCount count) {
        env.addSource(new Numbers(name))
                .returns(Types.LONG)
                .setParallelism(1)
                .uid(name)
                .keyBy(number -> number % CheckedCount.KEYS)
                .process(count)
                .returns(Types.LONG)
                .uid(name + "-count")
                .sinkTo(new DiscardingSink<>());
    }

    /** Fails in the middle of checkpoints, after some have completed. */
    private static final class FailingCount extends CheckedCount implements CheckpointedFunction {
        private static final long serialVersionUID = 1L;

        @Override
        public void initializeState(FunctionInitializationContext context) {}

        @Override
        public void snapshotState(FunctionSnapshotContext context) {
            long id = context.getCheckpointId();
            boolean first = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() == 0;
            if (first
                    && FAILURES_TO_COME.get() > 0
                    && id > LAST_FAILURE.get() + CHECKPOINTS_BETWEEN) {
                FAILURES_TO_COME.decrementAndGet();
                LAST_FAILURE.set(id);
                throw new IllegalStateException("The failure that the test asks for");
            }
        }
    }

    /** Of one region, without an end. */
    private static final class Numbers extends CheckpointedNumbers {
        private static final long serialVersionUID = 1L;

        private final String region;

        Numbers(String region) {
            super(STEP);
            this.region = region;
        }

        @Override
        boolean isOver(long counted) {
            return false;
        }

        @Override
        void starting() {
            STARTS.merge(region, 1, Integer::sum);
        }

        @Override
        void completed(long checkpointId) {
            if (region.equals(FAILING)
                    && FAILURES_TO_COME.get() == 0
                    && CHECKPOINTS_TO_COME.decrementAndGet() == 0) {
                checkpointed.complete(null);
            }
        }
    }
}
