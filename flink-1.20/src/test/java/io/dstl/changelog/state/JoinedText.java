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
package io.dstl.changelog.state;

import org.apache.flink.api.common.functions.AggregateFunction;

/** Joins texts, the accumulator first. */
final class JoinedText implements AggregateFunction<String, StringBuilder, Integer> {
    private static final long serialVersionUID = 1L;

    static StringBuilder join(StringBuilder first, StringBuilder second) {
        return new StringBuilder().append(first).append(second);
    }

    @Override
    public StringBuilder createAccumulator() {
        return new StringBuilder();
    }

    @Override
    public StringBuilder add(String value, StringBuilder accumulator) {
        return new StringBuilder().append(accumulator).append(value);
    }

    @Override
    public Integer getResult(StringBuilder accumulator) {
        return accumulator.length();
    }

    @Override
    public StringBuilder merge(StringBuilder a, StringBuilder b) {
        return join(a, b);
    }
}
