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

import io.dstl.tools.DstlCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SizingCommandTest {
    private static final String JOB = "sizing --tasks 4 --rate 4000 --value-bytes 84";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String arguments) {
        CommandLine line =
                DstlCommand.commandLine(
                        Optional.empty(),
                        () -> {
                            throw new AssertionError("A sizing is of no time");
                        });
        line.setOverwrittenOptionsAllowed(true);
        line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err, true));
        return line.execute(arguments.split(" "));
    }

    @Test
    void printsATable() {
        assertThat(run(JOB)).isZero();

        assertThat(err.toString()).isEmpty();
        assertThat(out.toString())
                .containsPattern("(?m)^changes in the log, per s +4,000 +4,000 +1,000$")
                .containsPattern("(?m)^PUT, per s +1\\.02 +1\\.02$")
                .containsPattern("(?m)^DELETE, per s, by the JobManager +1\\.00$")
                .containsPattern("(?m)^state and log of a checkpoint, at most$")
                .containsPattern(
                        "(?m)^  state\\.changelog\\.materialize\\.recovery-target: +0 s +# ")
                .doesNotContain("NaN", "Infinity");
    }

    @Test
    void printsTheSameAsJson() throws Exception {
        assertThat(run(JOB + " --state-bytes 40mb --json")).isZero();

        JsonNode json = new ObjectMapper().readTree(out.toString());
        JsonNode figures = json.get("figures");
        assertThat(figures.at("/changesPerSecond/job").asDouble()).isEqualTo(4000);
        assertThat(figures.at("/changesPerSecond/task").asDouble()).isEqualTo(1000);
        assertThat(figures.at("/putsPerSecond/taskManager").asDouble()).isEqualTo(1.02);
        assertThat(figures.at("/putsPerSecond/task").isMissingNode()).isTrue();
        assertThat(figures.at("/putsUsdPerMonth/job").asDouble()).isEqualTo(13.2192);
        assertThat(json.get("settings")).hasSize(9);
        assertThat(json.get("settings"))
                .allMatch(setting -> !setting.get("reason").asText().isEmpty());
    }

    @Test
    void saysWhereSettingsDoNotSuitTheJob() {
        String large =
                "sizing --tasks 1000 --task-managers 100 --rate 1e7 --value-bytes 84 --cores 2"
                        + " --materialization-time 2min";
        assertThat(run(large)).isZero();
        assertThat(out.toString())
                .contains("a task has its turn each 20.0 min, as 1 of the 10 of a TaskManager")
                .doesNotContain("may not keep up");

        assertThat(run(large + " --preemptive-persist-threshold 100kb")).isZero();
        assertThat(out.toString())
                .contains(
                        "the JobManager then deletes 9,100 segments a second, and may not keep up:"
                                + " raise this");

        assertThat(run(large + " --task-managers 1000 --rate 1e6")).isZero();
        assertThat(out.toString())
                .contains(
                        "the JobManager then deletes 1,000 segments a second, and may not keep up: a"
                                + " longer interval");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--value-bytes 84 --tasks 4|Missing required option: '--rate=N'",
                "--tasks 0 --rate 1 --value-bytes 1|--tasks is 0: give the keyed subtasks, 1 to 1000000",
                "--tasks 2147483647 --task-managers 2 --rate 1 --value-bytes 1|--tasks is 2147483647:",
                "--tasks 2 --task-managers 3 --rate 1 --value-bytes 1"
                        + "|--task-managers is 3: give 1 to 2, as --tasks says,",
                "--tasks 1 --rate 0 --value-bytes 1|--rate is 0.0: give changes per second",
                "--tasks 1 --rate NaN --value-bytes 1|--rate is NaN: give changes per second",
                "--tasks 1 --rate 1 --value-bytes 2gb|--value-bytes is 2147483648 and --key-bytes 8: a change",
                "--tasks 1 --rate 1 --value-bytes 5000000tb --key-bytes 5000000tb"
                        + "|--value-bytes is 5497558138880000000 and --key-bytes 5497558138880000000:",
                "--tasks 1 --rate 1e12 --value-bytes 84"
                        + "|--rate is 1.0E12, which is 100 TB a second of a TaskManager: give changes"
                        + " per second, more --task-managers, or a smaller --value-bytes, so that it is"
                        + " at most 1.00 TB",
                "--tasks 1 --rate 1 --value-bytes 1 --interval 99999d"
                        + "|Invalid value for option '--interval': '99999d' is too much: give 10000d",
                "--tasks 1 --rate 1 --value-bytes x"
                        + "|Invalid value for option '--value-bytes': 'x' is not a size: write it",
                "--tasks 1 --rate 1 --value-bytes 1 --interval 0s|--interval is 0: give the time",
                "--tasks 1 --rate 1 --value-bytes 1 --distinct-keys 0|--distinct-keys is 0: give 1",
                "--tasks 1 --rate 1 --value-bytes 1 --materialize 900ms"
                        + "|--materialize is 900 ms: give --interval, 1 s, or more",
                "--tasks 1 --rate 1 --value-bytes 1 --log-size-factor -1"
                        + "|--log-size-factor is -1.0: give 0, which turns it off, or more",
                "--tasks 1 --rate 1 --value-bytes 1 --cores 0|--cores is 0: give 1 to 10000",
                "--tasks 1 --rate 1 --value-bytes 1 --recovery-target 0s|--recovery-target is 0: leave",
                "--tasks 1 --rate 1 --value-bytes 1 --preemptive-persist-threshold 2gb"
                        + "|--preemptive-persist-threshold is 2147483648: give 1 byte to 1gb",
                "--tasks 1 --rate 1 --value-bytes 1 --hedge-share 2|--hedge-share is 2.0: give a share",
                "--tasks 1 --rate 1 --value-bytes 1 --replay-bytes 0|--replay-changes is 500000.0 and",
                "--tasks 1 --rate 1 --value-bytes 1 --replay-changes 0.5|--replay-changes is 0.5 and",
                "--tasks 1 --rate 1 --value-bytes 1 --storage-price Infinity|--put-price, --get-price",
                "--tasks 1 --rate 1 --value-bytes 1 --put-price -1|--put-price, --get-price and",
                "--tasks 1 --rate 1 --value-bytes 1 --task 3|Unknown options: '--task', '3'"
            })
    void saysInOneLineWhatIsWrong(String arguments, String message) {
        assertThat(run("sizing " + arguments)).isEqualTo(2);

        assertThat(out.toString()).isEmpty();
        assertThat(err.toString().lines()).singleElement().asString().startsWith(message);
    }

    /** No figure overflows, or is lost in one that is infinite, wherever it is accepted. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--tasks 1000000 --rate 1e10 --value-bytes 84",
                "--tasks 1 --rate 400 --value-bytes 2000mb --key-bytes 1",
                "--tasks 1000000 --task-managers 1000000 --rate 1e17 --value-bytes 0 --key-bytes 1"
                        + " --interval 10000d --materialize 10000d --materialization-time 10000d"
                        + " --preemptive-persist-threshold 1 --batch-size 7000000tb",
                "--tasks 1000000 --rate 1e-9 --value-bytes 0 --key-bytes 0 --interval 1ms"
                        + " --distinct-keys 9223372036854775807 --log-size-factor 1e9"
                        + " --replay-changes 1 --replay-bytes 1",
                "--tasks 4 --rate 40 --value-bytes 84 --preemptive-persist-threshold 1000 --batch-size 0",
                "--tasks 1 --rate 1e9 --value-bytes 84 --state-bytes 7000000tb --log-size-factor 1e9"
                        + " --put-price 1e6 --get-price 1e6 --storage-price 1e6"
            })
    void staysWithinItsNumbersAtTheEdges(String arguments) throws Exception {
        assertThat(run("sizing --json " + arguments)).isZero();

        JsonNode json = new ObjectMapper().readTree(out.toString());
        for (JsonNode figure : json.get("figures")) {
            for (JsonNode value : figure) {
                assertThat(value.isNumber()).as(figure.toString()).isTrue();
                assertThat(value.asDouble()).as(figure.toString()).isNotNegative().isFinite();
            }
        }
        for (JsonNode setting : json.get("settings")) {
            assertThat(setting.get("value").asText()).as(setting.toString()).matches("[0-9].*");
            assertThat(setting.get("reason").asText()).doesNotContain("NaN", "Infinity");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "|periodic-materialize.interval|10 min|it decides",
                "|materialize.log-size.factor|0.25|not counted: give --state-bytes",
                "--log-size-factor 0|materialize.log-size.factor|0|off",
                "--state-bytes 40mb|periodic-materialize.interval|10 min|rarely reached: a task"
                        + " materializes each 32.7 s",
                "--state-bytes 40mb|materialize.log-size.min|4 mb|the limit of a task",
                "--state-bytes 400mb|materialize.log-size.factor|0.25|it decides: a log of 26.2 MB",
                "--state-bytes 400mb|materialize.log-size.min|4 mb|below the limit",
                "--state-bytes 400mb --materialization-time 2min|materialize.log-size.factor|0.25"
                        + "|the log grows beyond 26.2 MB in the pause",
                "--state-bytes 400mb --materialize 1min|materialize.log-size.factor|0.25|not reached",
                "--state-bytes 400mb --recovery-target 500ms|materialize.recovery-target|500 ms"
                        + "|it decides; a replay then takes 511 ms",
                "--state-bytes 400mb --recovery-target 10s|materialize.recovery-target|0 s"
                        + "|a replay takes 1.41 s at most without one",
                "--rate 400000|dstl.dfs.preemptive-persist-threshold|5 mb|each task stores 1 sets"
                        + " ahead of a checkpoint, which is left with 4.76 MB",
                "--rate 400000|dstl.dfs.batch.persist-size-threshold|10 mb|at a checkpoint 3 of the 4",
                "--rate 400000|dstl.dfs.upload.max-in-flight|500 mb|takes 10 s"
            })
    void givesTheReasonOfASetting(String options, String key, String value, String reason)
            throws Exception {
        assertThat(run(JOB + " --json" + (options == null ? "" : " " + options))).isZero();

        for (JsonNode setting : new ObjectMapper().readTree(out.toString()).get("settings")) {
            if (setting.get("key").asText().equals("state.changelog." + key)) {
                assertThat(setting.get("value").asText()).isEqualTo(value);
                assertThat(setting.get("reason").asText()).startsWith(reason);
                return;
            }
        }
        throw new AssertionError("no setting " + key);
    }
}
