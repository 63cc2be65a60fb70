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

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Counts the numbers of each key, and fails where a number tells that some were lost or doubled.
 */
class CheckedCount extends KeyedProcessFunction<Long, Long, Long> {
    /** The key of a number is the rest that this leaves. */
    static final long KEYS = 100;

    private static final long serialVersionUID = 1L;

    private transient ValueState<Long> count;

    @Override
    public void open(OpenContext context) throws Exception {
        count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", LONGS));
    }

    @Override
    public void processElement(Long number, Context context, Collector<Long> out) throws Exception {
        long before = count.value() == null ? 0 : count.value();
        if (before != number / KEYS) {
            throw new IllegalStateException(
                    "Before " + number + " its key was counted " + before + " times");
        }
        count.update(before + 1);
        out.collect(number);
    }
}
