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
package io.dstl.e2e.flights;

import io.dstl.e2e.flights.aircraft.AircraftFunction;
import io.dstl.e2e.flights.airport.AirportWindows;
import io.dstl.e2e.flights.input.Flight;
import io.dstl.e2e.flights.source.FlightSource;
import io.dstl.e2e.flights.source.Pace;
import java.net.URI;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.CheckpointingMode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;

/**
 * The e2e job: a year of flights, or many, with state of every kind, ending in rows that can be
 * checked one by one.
 *
 * <p>State backend, changelog and checkpoint storage are the cluster's to choose. See {@link
 * FlightsOptions} for the arguments.
 */
public final class FlightsJob {
    public static final String NAME = "flights";

    /** Fixed, so that state can be taken to any parallelism up to this one. */
    private static final int MAX_PARALLELISM = 128;

    private static final int RESTARTS = 1_000;
    private static final Duration RESTART_DELAY = Duration.ofSeconds(1);

    /**
     * A run passes days of event time per second, so what the watermark is late by, at Flink's 200
     * ms and 100 ms, is a day of sessions that are still open; and a session operator looks at all
     * open sessions of an airport for each arrival.
     */
    private static final Duration WATERMARK_INTERVAL = Duration.ofMillis(20);

    private static final Duration BUFFER_TIMEOUT = Duration.ofMillis(10);

    private FlightsJob() {}

    /** Runs the job until its input ends; see {@link FlightsOptions}. */
    public static void main(String[] args) throws Exception {
        FlightsOptions options = FlightsOptions.parse(args);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        configure(env, options.checkpointInterval, options.tolerableFailedCheckpoints);
        FlightSource source = new FlightSource(options.input, options.scale, Pace.of(options.rate));
        FlightsPipeline.write(
                FlightsPipeline.rows(FlightsPipeline.flights(env, source)), options.output);
        env.execute(NAME);
    }

    static void configure(
            StreamExecutionEnvironment env,
            Duration checkpointInterval,
            int tolerableFailedCheckpoints) {
        Configuration settings = new Configuration();
        settings.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, RESTARTS);
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, RESTART_DELAY);
        settings.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        // A store that is briefly away costs checkpoints, not the job.
        settings.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, tolerableFailedCheckpoints);
        // A type that is no POJO would go through Kryo unnoticed.
        settings.set(PipelineOptions.GENERIC_TYPES, false);
        env.configure(settings);
        env.setMaxParallelism(MAX_PARALLELISM);
        env.enableCheckpointing(checkpointInterval.toMillis(), CheckpointingMode.EXACTLY_ONCE);
        env.getConfig().setAutoWatermarkInterval(WATERMARK_INTERVAL.toMillis());
        env.setBufferTimeout(BUFFER_TIMEOUT.toMillis());
    }

    /**
     * The stages of the job: flights in, rows out, files written. Every operator has a uid, so that
     * state finds its operator at any parallelism.
     */
    static final class FlightsPipeline {
        private FlightsPipeline() {}

        /** The repeated file, in event time. */
        static DataStream<Flight> flights(StreamExecutionEnvironment env, FlightSource source) {
            return env.fromSource(source, WatermarkStrategy.forMonotonousTimestamps(), "flights")
                    .uid("flights");
        }

        /** All rows of the result, in no particular order. */
        static DataStream<String> rows(DataStream<Flight> flights) {
            DataStream<String> aircraft =
                    flights.keyBy(flight -> flight.aircraft)
                            .process(new AircraftFunction())
                            .uid("aircraft")
                            .name("aircraft");
            return aircraft.union(
                    AirportWindows.sliding(flights), AirportWindows.sessions(flights));
        }

        /**
         * Writes each row exactly once: a file counts when the checkpoint that ended it is
         * complete.
         */
        static void write(DataStream<String> rows, URI output) {
            FileSink<String> files =
                    FileSink.forRowFormat(new Path(output), new SimpleStringEncoder<String>())
                            .withBucketAssigner(new BasePathBucketAssigner<>())
                            .withRollingPolicy(OnCheckpointRollingPolicy.build())
                            .build();
            rows.sinkTo(files).uid("rows").name("rows");
        }
    }
}
