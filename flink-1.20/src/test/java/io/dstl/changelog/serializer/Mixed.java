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
package io.dstl.changelog.serializer;

import io.dstl.changelog.serializer.type.Departure;
import io.dstl.changelog.serializer.type.StateType;
import org.apache.flink.api.common.functions.AggregateFunction;

/** A value that tells, by its number, which ones went into it and in which order. */
public final class Mixed<V> implements AggregateFunction<V, V, Integer> {

    private static final long serialVersionUID = 1L;
    private static final int RANGE = 9_973;

    private final transient StateType<V> values;

    public Mixed(StateType<V> values) {
        this.values = values;
    }

    /** What has a later one in it is a later one, see {@link Departure#LATER}. */
    public static int mix(int before, int number) {
        int generation = Math.max(before, number) / Departure.LATER;
        return generation * Departure.LATER + (before % RANGE * 31 + number % RANGE) % RANGE;
    }

    @Override
    public V createAccumulator() {
        return values.value(0);
    }

    @Override
    public V add(V value, V accumulator) {
        return values.value(mix(values.number(accumulator), values.number(value)));
    }

    @Override
    public Integer getResult(V accumulator) {
        return values.number(accumulator);
    }

    @Override
    public V merge(V one, V other) {
        return add(other, one);
    }
}
