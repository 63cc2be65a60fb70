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
package io.dstl.e2e.flights.airport;

import io.dstl.e2e.flights.result.ResultRow;
import io.dstl.e2e.flights.result.RowKind;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** Writes the row of a session that has ended. */
final class SessionRow extends ProcessWindowFunction<Delays, String, String, TimeWindow> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(
            String airport, Context context, Iterable<Delays> sums, Collector<String> out) {
        for (Delays sum : sums) {
            out.collect(
                    ResultRow.about(RowKind.SESSION, airport, context.window().getStart())
                            .withTime("end", context.window().getEnd())
                            .with("arrivals", sum.arrivals)
                            .with("delay", sum.total)
                            .with("worst", sum.worst)
                            .line());
        }
    }
}
