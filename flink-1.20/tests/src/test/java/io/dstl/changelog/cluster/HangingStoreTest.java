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

import io.dstl.testkit.LocalFlink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The store of materializations, by Flink's file system, hangs in writing and in closing. */
@Timeout(value = 150, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HangingStoreTest {
    private static final int STEP = 1_000;

    /** How the job at hand is to end. */
    private static volatile JobStatus wanted;

    @TempDir Path directory;

    /**
     * A task closes what its upload has open. That of a task that had failed kept even the
     * JobManager from knowing. The first file is RocksDB's metadata, and has the upload's thread;
     * the others have threads of RocksDB.
     */
    @ParameterizedTest
    @CsvSource({
        "CANCELED, rocksdb, 0, 0, false",
        "FAILED, rocksdb, 0, 0, true",
        "FAILED, rocksdb, 3, 0, false",
        "FINISHED, rocksdb, 0, 0, false",
        "FINISHED, hashmap, 0, 10000, true"
    })
    void aTaskThatUploadsEnds(
            JobStatus end, String delegate, int filesBefore, int bytesBefore, boolean local)
            throws Exception {
        wanted = end;
        HangingFileSystem.hangAfter(filesBefore, bytesBefore);
        Configuration configuration = PlannedFailure.cluster(directory.resolve("log"));
        configuration.set(StateRecoveryOptions.LOCAL_RECOVERY, local);
        try (MiniCluster cluster = LocalFlink.start(configuration, PlannedFailure.PARALLELISM)) {
            JobGraph job = job(delegate);
            cluster.submitJob(job).get();
            CompletableFuture<JobResult> result = cluster.requestJobResult(job.getJobID());
            HangingFileSystem.awaitWriter();
            if (end == JobStatus.CANCELED) {
                cluster.cancelJob(job.getJobID()).get();
            }
            result.get();
            assertThat(cluster.getJobStatus(job.getJobID()).get()).isEqualTo(end);

            HangingFileSystem.release();
            HangingFileSystem.awaitClosed();
        } finally {
            HangingFileSystem.release();
        }
    }

    private static boolean isTimeFor(JobStatus end) {
        return end == wanted && HangingFileSystem.hasWriter();
    }

    private JobGraph job(String delegate) {
        Path checkpoints = directory.resolve("checkpoints");
        Configuration configuration =
                PlannedFailure.job(delegate, checkpoints, Duration.ofMillis(100));
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                HangingFileSystem.SCHEME + "://" + checkpoints);
        // A file reaches the store before it is whole.
        configuration.set(CheckpointingOptions.FS_WRITE_BUFFER_SIZE, 16);
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(PlannedFailure.PARALLELISM);
        env.enableCheckpointing(100);
        env.addSource(new Numbers())
                .returns(Types.LONG)
                .setParallelism(1)
                .keyBy(number -> number % CheckedCount.KEYS)
                .process(new Count())
                .returns(Types.LONG)
                .sinkTo(new DiscardingSink<>());
        return env.getStreamGraph().getJobGraph();
    }

    private static final class Numbers extends CheckpointedNumbers {
        private static final long serialVersionUID = 1L;

        Numbers() {
            super(STEP);
        }

        @Override
        boolean isOver(long counted) {
            return isTimeFor(JobStatus.FINISHED);
        }
    }

    /** Has more state than a buffer of Flink's stream to two places takes. */
    private static final class Count extends CheckedCount {
        private static final long serialVersionUID = 1L;
        private static final int LETTERS = 1_000;

        private transient ValueState<String> more;

        @Override
        public void open(OpenContext context) throws Exception {
            super.open(context);
            more = getRuntimeContext().getState(new ValueStateDescriptor<>("more", Types.STRING));
        }

        @Override
        public void processElement(Long number, Context context, Collector<Long> out)
                throws Exception {
            if (isTimeFor(JobStatus.FAILED)) {
                throw new IllegalStateException("The failure that the test asks for");
            }
            super.processElement(number, context, out);
            more.update("x".repeat(LETTERS));
        }
    }
}
