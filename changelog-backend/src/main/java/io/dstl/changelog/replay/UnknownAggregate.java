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
package io.dstl.changelog.replay;

import org.apache.flink.api.common.functions.AggregateFunction;

/** As {@link UnknownReduce}, for aggregating states. */
final class UnknownAggregate<A> implements AggregateFunction<Object, A, Object> {
    private static final long serialVersionUID = 1L;

    private final String stateName;

    UnknownAggregate(String stateName) {
        this.stateName = stateName;
    }

    @Override
    public A createAccumulator() {
        throw UnknownReduce.unknown(stateName);
    }

    @Override
    public A add(Object value, A accumulator) {
        throw UnknownReduce.unknown(stateName);
    }

    @Override
    public Object getResult(A accumulator) {
        throw UnknownReduce.unknown(stateName);
    }

    @Override
    public A merge(A one, A other) {
        throw UnknownReduce.unknown(stateName);
    }
}
