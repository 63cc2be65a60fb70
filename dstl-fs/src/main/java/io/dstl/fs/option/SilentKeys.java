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
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.FallbackKey;

/**
 * Finds keys that Flink ignores silently: unknown ones, and deprecated ones if the new spelling is
 * set as well.
 */
public final class SilentKeys {

    private final Map<String, String> values;
    private final OptionReport report;

    public SilentKeys(Configuration config, OptionReport report) {
        this.values = new TreeMap<>(config.toMap());
        this.report = report;
    }

    /**
     * @param options the known ones
     * @param prefixes that have no other keys
     */
    public void check(List<ConfigOption<?>> options, List<String> prefixes) {
        options.forEach(this::warnOfTwoSpellings);
        checkUnknown(options, prefixes);
    }

    /**
     * Ignores two spellings: another place may override a key by its newer name. See {@link
     * #checkOlder}.
     */
    public void checkUnknown(List<ConfigOption<?>> options, List<String> prefixes) {
        List<String> known = keys(options);
        for (String key : values.keySet()) {
            if (prefixes.stream().anyMatch(key::startsWith) && !known.contains(key)) {
                warnOfUnknown(key, known);
            }
        }
    }

    /**
     * Finds older spellings that were meant to override the newer ones of another place, whose keys
     * are here too. The reverse is not reported: it works.
     */
    public void checkOlder(List<ConfigOption<?>> options, Configuration defaults) {
        Map<String, String> theirs = defaults.toMap();
        options.stream()
                .filter(
                        option ->
                                isInForce(option, theirs.get(option.key()))
                                        && older(option).stream().noneMatch(theirs::containsKey))
                .forEach(this::warnOfTwoSpellings);
    }

    private boolean isInForce(ConfigOption<?> option, String value) {
        String ours = values.get(option.key());
        return ours != null && value != null && isSame(option, ours, value);
    }

    private void warnOfTwoSpellings(ConfigOption<?> option) {
        String value = values.get(option.key());
        for (String older : older(option)) {
            String deprecated = values.get(older);
            if (value != null && deprecated != null && !isSame(option, value, deprecated)) {
                report.warn(
                        older,
                        deprecated,
                        "it has no effect, as it is an older name of "
                                + option.key()
                                + ", which is "
                                + Redaction.value(option.key(), value)
                                + ". Leave out one of them");
            }
        }
    }

    /** Compares the parsed values: 1 s is 1000 ms. */
    private static boolean isSame(ConfigOption<?> option, String value, String other) {
        try {
            return parsed(option, value).equals(parsed(option, other));
        } catch (IllegalArgumentException e) {
            return value.equals(other);
        }
    }

    private static Object parsed(ConfigOption<?> option, String value) {
        Configuration config = new Configuration();
        config.setString(option.key(), value);
        return config.get(option);
    }

    private static List<String> keys(List<ConfigOption<?>> options) {
        List<String> keys = new ArrayList<>();
        for (ConfigOption<?> option : options) {
            keys.add(option.key());
            keys.addAll(older(option));
        }
        return keys;
    }

    private static List<String> older(ConfigOption<?> option) {
        List<String> keys = new ArrayList<>();
        for (FallbackKey fallback : option.fallbackKeys()) {
            keys.add(fallback.getKey());
        }
        return keys;
    }

    private void warnOfUnknown(String key, List<String> known) {
        Optional<String> nearest = KeyDistance.nearest(key, known);
        report.warn(
                key,
                values.get(key),
                "there is no such key, and it has no effect. "
                        + nearest.map(name -> "Did you mean " + name + "?").orElse("")
                        + (nearest.isPresent() ? " Set that, or" : "Either correct it, or")
                        + " leave it out");
    }

    /** The distance of two keys, in characters to insert, delete or replace. */
    static final class KeyDistance {

        /** Share of the longer key's characters; keys farther apart are unrelated. */
        private static final double MAX_FRACTION = 0.2;

        private KeyDistance() {}

        /** The known key that was probably meant, if any. */
        static Optional<String> nearest(String key, Collection<String> known) {
            return known.stream()
                    .min(Comparator.comparingInt(candidate -> between(key, candidate)))
                    .filter(
                            candidate ->
                                    between(key, candidate)
                                            <= MAX_FRACTION
                                                    * Math.max(key.length(), candidate.length()));
        }

        static int between(String a, String b) {
            int[] row = new int[b.length() + 1];
            for (int j = 0; j <= b.length(); j++) {
                row[j] = j;
            }
            for (int i = 1; i <= a.length(); i++) {
                int diagonal = row[0];
                row[0] = i;
                for (int j = 1; j <= b.length(); j++) {
                    int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                    diagonal = row[j];
                    row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
                }
            }
            return row[b.length()];
        }
    }
}
