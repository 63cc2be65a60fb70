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
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a TaskManager's log says of the logs that its tasks were restored from. Ours says it in one
 * line for each task; Flink's own changelog says nothing.
 */
final class ReplayLines {
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS", Locale.ROOT);

    private static final Pattern RESTORED =
            Pattern.compile(" Restored .*?: (?<changes>\\d+) changes in (?<millis>\\d+) ms");

    private static final Pattern INITIALIZING =
            Pattern.compile("^(?<time>\\S+ \\S+) .* switched from DEPLOYING to INITIALIZING");

    private static final Pattern WHOLE =
            Pattern.compile(
                    "^(?<time>\\S+ \\S+) .* Restored .*? in \\d+ ms: \\d+ ms for its materialized");

    /** Of all tasks together. */
    final long changes;

    /** Of the task that took longest to fetch and replay its log. */
    final long longestMillis;

    /**
     * From when the first task was initializing until the state of the last one was whole, which
     * may be while it runs; none if the log does not tell.
     */
    final OptionalLong wholeMillis;

    /** Changes per second of the task with most changes; none if it took no millisecond. */
    final OptionalDouble largestPerSecond;

    /** Whether there is any such line. */
    final boolean found;

    private ReplayLines(List<Matcher> replays, OptionalLong wholeMillis) {
        this.changes = replays.stream().mapToLong(one -> number(one, "changes")).sum();
        this.longestMillis =
                replays.stream().mapToLong(one -> number(one, "millis")).max().orElse(0);
        this.wholeMillis = wholeMillis;
        this.largestPerSecond = largestPerSecond(replays);
        this.found = !replays.isEmpty();
    }

    /** Reads a log that one TaskManager wrote from its start to its first restore. */
    static ReplayLines of(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
        Optional<LocalDateTime> begin = times(INITIALIZING, lines).min(Comparator.naturalOrder());
        Optional<LocalDateTime> end = times(WHOLE, lines).max(Comparator.naturalOrder());
        OptionalLong whole =
                begin.isPresent() && end.isPresent()
                        ? OptionalLong.of(Duration.between(begin.get(), end.get()).toMillis())
                        : OptionalLong.empty();
        return new ReplayLines(found(RESTORED, lines).collect(Collectors.toList()), whole);
    }

    private static Stream<LocalDateTime> times(Pattern pattern, List<String> lines) {
        return found(pattern, lines).map(line -> LocalDateTime.parse(line.group("time"), TIME));
    }

    private static Stream<Matcher> found(Pattern pattern, List<String> lines) {
        return lines.stream().map(pattern::matcher).filter(Matcher::find);
    }

    private static OptionalDouble largestPerSecond(List<Matcher> replays) {
        return replays.stream()
                .max(Comparator.comparingLong(one -> number(one, "changes")))
                .filter(largest -> number(largest, "millis") > 0)
                .map(
                        largest ->
                                OptionalDouble.of(
                                        (double) number(largest, "changes")
                                                * MILLIS_PER_SECOND
                                                / number(largest, "millis")))
                .orElse(OptionalDouble.empty());
    }

    private static long number(Matcher line, String group) {
        return Long.parseLong(line.group(group));
    }
}
