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

import io.dstl.e2e.flights.FlightsJob.FlightsPipeline;
import io.dstl.e2e.flights.ResultCheck.Comparison;
import io.dstl.e2e.flights.input.Flight;
import io.dstl.e2e.flights.source.FlightSource;
import io.dstl.e2e.flights.source.Pace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The job on a cluster inside the test's JVM, on the first rows of the real file. */
final class LocalRun {
    private static final Duration CHECKPOINT_INTERVAL = Duration.ofMillis(100);

    private final Path directory;
    private final int rows;
    private final int scale;
    private final Configuration settings = new Configuration();
    private Pace.Starter pace = Pace.of(0);
    private UnaryOperator<DataStream<Flight>> tap = UnaryOperator.identity();

    LocalRun(Path directory, int rows, int scale, Backend backend) {
        this.directory = directory;
        this.rows = rows;
        this.scale = scale;
        backend.configure(settings, directory.resolve("log").toUri());
        settings.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                directory.resolve("checkpoints").toUri().toString());
    }

    LocalRun at(Pace.Starter readersPace) {
        pace = readersPace;
        return this;
    }

    /** Puts something between the source and the rest. */
    LocalRun through(UnaryOperator<DataStream<Flight>> stage) {
        tap = stage;
        return this;
    }

    LocalRun from(Path checkpoint) {
        settings.set(StateRecoveryOptions.SAVEPOINT_PATH, checkpoint.toUri().toString());
        return this;
    }

    JobClient start(int parallelism) throws Exception {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(parallelism, settings);
        FlightsJob.configure(env, CHECKPOINT_INTERVAL, 10);
        FlightSource source = new FlightSource(input().toUri(), scale, pace);
        DataStream<Flight> flights = FlightsPipeline.flights(env, source);
        FlightsPipeline.write(FlightsPipeline.rows(tap.apply(flights)), output().toUri());
        return env.executeAsync(FlightsJob.NAME);
    }

    /** Runs to the end of the input. */
    LocalRun finish(int parallelism) throws Exception {
        start(parallelism).getJobExecutionResult().get();
        return this;
    }

    Comparison compare() throws IOException {
        return ResultCheck.compare(input(), scale, output());
    }

    private Path output() {
        return directory.resolve("output");
    }

    private Path input() throws IOException {
        return FlightsCsv.real(rows).writeTo(directory.resolve("flights.csv.gz"));
    }
}
