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
package io.dstl.tools.sizing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.dstl.tools.sizing.MeasuredRun.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The formulas beside what was measured, by the tables of docs/benchmarks.md. A run's input is its
 * command line and the size of its checkpoints without a changelog, in the column "off".
 */
class MeasuredRunsTest {
    private static final Percentage CLOSE = withinPercentage(25);

    /** Of a replay, whose rate is that of the machine. */
    private static final Percentage ROUGHLY = withinPercentage(40);

    private static final double MB = 1e6;

    /** The workload's value is an array of bytes, with its length before it. */
    private static final int LENGTH_BYTES = 4;

    /** Of a change in the log, beside key and value. */
    private static final int FRAME_BYTES = 8;

    /** The one run whose table has durations of materializations. */
    private static final String WITH_DURATIONS = "space value-20000";

    @ParameterizedTest
    @ValueSource(
            strings = {"storage", "storage --flink-version 2.3.0", "storage --backend hashmap"})
    void requestsAndBytesOfTheLog(String name) throws IOException {
        MeasuredRun run = MeasuredRun.read(name);
        Sizing sizing = sizing(run);
        double segments = sizing.segmentsPerSecond() * run.intervalSeconds();

        assertThat(sizing.putsPerSecond() * run.intervalSeconds())
                .isCloseTo(run.dstl("Log: PUT per checkpoint").median, CLOSE);
        assertThat(segments).isCloseTo(run.dstl("Log: DELETE per checkpoint").median, CLOSE);
        assertThat(segments).isCloseTo(run.dstl("Log: HEAD per checkpoint").median, CLOSE);
        assertThat(run.dstl("Log: GET per checkpoint").median).isZero();
        assertThat(run.dstl("Log: POST per checkpoint").median).isZero();
        assertThat(run.parallelism() * sizing.bytesPerSecondOfTask() / run.rate())
                .isCloseTo(run.dstl("Log: B put per record").median, CLOSE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"storage", "storage --flink-version 2.3.0", WITH_DURATIONS})
    void sizeOfACheckpoint(String name) throws IOException {
        MeasuredRun run = MeasuredRun.read(name);
        Row off = run.off("Full size p99, MB");

        double most =
                off.median + run.parallelism() * sizing(run, off.median).longestLogBytes() / MB;

        assertThat(most).isCloseTo(run.dstl("Full size p99, MB").median, CLOSE);
    }

    /** The limit goes by what is materialized: with a changelog, and without its log. */
    @Test
    void materializationsAndLogInTheBucket() throws IOException {
        MeasuredRun run = MeasuredRun.read(WITH_DURATIONS);
        double materialized =
                run.dstl("Full size p50, MB").median - run.dstl("of that the log p50, MB").median;
        Sizing sizing = sizing(run, materialized);

        assertThat(
                        run.parallelism()
                                * run.measuredSeconds()
                                / sizing.secondsBetweenMaterializations())
                .isCloseTo(run.dstl("Materializations, all tasks").median, CLOSE);
        assertThat(sizing.meanLogBytes() / MB)
                .isCloseTo(run.dstl("of that the log p50, MB").median, CLOSE);
    }

    /** At full speed, where tasks store most of their changes ahead of the checkpoints. */
    @Test
    void requestsOfChangeSetsAhead() throws IOException {
        MeasuredRun run = MeasuredRun.read("cluster --workload value");
        double seconds = run.measuredSeconds() / run.dstl("Checkpoints completed").median;
        Sizing sizing =
                sized(
                        run,
                        "--rate",
                        "" + run.dstl("Records/s").median,
                        "--interval",
                        Math.round(seconds * 1000) + "ms");

        assertThat(sizing.setsAhead()).isPositive();
        assertThat(sizing.putsPerSecond() * seconds)
                .isCloseTo(run.dstl("Log: PUT per checkpoint").median, CLOSE);
    }

    /** The longest log is in the last kills, when the state has grown: the highest of them. */
    @ParameterizedTest
    @ValueSource(strings = {"recovery value-10000", "recovery rmw-10000"})
    void longestLogAndItsReplay(String name) throws IOException {
        MeasuredRun run = MeasuredRun.read(name);
        Sizing sizing = sizing(run, run.off("Full size at the kill, MB").highest);

        assertThat(sizing.longestLogBytes() / MB)
                .isCloseTo(run.dstl("of that the task with most, MB").highest, CLOSE);
        assertThat(sizing.replaySeconds() * 1000)
                .isCloseTo(run.dstl("Fetch and replay of its log").highest, ROUGHLY);
        assertThat(run.bytesOfAChange()).isCloseTo(changeBytes(run), CLOSE);
    }

    /** Also of other states, of changes of other sizes; from their log as it was measured. */
    @ParameterizedTest
    @ValueSource(strings = {"recovery value-10000", "recovery rmw-10000", "recovery session-10000"})
    void replayOfALog(String name) throws IOException {
        MeasuredRun run = MeasuredRun.read(name);
        assertThat(replayMillis(run))
                .isCloseTo(run.dstl("Fetch and replay of its log").highest, ROUGHLY);
    }

    /** Also with other states, at full speed, and where two tasks share a core: only roughly. */
    @ParameterizedTest
    @MethodSource("recoveries")
    void replayOfAnyLog(String name) throws IOException {
        MeasuredRun run = MeasuredRun.read(name);
        assertThat(run.dstl("Fetch and replay of its log").highest / replayMillis(run))
                .isBetween(0.25, 3.0);
    }

    static List<String> recoveries() throws IOException {
        return MeasuredRun.names("recovery ");
    }

    private static double replayMillis(MeasuredRun run) throws IOException {
        double bytes = run.dstl("of that the task with most, MB").highest * MB;
        long unframed = Math.round(run.bytesOfAChange()) - FRAME_BYTES;
        return sized(run, "--value-bytes", "" + unframed, "--key-bytes", "0").replaySeconds(bytes)
                * 1000;
    }

    private static double changeBytes(MeasuredRun run) {
        return Sized.by(arguments(run, List.of())).workload.changeBytes();
    }

    private static Sizing sizing(MeasuredRun run) throws IOException {
        return sized(run);
    }

    private static Sizing sizing(MeasuredRun run, double stateMb) throws IOException {
        return sized(run, "--state-bytes", "" + Math.round(stateMb * MB));
    }

    private static Sizing sized(MeasuredRun run, String... more) throws IOException {
        List<String> options = new ArrayList<>(List.of(more));
        double millis =
                MeasuredRun.read(WITH_DURATIONS)
                        .dstl("Materialization, of the slower task, p50, ms")
                        .median;
        Collections.addAll(options, "--materialization-time", Math.round(millis) + "ms");
        Collections.addAll(options, "--cores", "2");
        return Sized.by(arguments(run, options)).sizing();
    }

    private static String[] arguments(MeasuredRun run, List<String> more) {
        List<String> arguments = new ArrayList<>();
        Collections.addAll(arguments, "--tasks", "" + run.parallelism());
        Collections.addAll(arguments, "--rate", "" + run.rate());
        Collections.addAll(arguments, "--value-bytes", "" + (run.valueBytes() + LENGTH_BYTES));
        Collections.addAll(arguments, "--interval", run.setting("every (\\d+ \\w+), mat"));
        Collections.addAll(
                arguments, "--materialize", run.setting("materialized every (\\d+ \\w+),"));
        arguments.addAll(more);
        return arguments.toArray(new String[0]);
    }
}
