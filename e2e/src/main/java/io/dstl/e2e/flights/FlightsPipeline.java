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
import io.dstl.e2e.flights.airport.Movement;
import io.dstl.e2e.flights.airport.Movements;
import io.dstl.e2e.flights.input.Flight;
import io.dstl.e2e.flights.source.FlightSource;
import java.net.URI;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;

/**
 * The stages of the job: flights in, rows out, files written. Every operator has a uid, so that
 * state finds its operator at any parallelism.
 */
final class FlightsPipeline {
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
        DataStream<Movement> movements = flights.flatMap(new Movements()).uid("movements");
        return aircraft.union(AirportWindows.sliding(movements), AirportWindows.sessions(flights));
    }

    /**
     * Writes each row exactly once: a file counts when the checkpoint that ended it is complete.
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
