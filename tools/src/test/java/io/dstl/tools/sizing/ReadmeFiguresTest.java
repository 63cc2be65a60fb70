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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The ranges of the README are those of the tables in docs/benchmarks.md. */
class ReadmeFiguresTest {
    private static final String RUNNING = "Longest INITIALIZING of a task, ms";

    /** The README names it by itself: off does not hold the rate, so that its state is smaller. */
    private static final String OVER_THE_RATE =
            "recovery value-10000 --keys 5000000 --value-bytes 1000";

    private static final Pattern BULLET =
            Pattern.compile(
                    "- Restart of the slowest task after a kill.*?RUNNING after (\\S+) to (\\S+), log"
                            + " replayed after (\\S+) to (\\S+); \\*stock\\* (\\S+) to (\\S+) for both\\."
                            + " .*?rate that \\*off\\* does not hold: (\\S+) and (\\S+)\\."
                            + " At full speed: (\\S+) and (\\S+), \\*stock\\* (\\S+) ");

    private final List<Double> running = new ArrayList<>();
    private final List<Double> replayed = new ArrayList<>();
    private final List<Double> stock = new ArrayList<>();

    @Test
    void rangesOfRecovery() throws IOException {
        for (String name : MeasuredRun.names("recovery ")) {
            MeasuredRun run = MeasuredRun.read(name);
            boolean isInRange =
                    !name.contains("-max")
                            && !name.contains("--flink-version")
                            && !name.equals(OVER_THE_RATE);
            if (isInRange && run.has("off")) {
                running.add(ratio(run, "dstl", RUNNING));
                replayed.add(replayed(run));
                if (run.has("stock")) {
                    stock.add(ratio(run, "stock", RUNNING));
                }
            }
        }
        MeasuredRun over = MeasuredRun.read(OVER_THE_RATE);
        MeasuredRun full = MeasuredRun.read("recovery value-max");

        assertThat(bullet())
                .containsExactly(
                        shown(Collections.min(running)),
                        shown(Collections.max(running)),
                        shown(Collections.min(replayed)),
                        shown(Collections.max(replayed)),
                        shown(Collections.min(stock)),
                        shown(Collections.max(stock)),
                        shown(ratio(over, "dstl", RUNNING)),
                        shown(replayed(over)),
                        shown(ratio(full, "dstl", RUNNING)),
                        shown(replayed(full)),
                        shown(ratio(full, "stock", RUNNING)));
    }

    private static double ratio(MeasuredRun run, String variant, String row) {
        return run.row(row, variant).median / run.off(RUNNING).median;
    }

    /** Older tables count from a little later on, and say so. */
    private static double replayed(MeasuredRun run) {
        String now = "Begin of INITIALIZING to the end";
        return ratio(run, "dstl", run.hasRow(now) ? now : "Begin of the restore to the end");
    }

    private static String shown(double ratio) {
        return String.format(Locale.ROOT, "%.1f", ratio);
    }

    private static List<String> bullet() throws IOException {
        String readme = Files.readString(Path.of("..", "README.md")).replaceAll("\\s+", " ");
        Matcher bullet = BULLET.matcher(readme);
        assertThat(bullet.find()).as("the bullet on recovery").isTrue();
        List<String> figures = new ArrayList<>();
        for (int group = 1; group <= bullet.groupCount(); group++) {
            figures.add(bullet.group(group));
        }
        return figures;
    }
}
