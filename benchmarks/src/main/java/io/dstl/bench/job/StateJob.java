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
import io.dstl.bench.job.TotalsFile.UpdateCount;
import io.dstl.bench.job.async.AsyncState;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * The job of the benchmarks: a stream of updates to the state of many keys. Everything but the
 * amounts is the cluster's configuration; the source has a subtask for each of its splits, whatever
 * the parallelism of the state. Stopped with a drain, it writes down what its state and its windows
 * came to, and how many updates there were.
 */
public final class StateJob {
    /** The vertex that holds the state; its records are those that count. */
    public static final String STATE = "state";

    private StateJob() {}

    /** Arguments: see {@link JobArguments}. */
    public static void main(String[] args) throws Exception {
        JobArguments arguments = JobArguments.parse(args);
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        results(updates(environment, arguments), arguments)
                .sinkTo(new DiscardingSink<>())
                .name("discard");
        environment.execute(arguments.kind().label() + " state");
    }

    private static DataStream<Long> results(DataStream<Long> updates, JobArguments arguments) {
        if (arguments.kind() == WorkloadKind.SQL) {
            return SqlWork.on(updates, arguments);
        }
        KeyedStream<Long, Long> keyed = updates.keyBy(arguments.updates()::key, Types.LONG);
        if (arguments.async()) {
            return AsyncState.on(keyed, STATE, new AsyncWork(arguments));
        }
        return arguments.kind().windowed()
                ? WindowWork.on(keyed, arguments)
                : keyed.transform(
                        STATE,
                        Types.LONG,
                        new KeyedWork.Operator(KeyedWork.of(arguments), arguments.results()));
    }

    private static DataStream<Long> updates(
            StreamExecutionEnvironment environment, JobArguments arguments) {
        RateLimiterStrategy pace =
                arguments.rate() == 0
                        ? RateLimiterStrategy.noOp()
                        : SteadyLimiter.overAll(arguments.rate());
        DataGeneratorSource<Long> source =
                new DataGeneratorSource<>(number -> number, Updates.COUNT, pace, Types.LONG);
        WatermarkStrategy<Long> time = time(arguments);
        return environment
                .fromSource(source, time, "updates", Types.LONG)
                .setParallelism(Updates.SPLITS)
                .transform("count", Types.LONG, new UpdateCount(arguments.results()))
                .setParallelism(Updates.SPLITS);
    }

    private static WatermarkStrategy<Long> time(JobArguments arguments) {
        if (arguments.kind() == WorkloadKind.TIMERS) {
            return EventTime.leaping(arguments.results());
        }
        return arguments.kind().windowed()
                ? EventTime.even(arguments.rate())
                : WatermarkStrategy.noWatermarks();
    }
}
