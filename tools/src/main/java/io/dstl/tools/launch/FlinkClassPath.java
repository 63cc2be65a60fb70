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
package io.dstl.tools.launch;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The class path that Flink's own scripts give to a command: the jars of {@code lib/} with {@code
 * flink-dist} last, then Hadoop's, where the environment names them. Ahead of all, the jar that the
 * command comes from.
 */
final class FlinkClassPath {
    private static final String ALL_JARS = "*";

    private final List<Path> entries = new ArrayList<>();

    private FlinkClassPath() {}

    /**
     * @param self the jar or directory of our own classes
     * @param home of a Flink
     * @param environment of the process
     */
    static FlinkClassPath of(Path self, Path home, Map<String, String> environment)
            throws IOException {
        FlinkClassPath path = new FlinkClassPath();
        path.entries.add(self);
        String lib = environment.get("FLINK_LIB_DIR");
        path.addLib(lib == null ? home.resolve("lib") : Path.of(lib));
        path.addAll(environment.get("HADOOP_CLASSPATH"));
        path.addAll(environment.get("HADOOP_CONF_DIR"));
        path.addAll(environment.get("YARN_CONF_DIR"));
        path.addAll(environment.get("HBASE_CONF_DIR"));
        return path;
    }

    URL[] urls() throws IOException {
        URL[] urls = new URL[entries.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = entries.get(i).toUri().toURL();
        }
        return urls;
    }

    private void addLib(Path lib) throws IOException {
        if (!Files.isDirectory(lib)) {
            throw new NoSuchFileException(
                    lib.toString(), null, "a Flink home has its jars here: name one that is there");
        }
        List<Path> jars = jars(lib);
        jars.sort(Comparator.comparing(FlinkClassPath::isDist));
        entries.addAll(jars);
    }

    private static boolean isDist(Path jar) {
        return jar.getFileName().toString().startsWith("flink-dist");
    }

    private void addAll(String classPath) throws IOException {
        if (classPath == null) {
            return;
        }
        for (String entry : classPath.split(File.pathSeparator)) {
            if (entry.endsWith(ALL_JARS)) {
                Path folder = Path.of(entry.substring(0, entry.length() - ALL_JARS.length()));
                if (Files.isDirectory(folder)) {
                    entries.addAll(jars(folder));
                }
            } else if (!entry.isEmpty()) {
                entries.add(Path.of(entry));
            }
        }
    }

    private static List<Path> jars(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().endsWith(".jar"))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }
}
