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
package io.dstl.fs.option;

import io.dstl.fs.option.OptionReport.OptionSpelling;
import java.time.Duration;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;

/**
 * Reads options within their bounds. Reports an option of another type or out of bounds and returns
 * its default, so that the others are checked as well.
 */
final class OptionCheck {

    /**
     * What a user means by more than this is never. Timers count nanoseconds, which end after 292
     * years, and are given sums and multiples of durations too.
     */
    private static final Duration LONGEST = Duration.ofDays(100 * 365);

    private final Configuration config;
    private final OptionSpelling spelling;
    private final OptionReport report;

    OptionCheck(Configuration config, OptionReport report) {
        this.config = config;
        this.spelling = new OptionSpelling(config);
        this.report = report;
    }

    OptionReport report() {
        return report;
    }

    /**
     * @param form of a valid value, with an example
     */
    <T> T read(ConfigOption<T> option, String form) {
        try {
            return config.get(option);
        } catch (IllegalArgumentException e) {
            refuse(option, spelling.value(option), "set it to " + form);
            return option.defaultValue();
        }
    }

    /**
     * @param min inclusive
     */
    int atLeast(int min, ConfigOption<Integer> option) {
        int value = number(option);
        if (value < min) {
            refuse(option, value, "set it to " + min + " or more");
            return option.defaultValue();
        }
        return value;
    }

    int number(ConfigOption<Integer> option) {
        return read(option, "a whole number such as " + option.defaultValue());
    }

    /**
     * @param min inclusive, in bytes
     * @param max inclusive, in bytes
     */
    long bytesWithin(long min, long max, ConfigOption<MemorySize> option) {
        MemorySize value = read(option, "a size such as " + option.defaultValue());
        if (value.getBytes() < min || value.getBytes() > max) {
            refuse(option, value, "set it to a size from " + min + " to " + max + " bytes");
            return option.defaultValue().getBytes();
        }
        return value.getBytes();
    }

    /**
     * @param min inclusive
     * @param max inclusive
     */
    double shareWithin(double min, double max, ConfigOption<Double> option) {
        double value = read(option, "a share such as " + option.defaultValue());
        if (!(value >= min && value <= max)) {
            refuse(option, value, "set it to a share from " + min + " to " + max);
            return option.defaultValue();
        }
        return value;
    }

    Duration notNegative(ConfigOption<Duration> option) {
        Duration value = duration(option);
        if (value.isNegative()) {
            refuse(option, value.toMillis() + " ms", "set it to 0 or more");
            return option.defaultValue();
        }
        return value;
    }

    /** At most {@link #LONGEST}. */
    Duration duration(ConfigOption<Duration> option) {
        Duration value =
                read(option, "a duration such as " + option.defaultValue().toMillis() + " ms");
        return value.compareTo(LONGEST) < 0 ? value : LONGEST;
    }

    void refuse(ConfigOption<?> option, Object value, String remedy) {
        report.refuse(key(option), value, remedy);
    }

    /** Warns of a value that can be read. */
    void warn(ConfigOption<?> option, Object value, String consequence) {
        report.warn(key(option), value, consequence);
    }

    /** Warns if the option is set to another value than its default. */
    void warnIfChanged(ConfigOption<?> option, String consequence) {
        if (!read(option, "a value such as " + option.defaultValue())
                .equals(option.defaultValue())) {
            report.warn(key(option), spelling.value(option), consequence);
        }
    }

    /** The spelling in force. */
    String key(ConfigOption<?> option) {
        return spelling.key(option);
    }
}
