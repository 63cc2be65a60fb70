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
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.AppendingState;

/** Sum and count of what was added, in an accumulator that is not what goes in or comes out. */
final class AggregatingCase extends AppendingCase<Mean> {

    AggregatingCase(String name, boolean mortal) {
        super(name, mortal);
    }

    @Override
    AppendingState<Long, ?> register(RuntimeContext context) {
        return context.getAggregatingState(
                described(
                        new AggregatingStateDescriptor<>(name(), new Mean.Function(), Mean.class)));
    }

    @Override
    Mean add(Optional<Mean> before, long number) {
        return before.orElseGet(Mean::new).with(number);
    }
}
