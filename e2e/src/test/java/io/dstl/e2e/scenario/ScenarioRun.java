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
package io.dstl.e2e.scenario;

import static java.util.stream.Collectors.toList;

import io.dstl.e2e.scenario.ClusterPlan.ChainLink;
import io.dstl.e2e.scenario.ClusterPlan.Provider;
import io.dstl.e2e.scenario.KillsPassage.KillsOutcome;
import io.dstl.harness.progress.Instruments;
import io.dstl.harness.store.S3Store;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** One small run of the scenario, as the command line would make it; up until it is closed. */
final class ScenarioRun implements AutoCloseable {
    static final int FLIGHTS = 12_000;

    /** Slow enough for the checkpoints, one a second, that the scenario waits for. */
    private static final int FLIGHTS_PER_SECOND = 250;

    /** Slow enough for a materialization in each of four links. */
    private static final int FLIGHTS_PER_SECOND_IN_A_CHAIN = 120;

    /** More than the tasks get to between kills: the job must not come to its end. */
    private static final int LOAD_PER_SECOND = 500;

    private static final int LOAD_REPEATS = 50;

    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();

    private final Path directory;
    private final FlightsScenario scenario;
    private final FlightsScenario.Outcome outcome;

    private interface Course {
        FlightsScenario.Outcome run(FlightsScenario scenario) throws Exception;
    }

    /** The run with the changelog off and on, and its faults. */
    static ScenarioRun offAndOn(S3Store.Kind store, Path directory) throws Exception {
        return offAndOn(Optional.empty(), store, directory);
    }

    /** The same on that Flink, in place of the one that this is built with. */
    static ScenarioRun offAndOn(Optional<String> flinkVersion, S3Store.Kind store, Path directory)
            throws Exception {
        RunPlan plan =
                plan(store, directory, 1, FLIGHTS_PER_SECOND).flink(Optional.empty(), flinkVersion);
        return new ScenarioRun(plan, FlightsScenario::run);
    }

    /** From one backend to the next, each from the checkpoint that the last one has left. */
    static ScenarioRun chain(Path directory, Provider... links) throws Exception {
        return new ScenarioRun(
                plan(S3Store.Kind.EMBEDDED, directory, 1, FLIGHTS_PER_SECOND_IN_A_CHAIN),
                scenario ->
                        scenario.runChain(Stream.of(links).map(ChainLink::of).collect(toList())));
    }

    private ScenarioRun(RunPlan plan, Course course) throws Exception {
        directory = plan.directory();
        scenario = scenario(plan);
        try {
            outcome = course.run(scenario);
        } catch (Exception | Error e) {
            scenario.close();
            throw e;
        }
    }

    /** Kills under load, and the clean-up after them. */
    static KillsOutcome kills(S3Store.Kind store, Path directory, int kills) throws Exception {
        RunPlan plan = plan(store, directory, LOAD_REPEATS, LOAD_PER_SECOND);
        try (FlightsScenario scenario = scenario(plan)) {
            return scenario.runKills(kills);
        }
    }

    private static FlightsScenario scenario(RunPlan plan) {
        return new FlightsScenario(plan, Instruments.printing(System.out));
    }

    private static RunPlan plan(S3Store.Kind store, Path directory, int scale, int rate)
            throws IOException {
        return new RunPlan(PROJECT, directory, Path.of(System.getProperty("java.home")))
                .store(store)
                .input(firstFlights(directory.resolve("flights.csv.gz")))
                .scale(scale)
                .rate(rate);
    }

    FlightsScenario.Outcome outcome() {
        return outcome;
    }

    Path directory() {
        return directory;
    }

    @Override
    public void close() throws Exception {
        scenario.close();
    }

    private static Path firstFlights(Path file) throws IOException {
        Path all = PROJECT.resolve("e2e/data/flights-nyc-2013.csv.gz");
        try (BufferedReader from =
                        new BufferedReader(
                                new InputStreamReader(
                                        new GZIPInputStream(Files.newInputStream(all)),
                                        StandardCharsets.UTF_8));
                BufferedWriter to =
                        new BufferedWriter(
                                new OutputStreamWriter(
                                        new GZIPOutputStream(Files.newOutputStream(file)),
                                        StandardCharsets.UTF_8))) {
            for (int line = 0; line <= FLIGHTS; line++) {
                to.write(from.readLine());
                to.newLine();
            }
        }
        return file;
    }
}
