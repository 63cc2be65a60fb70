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
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a TaskManager's log says of the logs that its tasks were restored from. Ours says it in one
 * line for each task; Flink's own changelog says nothing.
 */
final class ReplayLines {
    private static final Pattern RESTORED =
            Pattern.compile(" Restored .*?: (?<changes>\\d+) changes in (?<millis>\\d+) ms");

    private static final Pattern WHOLE =
            Pattern.compile(" Restored .*? in (?<millis>\\d+) ms: \\d+ ms for its materialized");

    private final long changes;
    private final long longestMillis;
    private final long longestRestoreMillis;
    private final boolean found;

    private ReplayLines(
            long changes, long longestMillis, long longestRestoreMillis, boolean found) {
        this.changes = changes;
        this.longestMillis = longestMillis;
        this.longestRestoreMillis = longestRestoreMillis;
        this.found = found;
    }

    /** Reads a log that one TaskManager wrote from its start to its first restore. */
    static ReplayLines of(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
        List<Matcher> restored = found(RESTORED, lines);
        return new ReplayLines(
                restored.stream().mapToLong(one -> Long.parseLong(one.group("changes"))).sum(),
                longest(restored),
                longest(found(WHOLE, lines)),
                !restored.isEmpty());
    }

    private static List<Matcher> found(Pattern pattern, List<String> lines) {
        return lines.stream()
                .map(pattern::matcher)
                .filter(Matcher::find)
                .collect(Collectors.toList());
    }

    private static long longest(List<Matcher> lines) {
        return lines.stream().mapToLong(one -> Long.parseLong(one.group("millis"))).max().orElse(0);
    }

    /** Whether there is any such line. */
    boolean found() {
        return found;
    }

    /** Of all tasks together. */
    long changes() {
        return changes;
    }

    /** Of the task that took longest to fetch and replay its log. */
    long longestMillis() {
        return longestMillis;
    }

    /**
     * Of the task that took longest from the begin of its restore until its state was whole, which
     * may be while it runs.
     */
    long longestRestoreMillis() {
        return longestRestoreMillis;
    }
}
