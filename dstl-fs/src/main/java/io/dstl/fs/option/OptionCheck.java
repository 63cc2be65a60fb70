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

import java.time.Duration;
import java.util.Locale;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;

/** Reads options within their bounds; what is out of bounds is refused by key, value and remedy. */
final class OptionCheck {

    private final ReadableConfig config;

    OptionCheck(ReadableConfig config) {
        this.config = config;
    }

    /**
     * @param min inclusive
     */
    int atLeast(int min, ConfigOption<Integer> option) {
        int value = config.get(option);
        if (value < min) {
            throw refuse(option, value, "set it to " + min + " or more");
        }
        return value;
    }

    /**
     * @param min inclusive, in bytes
     * @param max inclusive, in bytes
     */
    long bytesWithin(long min, long max, ConfigOption<MemorySize> option) {
        MemorySize value = config.get(option);
        if (value.getBytes() < min || value.getBytes() > max) {
            throw refuse(option, value, "set it to a size from " + min + " to " + max + " bytes");
        }
        return value.getBytes();
    }

    Duration notNegative(ConfigOption<Duration> option) {
        Duration value = config.get(option);
        if (value.isNegative()) {
            throw refuse(option, value, "set it to 0 or more");
        }
        return value;
    }

    Duration positive(ConfigOption<Duration> option) {
        Duration value = config.get(option);
        if (value.isNegative() || value.isZero()) {
            throw refuse(option, value, "set it to more than 0");
        }
        return value;
    }

    static IllegalConfigurationException refuse(
            ConfigOption<?> option, Object value, String remedy) {
        return new IllegalConfigurationException(
                String.format(
                        Locale.ROOT,
                        "%s is %s, which cannot work: %s.",
                        option.key(),
                        value,
                        remedy));
    }
}
