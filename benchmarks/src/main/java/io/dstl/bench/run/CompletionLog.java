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
package io.dstl.bench.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How long checkpoints took from their trigger until they were complete, as the JobManager logs it:
 * with the metadata written, and with the entry in the store of completed checkpoints. Flink's REST
 * API knows the time to the last acknowledgement only. Immutable.
 */
public final class CompletionLog {
    private static final Pattern COMPLETED =
            Pattern.compile(
                    "Completed checkpoint (\\d+) for job \\w+ \\(\\d+ bytes,"
                            + " checkpointDuration=(\\d+) ms, finalizationTime=(\\d+) ms\\)");

    private final Map<Long, Long> millis;

    private CompletionLog(Map<Long, Long> millis) {
        this.millis = millis;
    }

    public static CompletionLog read(Path log) throws IOException {
        Map<Long, Long> millis = new LinkedHashMap<>();
        try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
            lines.map(COMPLETED::matcher)
                    .filter(Matcher::find)
                    .forEach(
                            line ->
                                    millis.put(
                                            Long.parseLong(line.group(1)),
                                            Long.parseLong(line.group(2))
                                                    + Long.parseLong(line.group(3))));
        }
        return new CompletionLog(millis);
    }

    /** Of each of those checkpoints that it has, in their order; in milliseconds. */
    public double[] millis(long[] checkpoints) {
        return Arrays.stream(checkpoints)
                .filter(millis::containsKey)
                .mapToDouble(millis::get)
                .toArray();
    }
}
