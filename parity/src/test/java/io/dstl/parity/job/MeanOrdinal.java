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
package io.dstl.parity.job;

import io.dstl.parity.model.Event;
import io.dstl.parity.state.Mean;
import org.apache.flink.api.common.functions.AggregateFunction;

/** Sum and count of the ordinals of a window's events. */
final class MeanOrdinal implements AggregateFunction<Event, Mean, String> {

    private static final long serialVersionUID = 1L;

    private final Mean.Function numbers = new Mean.Function();

    @Override
    public Mean createAccumulator() {
        return numbers.createAccumulator();
    }

    @Override
    public Mean add(Event event, Mean mean) {
        return numbers.add(event.ordinal, mean);
    }

    @Override
    public String getResult(Mean mean) {
        return numbers.getResult(mean);
    }

    @Override
    public Mean merge(Mean one, Mean other) {
        return numbers.merge(one, other);
    }
}
