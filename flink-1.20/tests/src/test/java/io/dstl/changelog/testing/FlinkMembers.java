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
package io.dstl.changelog.testing;

import java.util.List;
import org.apache.flink.core.execution.RestoreMode;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.StandaloneCompletedCheckpointStore;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.TaskMetricGroup;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.streaming.runtime.tasks.StreamTaskCancellationContext;
import org.apache.flink.util.concurrent.Executors;

/**
 * What tests need of Flink and each of its versions has otherwise. flink-1.20 and flink-2 have one
 * class of this name each; all else that their tests use is the same source.
 */
public final class FlinkMembers {

    private FlinkMembers() {}

    /** Keeps one checkpoint, and claims what a job is restored from. */
    public static StandaloneCompletedCheckpointStore claimingStore() {
        return new StandaloneCompletedCheckpointStore(
                1,
                SharedStateRegistry.DEFAULT_FACTORY,
                Executors.directExecutor(),
                RestoreMode.CLAIM);
    }

    /** Of an operator without a name. */
    public static OperatorState operatorState(
            OperatorID operator, int parallelism, int maxParallelism) {
        return new OperatorState(operator, parallelism, maxParallelism);
    }

    /** Of Flink, with the backend's queues. */
    public static <K> InternalTimeServiceManager<K> timerServices(
            TaskMetricGroup metrics,
            AbstractKeyedStateBackend<K> backend,
            KeyContext keys,
            ProcessingTimeService time)
            throws Exception {
        return InternalTimeServiceManagerImpl.create(
                metrics.getIOMetricGroup(),
                backend,
                FlinkMembers.class.getClassLoader(),
                keys,
                time,
                List.of(),
                StreamTaskCancellationContext.alwaysRunning());
    }
}
