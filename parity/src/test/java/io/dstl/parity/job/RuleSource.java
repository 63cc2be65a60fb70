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
package io.dstl.parity.job;

import io.dstl.parity.model.Script;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.source.SourceFunction;
import org.apache.flink.streaming.api.watermark.Watermark;

/** Sends one rule in each round that the stage allows, to be broadcast. */
@SuppressWarnings("deprecation") // As in LaneSource.
final class RuleSource implements SourceFunction<Integer>, CheckpointedFunction {

    private static final long serialVersionUID = 1L;

    private transient int nextRound;
    private transient ListState<Integer> position;
    private volatile boolean running = true;

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        position =
                context.getOperatorStateStore()
                        .getUnionListState(new ListStateDescriptor<>("rules", Integer.class));
        for (int round : position.get()) {
            nextRound = round;
        }
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        position.clear();
        position.add(nextRound);
    }

    @Override
    public void run(SourceContext<Integer> context) throws Exception {
        while (Stage.current().awaitRound(nextRound, () -> running)) {
            synchronized (context.getCheckpointLock()) {
                context.collectWithTimestamp(nextRound, Script.startOf(nextRound));
                context.emitWatermark(new Watermark(Script.endOf(nextRound)));
                nextRound++;
            }
        }
    }

    @Override
    public void cancel() {
        running = false;
        Stage.current().wakeUp();
    }
}
