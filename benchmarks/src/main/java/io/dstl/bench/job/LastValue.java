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

import java.nio.ByteBuffer;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/** Replaces the value of the key, with bytes that no compression makes smaller. */
final class LastValue extends KeyedProcessFunction<Long, Long, Long> {
    private static final long serialVersionUID = 1L;

    private final int valueBytes;
    private transient ValueState<byte[]> last;

    LastValue(int valueBytes) {
        this.valueBytes = valueBytes;
    }

    @Override
    public void open(OpenContext context) {
        last =
                getRuntimeContext()
                        .getState(
                                new ValueStateDescriptor<>(
                                        "last",
                                        PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    }

    @Override
    public void processElement(Long update, Context context, Collector<Long> out) throws Exception {
        ByteBuffer value = ByteBuffer.allocate(valueBytes);
        long word = update;
        while (value.remaining() >= Long.BYTES) {
            word = Scatter.of(word + 1);
            value.putLong(word);
        }
        last.update(value.array());
    }
}
