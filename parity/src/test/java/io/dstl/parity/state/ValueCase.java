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
package io.dstl.parity.state;

import java.io.IOException;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;

/** Updates, and clears in both ways there are. */
final class ValueCase<T> extends StateCase {

    private final Sample<T> sample;

    ValueCase(String name, Sample<T> sample, boolean mortal) {
        super(name, mortal);
        this.sample = sample;
    }

    @Override
    public Cell inFlink(RuntimeContext context) {
        return new FlinkCell(
                context.getState(described(new ValueStateDescriptor<>(name(), sample.type()))));
    }

    @Override
    public Cell inModel() {
        return new ModelCell();
    }

    private static boolean clears(int choice) {
        return choice < 2;
    }

    private final class FlinkCell implements Cell {
        private final ValueState<T> state;

        FlinkCell(ValueState<T> state) {
            this.state = state;
        }

        @Override
        public void apply(long ordinal, int choice) throws IOException {
            if (clears(choice)) {
                state.clear();
            } else {
                state.update(sample.make(ordinal));
            }
        }

        @Override
        public String show() throws IOException {
            return sample.show(state.value());
        }
    }

    private final class ModelCell implements Cell {
        private T value;

        @Override
        public void apply(long ordinal, int choice) {
            value = clears(choice) ? null : sample.make(ordinal);
        }

        @Override
        public String show() {
            return sample.show(value);
        }
    }
}
