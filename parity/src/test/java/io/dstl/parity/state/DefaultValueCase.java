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

/** A value state with a default, which is read wherever it was cleared or set to null. */
final class DefaultValueCase extends StateCase {

    private static final Long DEFAULT = 42L;

    DefaultValueCase(String name) {
        super(name, false);
    }

    @Override
    @SuppressWarnings("deprecation") // The only way to a default value.
    public Cell inFlink(RuntimeContext context) {
        ValueState<Long> state =
                context.getState(new ValueStateDescriptor<>(name(), Long.class, DEFAULT));
        return new Cell() {
            @Override
            public void apply(long ordinal, int choice) throws IOException {
                if (choice == 0) {
                    state.clear();
                } else {
                    state.update(written(ordinal, choice));
                }
            }

            @Override
            public String show() throws IOException {
                return String.valueOf(state.value());
            }
        };
    }

    @Override
    public Cell inModel() {
        return new Cell() {
            private Long value;

            @Override
            public void apply(long ordinal, int choice) {
                value = choice == 0 ? null : written(ordinal, choice);
            }

            @Override
            public String show() {
                return String.valueOf(value == null ? DEFAULT : value);
            }
        };
    }

    private static Long written(long ordinal, int choice) {
        return choice < 3 ? null : (Long) ordinal;
    }
}
