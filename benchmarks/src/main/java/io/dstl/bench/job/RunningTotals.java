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
package io.dstl.bench.job;

import java.util.Arrays;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;

/**
 * Numbers that follow from all that passed through, exactly once; written down in the end.
 *
 * @param <IN> what passes
 */
abstract class RunningTotals<IN> extends AbstractStreamOperator<Long>
        implements OneInputStreamOperator<IN, Long> {
    private static final long serialVersionUID = 1L;

    private final String results;
    private final String name;
    private final long[] totals;
    private transient ListState<Long> kept;

    /**
     * @param results the directory
     * @param name of the files in it
     * @param size how many numbers
     */
    RunningTotals(String results, String name, int size) {
        this.results = results;
        this.name = name;
        this.totals = new long[size];
    }

    /** The task's own array, to be changed in place. */
    final long[] totals() {
        return totals;
    }

    @Override
    public final void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        kept =
                context.getOperatorStateStore()
                        .getListState(new ListStateDescriptor<>("totals", LongSerializer.INSTANCE));
        int i = 0;
        for (long total : kept.get()) {
            totals[i++] = total;
        }
    }

    @Override
    public final void snapshotState(StateSnapshotContext context) throws Exception {
        super.snapshotState(context);
        kept.clear();
        for (long total : totals) {
            kept.add(total);
        }
    }

    @Override
    public final void finish() throws Exception {
        super.finish();
        TotalsFile.write(
                results,
                name,
                getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
                Arrays.copyOf(totals, totals.length));
    }
}
