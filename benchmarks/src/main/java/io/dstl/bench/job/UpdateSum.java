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
package io.dstl.bench.job;

import org.apache.flink.api.common.functions.AggregateFunction;

/** How many updates, and the sum of their scattered numbers. */
final class UpdateSum implements AggregateFunction<Long, long[], long[]> {
    private static final long serialVersionUID = 1L;

    @Override
    public long[] createAccumulator() {
        return new long[2];
    }

    @Override
    public long[] add(Long update, long[] sum) {
        sum[0]++;
        sum[1] += Scatter.of(update);
        return sum;
    }

    @Override
    public long[] getResult(long[] sum) {
        return sum;
    }

    @Override
    public long[] merge(long[] left, long[] right) {
        return new long[] {left[0] + right[0], left[1] + right[1]};
    }
}
