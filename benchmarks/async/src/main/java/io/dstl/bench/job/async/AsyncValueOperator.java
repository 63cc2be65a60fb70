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
package io.dstl.bench.job.async;

import org.apache.flink.api.common.state.v2.ValueState;
import org.apache.flink.api.common.state.v2.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.runtime.asyncprocessing.operators.AbstractAsyncStateStreamOperator;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Keeps one value of each key in asynchronous state, and sums up all of them in the end. */
final class AsyncValueOperator extends AbstractAsyncStateStreamOperator<Long>
        implements OneInputStreamOperator<Long, Long> {
    private final ValueWork work;
    private transient ValueState<byte[]> state;

    /** Changed by the task thread alone, where all answers of the state are taken. */
    private transient long digest;

    AsyncValueOperator(ValueWork work) {
        this.work = work;
    }

    @Override
    public void open() throws Exception {
        super.open();
        state =
                getOrCreateKeyedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new ValueStateDescriptor<>("value", BytePrimitiveArraySerializer.INSTANCE));
    }

    @Override
    public void processElement(StreamRecord<Long> record) {
        long update = record.getValue();
        if (work.reads()) {
            state.asyncValue().thenCompose(before -> state.asyncUpdate(work.next(before, update)));
        } else {
            state.asyncUpdate(work.next(null, update));
        }
    }

    /** Asynchronous state can't list its keys: they are asked for one by one. */
    @Override
    public void finish() throws Exception {
        drainStateRequests();
        digest = 0;
        int keyGroups = getRuntimeContext().getTaskInfo().getMaxNumberOfParallelSubtasks();
        KeyGroupRange own = getAsyncKeyedStateBackend().getKeyGroupRange();
        for (long key = 0; key < work.keys(); key++) {
            if (own.contains(KeyGroupRangeAssignment.assignToKeyGroup(key, keyGroups))) {
                add(key);
            }
        }
        drainStateRequests();
        work.end(getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(), digest);
        super.finish();
    }

    private void add(long key) {
        asyncProcessWithKey(
                key,
                () ->
                        state.asyncValue()
                                .thenAccept(
                                        value -> {
                                            if (value != null) {
                                                digest += work.digest(key, value);
                                            }
                                        }));
    }
}
