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

import io.dstl.bench.job.JobArguments.WorkloadKind;
import io.dstl.bench.job.TotalsFile.RunningTotals;
import io.dstl.bench.job.Updates.Scatter;
import java.time.Duration;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Counts updates by key and window, and sums up the results of all windows. */
final class WindowWork {
    private static final Duration SIZE = Duration.ofSeconds(10);
    private static final Duration SLIDE = Duration.ofSeconds(1);
    private static final Duration GAP = Duration.ofSeconds(2);

    private WindowWork() {}

    static DataStream<Long> on(KeyedStream<Long, Long> updates, JobArguments arguments) {
        return updates.window(assigner(arguments.kind()))
                .aggregate(
                        new UpdateSum(),
                        PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO,
                        PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO)
                .name(StateJob.STATE)
                .transform("sum", Types.LONG, new WindowSum(arguments.results()));
    }

    private static WindowAssigner<Object, TimeWindow> assigner(WorkloadKind kind) {
        return kind == WorkloadKind.WINDOW
                ? SlidingEventTimeWindows.of(SIZE, SLIDE)
                : EventTimeSessionWindows.withGap(GAP);
    }

    /** How many updates, and the sum of their scattered numbers. */
    static final class UpdateSum implements AggregateFunction<Long, long[], long[]> {
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

    /** Adds up the results of windows, and passes nothing on. */
    static final class WindowSum extends RunningTotals<long[]> {
        WindowSum(String results) {
            super(results, TotalsFile.STATE, 2);
        }

        @Override
        public void processElement(StreamRecord<long[]> window) {
            totals()[0] += window.getValue()[0];
            totals()[1] += window.getValue()[1];
        }
    }
}
