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
package io.dstl.store.s3.config;

import io.dstl.secret.Redaction;
import io.dstl.store.s3.config.S3Capabilities.UnsupportedS3Exception;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.util.TimeUtils;

/**
 * The keys of one of Flink's S3 file systems in a configuration, whatever their spelling: {@code
 * s3.access-key}, {@code s3.access.key} and {@code fs.s3a.access.key} are one key here, {@code
 * access.key}. Immutable.
 */
public final class S3Keys {

    /** Flink reads these keys itself: in one spelling, and others have no effect. */
    static final String ENTROPY = "entropy.";

    private final Map<String, Entry> entries;

    /** One key as it was set. */
    public static final class Entry {

        private final String name;
        private final String key;
        private final String value;

        Entry(String name, String key, String value) {
            this.name = name;
            this.key = key;
            this.value = value;
        }

        /** Without prefix, and with dots only. */
        String name() {
            return name;
        }

        public String value() {
            return value;
        }

        /** The key as the user spells it and its value, without a secret. */
        public String shown() {
            return key + " is " + Redaction.value(key, value);
        }
    }

    private S3Keys(Map<String, Entry> entries) {
        this.entries = Collections.unmodifiableMap(entries);
    }

    /**
     * @throws UnsupportedS3Exception if two spellings of one key have different values, of which a
     *     file system takes one by chance
     */
    public static S3Keys of(Configuration config, S3FileSystemKind kind)
            throws UnsupportedS3Exception {
        Map<String, Entry> entries = new LinkedHashMap<>();
        for (Map.Entry<String, String> set : new TreeMap<>(config.toMap()).entrySet()) {
            for (String prefix : kind.prefixes()) {
                if (set.getKey().startsWith(prefix) && !set.getValue().trim().isEmpty()) {
                    String name = set.getKey().substring(prefix.length()).replace('-', '.');
                    if (name.startsWith(ENTROPY) && !set.getKey().equals("s3." + name)) {
                        continue;
                    }
                    Entry entry = new Entry(name, set.getKey(), set.getValue().trim());
                    Entry other = entries.put(name, entry);
                    if (other != null && !other.value.equals(entry.value)) {
                        throw new UnsupportedS3Exception(
                                other.shown() + " while " + entry.shown(), "Leave out one of them");
                    }
                }
            }
        }
        return new S3Keys(entries);
    }

    Collection<Entry> all() {
        return entries.values();
    }

    /** The first of these names that is set. */
    public Optional<Entry> entry(String... names) {
        for (String name : names) {
            if (entries.containsKey(name)) {
                return Optional.of(entries.get(name));
            }
        }
        return Optional.empty();
    }

    public Optional<String> text(String... names) {
        return entry(names).map(Entry::value);
    }

    public boolean flag(boolean fallback, String... names) throws UnsupportedS3Exception {
        Optional<Entry> entry = entry(names);
        if (!entry.isPresent()) {
            return fallback;
        }
        String value = entry.get().value();
        if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            throw new UnsupportedS3Exception(entry.get().shown(), "Set it to true or false");
        }
        return Boolean.parseBoolean(value);
    }

    /**
     * @param fallback if the key is not set
     */
    public int positive(int fallback, String... names) throws UnsupportedS3Exception {
        Optional<Entry> entry = entry(names);
        if (!entry.isPresent()) {
            return fallback;
        }
        try {
            int value = Integer.parseInt(entry.get().value());
            if (value > 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new UnsupportedS3Exception(entry.get().shown(), "Set it to a whole number");
        }
        throw new UnsupportedS3Exception(entry.get().shown(), "Set it to 1 or more");
    }

    /** Milliseconds if the value has no unit; zero: none. */
    public Duration duration(Duration fallback, String... names) throws UnsupportedS3Exception {
        Optional<Entry> entry = entry(names);
        if (!entry.isPresent()) {
            return fallback;
        }
        try {
            return TimeUtils.parseDuration(entry.get().value());
        } catch (IllegalArgumentException e) {
            throw new UnsupportedS3Exception(
                    entry.get().shown(), "Set it to a duration such as 5000 or 5 s");
        }
    }
}
