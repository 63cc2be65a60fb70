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

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How long each variant runs. */
public final class Timing {
    private static final Pattern TIME = Pattern.compile("(\\d{1,7})(ms|s|min)");

    private final Duration warmUp;
    private final Duration measured;

    /**
     * @param warmUp not in the figures: the JVM compiles, the state grows
     * @param measured what the figures are of
     */
    public Timing(Duration warmUp, Duration measured) {
        if (warmUp.isNegative() || measured.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    "--warm-up comes to "
                            + warmUp.toSeconds()
                            + " s and --minutes to "
                            + measured.toSeconds()
                            + " s: give 0 s or more, and 1 s or more");
        }
        this.warmUp = warmUp;
        this.measured = measured;
    }

    public Duration warmUp() {
        return warmUp;
    }

    public Duration measured() {
        return measured;
    }

    /**
     * Reads a time as it is given on a command line: 15s, 250ms, 10min.
     *
     * @param option for the message, when the value cannot be read
     */
    public static Duration parse(String option, String value) {
        Matcher parts = TIME.matcher(value);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    option + " has the time '" + value + "': give one as in 15s, 250ms or 10min");
        }
        long amount = Long.parseLong(parts.group(1));
        switch (parts.group(2)) {
            case "ms":
                return Duration.ofMillis(amount);
            case "s":
                return Duration.ofSeconds(amount);
            default:
                return Duration.ofMinutes(amount);
        }
    }
}
