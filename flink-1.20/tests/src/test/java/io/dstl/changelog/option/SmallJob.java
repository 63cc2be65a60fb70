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
package io.dstl.changelog.option;

import io.dstl.testkit.LocalFlink;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
import org.apache.flink.util.Collector;

/** A small keyed job on a real Flink in this JVM: one TaskManager, two slots. */
public final class SmallJob {
    private static final int PARALLELISM = 2;

    /** Of the run at hand; one at a time. */
    private static final AtomicInteger CHECKPOINTS_TO_COME = new AtomicInteger();

    private static final AtomicBoolean FAILURE_TO_COME = new AtomicBoolean();

    private static final AtomicReference<Runnable> AFTER_THE_LAST = new AtomicReference<>(() -> {});

    private final Configuration cluster;
    private final Configuration job;

    /**
     * @param cluster the JobManager's and the TaskManager's
     * @param job what the job is submitted with
     */
    public SmallJob(Configuration cluster, Configuration job) {
        this.cluster = new Configuration(cluster);
        this.job = new Configuration(job);
        if (!job.contains(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER)) {
            // A slow machine may fail some.
            this.job.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 10);
        }
    }

    /** Runs over a few records. */
    public void run() throws Exception {
        StreamExecutionEnvironment env = environment();
        env.fromSequence(1, 100)
                .keyBy(value -> value % 10)
                .process(new Last())
                .returns(Types.LONG)
                .sinkTo(new DiscardingSink<>());
        execute(env);
    }

    /**
     * Runs until so many checkpoints have completed.
     *
     * @param fail once, after half of them
     */
    public void run(int checkpoints, boolean fail) throws Exception {
        run(checkpoints, fail, () -> {});
    }

    /**
     * Runs until so many checkpoints have completed.
     *
     * @param afterTheLast what to do before the job ends, on a task thread
     */
    public void run(int checkpoints, Runnable afterTheLast) throws Exception {
        run(checkpoints, false, afterTheLast);
    }

    private void run(int checkpoints, boolean fail, Runnable afterTheLast) throws Exception {
        CHECKPOINTS_TO_COME.set(checkpoints);
        FAILURE_TO_COME.set(fail);
        AFTER_THE_LAST.set(afterTheLast);
        StreamExecutionEnvironment env = environment();
        env.addSource(new UntilCheckpointed(checkpoints / 2))
                .returns(Types.LONG)
                .keyBy(value -> value % 10)
                .process(new Last())
                .returns(Types.LONG)
                .sinkTo(new DiscardingSink<>());
        execute(env);
    }

    private StreamExecutionEnvironment environment() {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration(job));
        env.setParallelism(PARALLELISM);
        return env;
    }

    private void execute(StreamExecutionEnvironment env) throws Exception {
        JobGraph graph = env.getStreamGraph().getJobGraph();
        try (MiniCluster flink = LocalFlink.start(cluster, PARALLELISM)) {
            flink.executeJobBlocking(graph);
        }
    }

    private static final class Last extends KeyedProcessFunction<Long, Long, Long> {
        private transient ValueState<Long> last;

        @Override
        public void open(OpenContext context) {
            last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Types.LONG));
        }

        @Override
        public void processElement(Long value, Context context, Collector<Long> out)
                throws Exception {
            last.update(value);
            out.collect(value);
        }
    }

    private static final class UntilCheckpointed
            implements SourceFunction<Long>, CheckpointListener {
        private final int failAt;
        private volatile boolean cancelled;

        UntilCheckpointed(int failAt) {
            this.failAt = failAt;
        }

        @Override
        public void run(SourceContext<Long> context) throws Exception {
            long next = 0;
            while (!cancelled && CHECKPOINTS_TO_COME.get() > 0) {
                synchronized (context.getCheckpointLock()) {
                    context.collect(next++);
                    context.getCheckpointLock().wait(1);
                }
                if (CHECKPOINTS_TO_COME.get() <= failAt
                        && FAILURE_TO_COME.compareAndSet(true, false)) {
                    throw new IllegalStateException("The failure that the test asks for");
                }
            }
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            if (CHECKPOINTS_TO_COME.get() == 1) {
                AFTER_THE_LAST.get().run();
            }
            CHECKPOINTS_TO_COME.decrementAndGet();
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }
}
