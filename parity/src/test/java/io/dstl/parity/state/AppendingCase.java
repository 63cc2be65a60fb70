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

import java.util.Optional;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.AppendingState;

/**
 * A state that makes one result of what is added to it.
 *
 * @param <R> the result
 */
abstract class AppendingCase<R> extends StateCase {

    AppendingCase(String name, boolean mortal) {
        super(name, mortal);
    }

    abstract AppendingState<Long, ?> register(RuntimeContext context);

    /**
     * The model's result.
     *
     * @param before empty at first and after a clear
     */
    abstract R add(Optional<R> before, long number);

    @Override
    public final Cell inFlink(RuntimeContext context) {
        AppendingState<Long, ?> state = register(context);
        return new Cell() {
            @Override
            public void apply(long ordinal, int choice) throws Exception {
                if (choice == 0) {
                    state.clear();
                } else {
                    state.add(ordinal);
                }
            }

            @Override
            public String show() throws Exception {
                return String.valueOf(state.get());
            }
        };
    }

    @Override
    public final Cell inModel() {
        return new Cell() {
            private Optional<R> result = Optional.empty();

            @Override
            public void apply(long ordinal, int choice) {
                result = choice == 0 ? Optional.empty() : Optional.of(add(result, ordinal));
            }

            @Override
            public String show() {
                return result.map(String::valueOf).orElse("null");
            }
        };
    }
}
