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

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * The job of the storage benchmark: a steady stream of updates to the values of many keys.
 * Everything but the amounts is the cluster's configuration.
 */
public final class ValueJob {
    /** The vertex that holds the state; its records are those that count. */
    public static final String STATE = "state";

    private ValueJob() {}

    /** Arguments: keys, updates per second over all subtasks, bytes per value. */
    public static void main(String[] args) throws Exception {
        long keys = Long.parseLong(args[0]);
        double rate = Double.parseDouble(args[1]);
        int valueBytes = Integer.parseInt(args[2]);

        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        DataGeneratorSource<Long> updates =
                new DataGeneratorSource<>(
                        index -> index, Long.MAX_VALUE, SteadyLimiter.overAll(rate), Types.LONG);
        environment
                .fromSource(updates, WatermarkStrategy.noWatermarks(), "updates", Types.LONG)
                .keyBy(update -> Math.floorMod(Scatter.of(update), keys), Types.LONG)
                .process(new LastValue(valueBytes))
                .name(STATE)
                .sinkTo(new DiscardingSink<>())
                .name("discard");
        environment.execute("value state");
    }
}
