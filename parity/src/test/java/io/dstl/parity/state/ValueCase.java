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

    private static final long DEFAULT = 42;

    private final Sample<T> sample;
    private final T byDefault;

    ValueCase(String name, Sample<T> sample, boolean mortal) {
        this(name, sample, mortal, null);
    }

    private ValueCase(String name, Sample<T> sample, boolean mortal, T byDefault) {
        super(name, mortal);
        this.sample = sample;
        this.byDefault = byDefault;
    }

    /** With a default, which is read wherever it was cleared or set to null. */
    static ValueCase<Long> withDefault(String name) {
        return new ValueCase<>(name, Sample.ORDINAL, false, DEFAULT);
    }

    @Override
    @SuppressWarnings("deprecation") // The only way to a default value.
    public Cell inFlink(RuntimeContext context) {
        ValueState<T> state =
                context.getState(
                        described(new ValueStateDescriptor<>(name(), sample.type(), byDefault)));
        return new Cell() {
            @Override
            public void apply(long ordinal, int choice) throws IOException {
                if (clears(choice)) {
                    state.clear();
                } else {
                    state.update(written(ordinal, choice));
                }
            }

            @Override
            public String show() throws IOException {
                return sample.show(state.value());
            }
        };
    }

    @Override
    public Cell inModel() {
        return new Cell() {
            private T value;

            @Override
            public void apply(long ordinal, int choice) {
                value = clears(choice) ? null : written(ordinal, choice);
            }

            @Override
            public String show() {
                return sample.show(value == null ? byDefault : value);
            }
        };
    }

    private boolean clears(int choice) {
        return choice < (byDefault == null ? 2 : 1);
    }

    private T written(long ordinal, int choice) {
        return byDefault != null && choice < 3 ? null : sample.make(ordinal);
    }
}
