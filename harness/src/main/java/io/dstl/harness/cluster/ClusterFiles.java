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
package io.dstl.harness.cluster;

import io.dstl.harness.net.FreePorts;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The directory of one cluster: its {@code conf/}, {@code log/} and {@code tmp/}, and the settings
 * written there. Immutable.
 *
 * <p>Owns what every local cluster must have its own of: ports and directories. The sample
 * configuration's other settings stay, unless the run overrides them.
 */
public final class ClusterFiles {
    private static final String LOGGING = "log4j.properties";

    private final FlinkHome home;
    private final Path directory;
    private final FlinkSettings settings;

    private ClusterFiles(FlinkHome home, Path directory, FlinkSettings settings) {
        this.home = home;
        this.directory = directory;
        this.settings = settings;
    }

    /** Lays the directory out and writes the sample with the run's settings in it. */
    public static ClusterFiles create(
            FlinkHome home, Path directory, Path sample, Map<String, String> overrides)
            throws IOException {
        Path absolute = directory.toAbsolutePath();
        for (String folder : new String[] {"conf", "log", "tmp", "upload"}) {
            Files.createDirectories(absolute.resolve(folder));
        }
        Map<String, String> own = new LinkedHashMap<>();
        List<Integer> ports = FreePorts.of(absolute, 2);
        own.put("jobmanager.rpc.port", ports.get(0).toString());
        own.put("rest.port", ports.get(1).toString());
        own.put("io.tmp.dirs", absolute.resolve("tmp").toString());
        own.put("web.upload.dir", absolute.resolve("upload").toString());
        own.putAll(overrides);
        FlinkSettings settings = FlinkSettings.read(sample).with(own);
        settings.write(absolute.resolve("conf").resolve(home.configurationFile()));
        try (InputStream logging = ClusterFiles.class.getResourceAsStream(LOGGING)) {
            Files.copy(logging, absolute.resolve("conf").resolve(LOGGING));
        }
        return new ClusterFiles(home, absolute, settings);
    }

    public URI restAddress() {
        String host = settings.get("rest.address").orElse("localhost");
        return URI.create("http://" + host + ":" + settings.get("rest.port").orElseThrow());
    }

    public Path logs() {
        return directory.resolve("log");
    }

    /**
     * Deletes what a TaskManager had on the local disk, as the disk of a container goes with it.
     *
     * @param name of one that has ended
     */
    void deleteDiskOf(String name) throws IOException {
        deleteAll(directory.resolve("tmp").resolve("tm_" + name));
    }

    /** Deletes the directory and all in it, if it is there. */
    static void deleteAll(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> found;
        try (Stream<Path> walk = Files.walk(directory)) {
            found = walk.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
        }
        for (Path file : found) {
            Files.deleteIfExists(file);
        }
    }

    FlinkHome home() {
        return home;
    }

    FlinkSettings settings() {
        return settings;
    }

    Path conf() {
        return directory.resolve("conf");
    }

    Path logging() {
        return conf().resolve(LOGGING);
    }

    /**
     * The settings of a {@code flink-conf.yaml}: one {@code key: value} per line, in the order of
     * the file. Immutable.
     *
     * <p>Does not know what the keys mean; Flink judges the values.
     */
    public static final class FlinkSettings {
        private static final String SEPARATOR = ": ";

        private final Map<String, String> values;

        private FlinkSettings(Map<String, String> values) {
            this.values = Collections.unmodifiableMap(values);
        }

        /** Reads a file; fails on a line that is neither a comment nor a {@code key: value}. */
        public static FlinkSettings read(Path file) throws IOException {
            Map<String, String> values = new LinkedHashMap<>();
            List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i).trim();
                if (line.isEmpty() || line.startsWith("#")) {
                    continue;
                }
                int separator = line.indexOf(SEPARATOR);
                if (separator < 1) {
                    throw new IOException(
                            String.format(
                                    Locale.ROOT,
                                    "%s line %d is '%s': write it as 'key: value' on one line",
                                    file,
                                    i + 1,
                                    line));
                }
                String key = line.substring(0, separator).trim();
                String value = line.substring(separator + SEPARATOR.length()).trim();
                if (values.put(key, value) != null) {
                    throw new IOException(
                            String.format(
                                    Locale.ROOT,
                                    "%s line %d sets '%s' a second time",
                                    file,
                                    i + 1,
                                    key));
                }
            }
            return new FlinkSettings(values);
        }

        /** These settings with the given ones in place of, or after, their own. */
        public FlinkSettings with(Map<String, String> overrides) {
            Map<String, String> merged = new LinkedHashMap<>(values);
            merged.putAll(overrides);
            return new FlinkSettings(merged);
        }

        public Optional<String> get(String key) {
            return Optional.ofNullable(values.get(key));
        }

        /** The value split at blanks, for the settings that hold JVM arguments. */
        public List<String> arguments(String key) {
            return get(key).map(value -> List.of(value.split("\\s+"))).orElse(List.of());
        }

        public void write(Path file) throws IOException {
            List<String> lines = new ArrayList<>();
            values.forEach((key, value) -> lines.add(key + SEPARATOR + value));
            Files.write(file, lines, StandardCharsets.UTF_8);
        }
    }
}
