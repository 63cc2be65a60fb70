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

import io.dstl.secret.Redaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.FallbackKey;
import org.apache.flink.configuration.IllegalConfigurationException;

/**
 * All that is wrong with a configuration, so that it can be corrected at once. Invalid options are
 * refused; options without their apparent effect get a warning; both with key, value and remedy.
 * Secret values are hidden.
 *
 * <p>One thread at a time.
 */
public final class OptionReport {

    private final List<String> refused = new ArrayList<>();
    private final Set<String> warnings = new LinkedHashSet<>();

    /**
     * @param remedy as a clause
     */
    public void refuse(String key, Object value, String remedy) {
        refused.add(refusal(key, value, remedy));
    }

    static String refusal(String key, Object value, String remedy) {
        return key + " is " + Redaction.value(key, value) + ", which cannot work: " + remedy + ".";
    }

    /** Refuses a configuration without a required key. */
    public void missing(String key, String remedy) {
        refused.add(key + " is not set: " + remedy + ".");
    }

    /**
     * Warns once, even if the same is found in several places.
     *
     * @param consequence and remedy, as a clause
     */
    public void warn(String key, Object value, String consequence) {
        warnings.add(key + " is " + Redaction.value(key, value) + ": " + consequence + ".");
    }

    /** In the order in which they were found. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /**
     * @throws IllegalConfigurationException with all refused options
     */
    public void throwIfRefused() {
        if (!refused.isEmpty()) {
            throw new IllegalConfigurationException(String.join(" ", refused));
        }
    }

    /** The name of an option that a configuration uses, and its value. Immutable. */
    public static final class OptionSpelling {

        private final Map<String, String> values;

        public OptionSpelling(Configuration config) {
            this.values = config.toMap();
        }

        /** The name in force: the newer one if both are set or none is. */
        public String key(ConfigOption<?> option) {
            return usedKey(option).orElse(option.key());
        }

        /** As configured; only for an option that is set. */
        public String value(ConfigOption<?> option) {
            return values.get(key(option));
        }

        /** The value in force, as in a configuration. */
        public static String inForce(Object value) {
            if (value == null) {
                return "not set";
            }
            return value instanceof Duration
                    ? ((Duration) value).toMillis() + " ms"
                    : value.toString();
        }

        private Optional<String> usedKey(ConfigOption<?> option) {
            if (values.containsKey(option.key())) {
                return Optional.of(option.key());
            }
            for (FallbackKey fallback : option.fallbackKeys()) {
                if (values.containsKey(fallback.getKey())) {
                    return Optional.of(fallback.getKey());
                }
            }
            return Optional.empty();
        }
    }
}
