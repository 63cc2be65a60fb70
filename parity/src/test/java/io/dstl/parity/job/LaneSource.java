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

import io.dstl.parity.model.Event;
import io.dstl.parity.model.Script;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;
import org.apache.flink.streaming.api.watermark.Watermark;

/**
 * Sends the rounds that the stage allows, each as a whole. Its operator state is where each lane
 * stands, so lanes move between subtasks when the parallelism changes.
 */
@SuppressWarnings("deprecation") // The newer interface has no such simple source.
final class LaneSource extends RichParallelSourceFunction<Event> implements CheckpointedFunction {

    private static final long serialVersionUID = 1L;

    private transient TreeMap<Integer, Integer> nextRounds;
    private transient ListState<LanePosition> positions;
    private volatile boolean running = true;

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
        positions =
                context.getOperatorStateStore()
                        .getListState(new ListStateDescriptor<>("lanes", LanePosition.class));
        nextRounds = new TreeMap<>();
        if (context.isRestored()) {
            for (LanePosition position : positions.get()) {
                nextRounds.put(position.lane, position.nextRound);
            }
        } else {
            int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
            int subtasks = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
            for (int lane = subtask; lane < Script.LANES; lane += subtasks) {
                nextRounds.put(lane, 0);
            }
        }
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
        Stage.current().sourceSnapshot();
        positions.clear();
        for (int lane : nextRounds.keySet()) {
            positions.add(LanePosition.of(lane, nextRounds.get(lane)));
        }
    }

    @Override
    public void run(SourceContext<Event> context) throws Exception {
        while (!nextRounds.isEmpty()) {
            int round = nextRounds.values().iterator().next();
            if (!Stage.current().awaitRound(round, this::isOn)) {
                return;
            }
            synchronized (context.getCheckpointLock()) {
                send(round, context);
            }
            Stage.current().sent(round);
        }
    }

    private boolean isOn() {
        return running && !Stage.current().hasFinished(nextRounds.firstKey());
    }

    private void send(int round, SourceContext<Event> context) {
        for (int lane : nextRounds.keySet()) {
            if (nextRounds.get(lane) != round) {
                throw new IllegalStateException("Not all lanes are at one round: " + nextRounds);
            }
            for (Event event : Script.events(lane, round)) {
                context.collectWithTimestamp(event, event.timestamp);
            }
            nextRounds.put(lane, round + 1);
        }
        context.emitWatermark(new Watermark(Script.endOf(round)));
    }

    @Override
    public void cancel() {
        running = false;
        Stage.current().wakeUp();
    }
}
