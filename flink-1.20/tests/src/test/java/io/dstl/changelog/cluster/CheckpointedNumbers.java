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

import static io.dstl.changelog.testing.Serializers.LONGS;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.source.SourceFunction;

/**
 * Counts from 0, or from where the restored checkpoint was: a step at first, and one after each
 * completed checkpoint.
 */
@SuppressWarnings("deprecation") // The new interface takes five classes for this.
abstract class CheckpointedNumbers
        implements SourceFunction<Long>, CheckpointedFunction, CheckpointListener {
    private static final long serialVersionUID = 1L;

    private final int step;
    private transient Semaphore steps;
    private transient ListState<Long> position;
    private transient long next;
    private transient volatile boolean cancelled;

    CheckpointedNumbers(int step) {
        this.step = step;
    }

    /**
     * @param counted numbers so far
     */
    abstract boolean isOver(long counted);

    /** It goes on with this number. */
    void restored(long number) {}

    /** It is about to count. */
    void starting() {}

    /** Called before it takes part in a later checkpoint. */
    void completed(long checkpointId) throws IOException {}

    @Override
    public final void initializeState(FunctionInitializationContext context) throws Exception {
        steps = new Semaphore(1);
        position =
                context.getOperatorStateStore()
                        .getListState(new ListStateDescriptor<>("position", LONGS));
        for (long number : position.get()) {
            next = number;
            restored(number);
        }
        starting();
    }

    @Override
    public final void run(SourceContext<Long> context) throws Exception {
        while (!cancelled && !isOver(next)) {
            steps.acquire();
            synchronized (context.getCheckpointLock()) {
                for (int i = 0; i < step; i++) {
                    context.collect(next++);
                }
            }
        }
    }

    @Override
    public final void snapshotState(FunctionSnapshotContext context) throws Exception {
        position.clear();
        position.add(next);
    }

    @Override
    public final void notifyCheckpointComplete(long checkpointId) throws IOException {
        completed(checkpointId);
        steps.release();
    }

    @Override
    public final void cancel() {
        cancelled = true;
        steps.release();
    }
}
