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
import java.lang.reflect.InvocationTargetException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where {@code java -jar dstl-changelog-<version>.jar <command>} begins: puts the class path of a
 * Flink home together, and starts the command on it, in this process.
 *
 * <p>Uses nothing but the JDK, as nothing else is there yet. The command is loaded a second time,
 * beside Flink, by a loader that does not see the first.
 */
public final class Launcher {
    private static final String COMMAND = "io.dstl.tools.DstlCommand";
    private static final String HOME_OPTION = "--flink-home";
    private static final String HOME_VARIABLE = "FLINK_HOME";
    private static final String LOGGING = "log4j.configurationFile";
    private static final List<String> HELP = List.of("--help", "-h", "--version", "-V");

    /** They look at no cluster and no store. */
    private static final List<String> WITHOUT_FLINK = List.of("sizing");

    // As in ExitCode, which is behind the loader.
    private static final int USAGE = 2;
    private static final int STOPPED = 3;

    private Launcher() {}

    /** See {@code java -jar dstl-changelog-<version>.jar --help}. */
    public static void main(String[] arguments) {
        try {
            start(arguments);
        } catch (IOException e) {
            System.err.println(e.getMessage());
            System.exit(USAGE);
        } catch (InvocationTargetException e) {
            stop(e.getCause());
        } catch (Throwable t) {
            stop(t);
        }
    }

    /**
     * Without it the process would end with the exit code of a command that has found something.
     */
    private static void stop(Throwable failure) {
        System.err.println("Stopped: " + failure);
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            System.err.println("  caused by " + cause);
        }
        System.exit(STOPPED);
    }

    private static void start(String[] arguments) throws Exception {
        Path self = self();
        Optional<Path> home = home(arguments, System.getenv(), self);
        if (home.isEmpty() && needsFlink(arguments)) {
            throw new IOException(
                    "No Flink home is known: give "
                            + HOME_OPTION
                            + " DIR, set "
                            + HOME_VARIABLE
                            + ", or start the jar that is in a Flink home's lib/");
        }
        // What libraries print is none of the report, which a program may read.
        System.setOut(System.err);
        if (System.getProperty(LOGGING) == null) {
            System.setProperty(LOGGING, "classpath:io/dstl/tools/log4j.properties");
        }
        URL[] classPath =
                home.isPresent()
                        ? FlinkClassPath.of(self, home.get(), System.getenv()).urls()
                        : new URL[] {self.toUri().toURL()};
        // Not closed: the command ends the process.
        URLClassLoader loader =
                new URLClassLoader("flink", classPath, ClassLoader.getPlatformClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        Class.forName(COMMAND, true, loader)
                .getMethod("run", String[].class, Optional.class)
                .invoke(null, arguments, home);
    }

    /**
     * As given; else that of the environment; else the one that this jar is in the lib/ of. None
     * where none is needed, so that one that is named and not there does no harm.
     */
    static Optional<Path> home(String[] arguments, Map<String, String> environment, Path self) {
        if (!needsFlink(arguments)) {
            return Optional.empty();
        }
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].startsWith(HOME_OPTION + "=")) {
                return Optional.of(Path.of(arguments[i].substring(HOME_OPTION.length() + 1)));
            }
            if (arguments[i].equals(HOME_OPTION) && i + 1 < arguments.length) {
                return Optional.of(Path.of(arguments[i + 1]));
            }
        }
        String variable = environment.get(HOME_VARIABLE);
        if (variable != null && !variable.isEmpty()) {
            return Optional.of(Path.of(variable));
        }
        Path lib = self.getParent();
        return lib != null && lib.endsWith("lib") && Files.isDirectory(lib.resolveSibling("conf"))
                ? Optional.of(lib.getParent())
                : Optional.empty();
    }

    /** Whether it is a command that does something with it, and not a question about it. */
    static boolean needsFlink(String[] arguments) {
        return arguments.length > 0
                && !WITHOUT_FLINK.contains(arguments[0])
                && Arrays.stream(arguments).noneMatch(HELP::contains);
    }

    private static Path self() throws URISyntaxException {
        return Path.of(Launcher.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toAbsolutePath();
    }

    /**
     * The class path that Flink's own scripts give to a command: the jars of {@code lib/} with
     * {@code flink-dist} last, then Hadoop's, where the environment names them. Ahead of all, the
     * jar that the command comes from.
     */
    static final class FlinkClassPath {
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
            path.addLib(lib == null || lib.isEmpty() ? home.resolve("lib") : Path.of(lib));
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
                        lib.toString(),
                        null,
                        "a Flink home has its jars here: name one that is there");
            }
            List<Path> jars = jarsBelow(lib);
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

        private static List<Path> jarsBelow(Path folder) throws IOException {
            try (Stream<Path> files = Files.walk(folder.toRealPath())) {
                return jars(files);
            }
        }

        private static List<Path> jars(Path folder) throws IOException {
            try (Stream<Path> files = Files.list(folder)) {
                return jars(files);
            }
        }

        private static List<Path> jars(Stream<Path> files) {
            return files.filter(file -> file.getFileName().toString().endsWith(".jar"))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }
}
