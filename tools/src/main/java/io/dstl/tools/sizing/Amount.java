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

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Sizes and durations as Flink's configuration writes them, and as a person reads them: what is
 * read counts 1 kb as 1,024 bytes, what is shown counts 1 kB as 1,000, as tables of sizes do.
 */
final class Amount {
    private static final Pattern TEXT =
            Pattern.compile("\\s*(\\d{1,15}(?:\\.\\d{1,6})?)\\s*([a-z]*)\\s*");

    private static final Map<String, Long> SIZES =
            Map.of("", 1L, "b", 1L, "kb", 1L << 10, "mb", 1L << 20, "gb", 1L << 30, "tb", 1L << 40);

    private static final Map<String, Long> TIMES =
            Map.of("ms", 1L, "s", 1_000L, "min", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

    /** About 27 years. */
    private static final long MOST_MILLIS = 10_000 * 86_400_000L;

    private static final String[] SHOWN_SIZES = {"B", "kB", "MB", "GB", "TB", "PB"};

    private Amount() {}

    /** Bytes, for {@code 5mb}, {@code 1.5 gb} or {@code 100}. */
    static final class ToBytes implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            BigDecimal bytes = parse(text, SIZES, "a size: write it as 100, 5mb, 1.5gb or 2tb");
            return atMost(Long.MAX_VALUE, bytes, text, "less than 8000000tb");
        }
    }

    /** For {@code 500ms}, {@code 1s}, {@code 10 min} or {@code 2h}. */
    static final class ToDuration implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            BigDecimal millis =
                    parse(text, TIMES, "a duration: write it as 500ms, 1s, 10min or 2h");
            return Duration.ofMillis(atMost(MOST_MILLIS, millis, text, "10000d or less"));
        }
    }

    private static BigDecimal parse(String text, Map<String, Long> units, String remedy) {
        Matcher matcher = TEXT.matcher(text.toLowerCase(Locale.ROOT));
        Long unit = matcher.matches() ? units.get(matcher.group(2)) : null;
        if (unit == null) {
            throw new TypeConversionException("'" + text + "' is not " + remedy);
        }
        return new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(unit));
    }

    private static long atMost(long most, BigDecimal amount, String text, String remedy) {
        if (amount.compareTo(BigDecimal.valueOf(most)) > 0) {
            throw new TypeConversionException("'" + text + "' is too much: give " + remedy);
        }
        return amount.longValue();
    }

    /** Of three digits, such as 4.98 MB. */
    static String bytes(double bytes) {
        double shown = bytes;
        int unit = 0;
        while (shown >= 999.5 && unit < SHOWN_SIZES.length - 1) {
            shown /= 1000;
            unit++;
        }
        return number(shown) + " " + SHOWN_SIZES[unit];
    }

    /** Of three digits, such as 8.40 min. */
    static String time(double seconds) {
        if (seconds < 0.9995) {
            return number(seconds * 1000) + " ms";
        }
        if (seconds < 120) {
            return number(seconds) + " s";
        }
        return seconds < 7200 ? number(seconds / 60) + " min" : number(seconds / 3600) + " h";
    }

    /** Of three digits, or of all that are before the point. */
    static String number(double value) {
        int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
        return String.format(Locale.ROOT, "%,." + (value == 0 ? 0 : decimals) + "f", value);
    }

    /** As Flink's configuration takes it, in whole units if there are some. */
    static String configured(long bytes) {
        for (String unit : new String[] {"tb", "gb", "mb", "kb"}) {
            if (bytes >= SIZES.get(unit) && bytes % SIZES.get(unit) == 0) {
                return bytes / SIZES.get(unit) + " " + unit;
            }
        }
        return bytes + " bytes";
    }

    /** As Flink's configuration takes it, in whole units. */
    static String configured(Duration time) {
        long millis = time.toMillis();
        for (String unit : new String[] {"h", "min", "s"}) {
            if (millis > 0 && millis % TIMES.get(unit) == 0) {
                return millis / TIMES.get(unit) + " " + unit;
            }
        }
        return millis + " ms";
    }
}
