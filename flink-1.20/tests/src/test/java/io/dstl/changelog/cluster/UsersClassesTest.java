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
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Jobs come and go on a TaskManager where another one stays, so that whatever the jobs of a process
 * share stays too: it keeps the classes of none that has gone. JVMs of this test clear soft
 * references, as Java's own caches have them, at each garbage collection.
 */
@Tag("own-jvm")
class UsersClassesTest {
    private static final int PARALLELISM = 2;
    private static final int KEYS = 100;
    private static final int STEP = 1_000;
    private static final int CHECKPOINTS = 6;

    /** The task that fails; the others may not have come so far. */
    private static final int FAILED_ATTEMPT = 1;

    /**
     * How long a collection may take is no matter of this test. Flink alone, without a changelog,
     * keeps the first job's classes for a minute now and then.
     */
    private static final Duration COLLECTION = Duration.ofMinutes(5);

    @TempDir Path directory;

    private Path jar;

    @BeforeEach
    void writeTheJar() throws Exception {
        UsersClasses.forget();
        jar = UsersClasses.jar(directory.resolve("users.jar"));
    }

    /** Without a changelog too: whatever keeps them then is Flink's. */
    @ParameterizedTest
    @CsvSource({"rocksdb, true", "hashmap, true", "rocksdb, false"})
    void goWithTheirJob(String delegate, boolean changelog) throws Exception {
        Path log = directory.resolve("log");
        try (MiniCluster cluster = LocalFlink.start(PlannedFailure.cluster(log), 2 * PARALLELISM)) {
            // The first to use the threads of its process, as it may be.
            JobGraph restarted = job(delegate, changelog, new UsersCode(3 * STEP, 1), CHECKPOINTS);
            cluster.submitJob(restarted).get();
            JobGraph staying = job(delegate, changelog, new Stay(), Integer.MAX_VALUE);
            cluster.submitJob(staying).get();

            assertThat(statusInTheEnd(cluster, restarted)).isEqualTo(JobStatus.FINISHED);
            assertThatTheyAreCollected(FAILED_ATTEMPT + PARALLELISM);

            JobGraph failing = job(delegate, changelog, new UsersCode(3 * STEP, 2), CHECKPOINTS);
            int before = UsersClasses.seen();
            cluster.submitJob(failing).get();
            assertThat(statusInTheEnd(cluster, failing)).isEqualTo(JobStatus.FAILED);
            assertThatTheyAreCollected(before + 2 * FAILED_ATTEMPT);

            JobGraph endless =
                    job(delegate, changelog, new UsersCode(Long.MAX_VALUE, 0), Integer.MAX_VALUE);
            int all = UsersClasses.seen() + PARALLELISM;
            cluster.submitJob(endless).get();
            await().atMost(COLLECTION).until(() -> UsersClasses.seen() >= all);
            cluster.cancelJob(endless.getJobID()).get();
            assertThat(statusInTheEnd(cluster, endless)).isEqualTo(JobStatus.CANCELED);
            assertThatTheyAreCollected(all);

            cluster.cancelJob(staying.getJobID()).get();
            assertThat(statusInTheEnd(cluster, staying)).isEqualTo(JobStatus.CANCELED);
        }
    }

    private JobGraph job(
            String delegate,
            boolean changelog,
            KeyedProcessFunction<Long, Long, Long> work,
            int checkpoints) {
        Configuration configuration =
                PlannedFailure.job(
                        delegate, directory.resolve("checkpoints"), Duration.ofMillis(100));
        configuration.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, changelog);
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(PARALLELISM);
        env.enableCheckpointing(100);
        env.addSource(new Numbers(checkpoints))
                .returns(Types.LONG)
                .setParallelism(1)
                .keyBy(number -> number % KEYS)
                .process(work)
                .returns(Types.LONG)
                .sinkTo(new DiscardingSink<>());
        JobGraph graph = env.getStreamGraph().getJobGraph();
        graph.addJar(new org.apache.flink.core.fs.Path(jar.toUri()));
        return graph;
    }

    private static JobStatus statusInTheEnd(MiniCluster cluster, JobGraph job) throws Exception {
        cluster.requestJobResult(job.getJobID()).get();
        return cluster.getJobStatus(job.getJobID()).get();
    }

    /**
     * @param tasks that have used them by now, at least
     */
    private static void assertThatTheyAreCollected(int tasks) {
        assertThat(UsersClasses.seen()).isGreaterThanOrEqualTo(tasks);
        await().atMost(COLLECTION).until(UsersClasses::areCollected);
    }

    /** Counts until it has begun as many steps as given. */
    private static final class Numbers extends CheckpointedNumbers {
        private static final long serialVersionUID = 1L;

        private final int mostSteps;

        Numbers(int mostSteps) {
            super(STEP);
            this.mostSteps = mostSteps;
        }

        @Override
        boolean isOver(long counted) {
            return counted >= (long) mostSteps * STEP;
        }
    }

    /** Of the job that stays. Not in the users' jar. */
    private static final class Stay extends KeyedProcessFunction<Long, Long, Long> {
        private static final long serialVersionUID = 1L;

        private transient ValueState<Long> last;

        @Override
        public void open(OpenContext context) {
            last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Types.LONG));
        }

        @Override
        public void processElement(Long number, Context context, Collector<Long> out)
                throws Exception {
            last.update(number);
        }
    }
}
