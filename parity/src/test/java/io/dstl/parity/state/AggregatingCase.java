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

import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;

/** Sum and count of what was added, in an accumulator that is not what goes in or comes out. */
final class AggregatingCase extends StateCase {

    AggregatingCase(String name, boolean mortal) {
        super(name, mortal);
    }

    @Override
    public Cell inFlink(RuntimeContext context) {
        AggregatingState<Long, String> state =
                context.getAggregatingState(
                        described(
                                new AggregatingStateDescriptor<>(
                                        name(), new Mean.Function(), Mean.class)));
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
    public Cell inModel() {
        return new Cell() {
            private Mean mean;

            @Override
            public void apply(long ordinal, int choice) {
                if (choice == 0) {
                    mean = null;
                } else {
                    mean = (mean == null ? new Mean() : mean).with(ordinal);
                }
            }

            @Override
            public String show() {
                return String.valueOf(mean);
            }
        };
    }
}
