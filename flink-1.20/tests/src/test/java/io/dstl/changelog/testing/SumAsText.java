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
package io.dstl.changelog.testing;

import org.apache.flink.api.common.functions.AggregateFunction;

/** Sums ints, times a factor, into a long and shows it as text: accumulator and result differ. */
public final class SumAsText implements AggregateFunction<Integer, Long, String> {
    private final int factor;

    public SumAsText() {
        this(1);
    }

    public SumAsText(int factor) {
        this.factor = factor;
    }

    @Override
    public Long createAccumulator() {
        return 0L;
    }

    @Override
    public Long add(Integer value, Long accumulator) {
        return accumulator + value * factor;
    }

    @Override
    public String getResult(Long accumulator) {
        return "sum " + accumulator;
    }

    @Override
    public Long merge(Long one, Long other) {
        return one + other;
    }
}
