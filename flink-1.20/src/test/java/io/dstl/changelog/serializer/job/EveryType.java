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
package io.dstl.changelog.serializer.job;

import io.dstl.changelog.serializer.type.StateType;
import io.dstl.changelog.serializer.type.StateTypes;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Keeps state of every type, and fails if it isn't what the numbers before have left. */
final class EveryType extends KeyedProcessFunction<Long, Long, Long> {

    static final int KEYS = 8;

    private static final long serialVersionUID = 1L;

    private transient List<TypedRounds<?>> types;

    @Override
    public void open(OpenContext context) {
        types = StateTypes.all().stream().map(this::rounds).collect(Collectors.toList());
    }

    private <V> TypedRounds<V> rounds(StateType<V> type) {
        return new TypedRounds<>(type, getRuntimeContext());
    }

    @Override
    public void processElement(Long number, Context context, Collector<Long> out) throws Exception {
        for (TypedRounds<?> type : types) {
            type.next((int) (number / KEYS));
        }
        out.collect(number);
    }
}
