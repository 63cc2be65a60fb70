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

import java.io.File;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.flink.util.TimeUtils;

/**
 * What the job is told on its command line.
 *
 * <ul>
 *   <li>{@code --input}: the gzipped flights file, a path or a URI that every TaskManager can read;
 *       required.
 *   <li>{@code --output}: the directory for the rows, a path or a URI; required.
 *   <li>{@code --scale}: how often the file is read, each time for other aircraft in another year;
 *       default 1. State, rows and duration grow with it.
 *   <li>{@code --rate}: flights per second over all subtasks; default 0 = as fast as it goes.
 *   <li>{@code --checkpoint-interval}: such as {@code 500ms}; default {@code 1s}.
 *   <li>{@code --tolerable-failed-checkpoints}: in a row; default 10.
 * </ul>
 */
public final class FlightsOptions {
    public final URI input;
    public final URI output;

    /** At least 1. */
    public final int scale;

    /** Flights per second; 0 = unlimited. */
    public final double rate;

    public final Duration checkpointInterval;

    /** In a row; one more fails the job. */
    public final int tolerableFailedCheckpoints;

    private FlightsOptions(Map<String, String> args) {
        input = uri(args, "input");
        output = uri(args, "output");
        scale =
                option(
                        args,
                        "scale",
                        "1",
                        Integer::valueOf,
                        value -> value >= 1,
                        "a whole number of at least 1");
        rate =
                option(
                        args,
                        "rate",
                        "0",
                        Double::valueOf,
                        value -> value >= 0 && Double.isFinite(value),
                        "flights per second, 0 for unlimited");
        checkpointInterval =
                option(
                        args,
                        "checkpoint-interval",
                        "1s",
                        TimeUtils::parseDuration,
                        value -> value.toMillis() > 0,
                        "a duration such as 1s");
        tolerableFailedCheckpoints =
                option(
                        args,
                        "tolerable-failed-checkpoints",
                        "10",
                        Integer::valueOf,
                        value -> value >= 0,
                        "a whole number of at least 0");
    }

    /** Throws {@link IllegalArgumentException} with the option, the value and the remedy. */
    public static FlightsOptions parse(String... args) {
        return new FlightsOptions(values(args));
    }

    /** Not by Flink's own class for this, which has another package in Flink 2. */
    private static Map<String, String> values(String... args) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < args.length; i += 2) {
            if (!args[i].startsWith("--") || i + 1 == args.length) {
                throw new IllegalArgumentException(
                        "'" + args[i] + "' is not followed by a value; give --option value");
            }
            values.put(args[i].substring(2), args[i + 1]);
        }
        return values;
    }

    private static URI uri(Map<String, String> args, String option) {
        String value = args.get(option);
        if (value == null) {
            throw unusable(option, "missing", "a path or a URI");
        }
        return value.contains(":/") ? URI.create(value) : new File(value).getAbsoluteFile().toURI();
    }

    private static <T> T option(
            Map<String, String> args,
            String option,
            String defaultValue,
            Function<String, T> parser,
            Predicate<T> isUsable,
            String remedy) {
        String text = args.getOrDefault(option, defaultValue);
        T value;
        try {
            value = parser.apply(text);
        } catch (RuntimeException e) {
            throw unusable(option, text, remedy);
        }
        if (!isUsable.test(value)) {
            throw unusable(option, text, remedy);
        }
        return value;
    }

    private static IllegalArgumentException unusable(String option, String value, String remedy) {
        return new IllegalArgumentException("--" + option + " is " + value + "; give " + remedy);
    }
}
