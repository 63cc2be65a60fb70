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

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Flink home on disk: {@code lib/} with our jar in it, and {@code plugins/}. Immutable.
 *
 * <p>Owns the order of the class path, which is that of Flink's own scripts. Does not own the
 * configuration: each cluster has a {@code conf/} of its own.
 */
public final class FlinkHome {
    private static final String OUR_JAR = "dstl-changelog-";
    private static final Pattern FLINK_JAR =
            Pattern.compile("flink-(dist|runtime)-(?<version>\\d.*)\\.jar");
    private static final String S3_PLUGIN = "s3-fs-presto";
    private static final String PEER = "peer";
    private static final String SCRIPT_TOOLS = "bin/bash-java-utils.jar";

    private final Path directory;

    private FlinkHome(Path directory) {
        this.directory = directory;
    }

    /** A home that already has our jar in {@code lib/} and an S3 plugin in {@code plugins/}. */
    public static FlinkHome at(Path directory) throws IOException {
        FlinkHome home = new FlinkHome(directory.toAbsolutePath());
        requireJar(home.lib(), jar -> jar.startsWith(OUR_JAR), OUR_JAR + "*.jar");
        requireJar(
                home.plugins().resolve(S3_PLUGIN),
                jar -> jar.endsWith(".jar"),
                "Flink's S3 plugin");
        return home;
    }

    /**
     * A Flink distribution as it was downloaded, or a home assembled without our jar, plus our jar
     * and, where it has none, the S3 plugin. The distribution is left as it is: the new home links
     * to its files.
     */
    public static FlinkHome over(Path distribution, FlinkHome additions, Path directory)
            throws IOException {
        requireJar(
                distribution.resolve("lib"),
                jar -> FLINK_JAR.matcher(jar).matches(),
                "flink-dist-*.jar");
        linkAll(distribution.resolve("lib"), directory.resolve("lib"));
        linkIfPresent(distribution, directory, SCRIPT_TOOLS);
        linkIfPresent(distribution, directory, PEER);
        if (Files.isDirectory(distribution.resolve("plugins"))) {
            linkAll(distribution.resolve("plugins"), directory.resolve("plugins"));
        }
        Path ours = requireJar(additions.lib(), jar -> jar.startsWith(OUR_JAR), OUR_JAR + "*.jar");
        link(directory.resolve("lib").resolve(ours.getFileName()), ours);
        Path plugin = directory.resolve("plugins").resolve(S3_PLUGIN);
        if (!Files.exists(plugin)) {
            Files.createDirectories(plugin.getParent());
            link(plugin, additions.plugins().resolve(S3_PLUGIN));
        }
        return at(directory);
    }

    /**
     * The same home without our jar, so that the changelog is Flink's own: that of the
     * distribution, or else the one that the assembled home has beside its {@code lib/}.
     */
    public FlinkHome withoutOurs(Path target) throws IOException {
        for (Path jar : entries(lib())) {
            if (!jar.getFileName().toString().startsWith(OUR_JAR)) {
                link(linkIn(target, "lib", jar), jar);
            }
        }
        Path peer = directory.resolve(PEER);
        if (Files.isDirectory(peer)) {
            linkAll(peer, target.resolve("lib"));
        }
        linkAll(plugins(), target.resolve("plugins"));
        linkIfPresent(directory, target, SCRIPT_TOOLS);
        return new FlinkHome(target.toAbsolutePath());
    }

    public Path directory() {
        return directory;
    }

    public Path lib() {
        return directory.resolve("lib");
    }

    /** As the name of its own jar has it: 1.20.5. */
    public String version() throws IOException {
        for (Path jar : entries(lib())) {
            Matcher named = FLINK_JAR.matcher(jar.getFileName().toString());
            if (named.matches()) {
                return named.group("version");
            }
        }
        return "unknown";
    }

    /** Flink 2 reads no other; Flink 1.20 reads lines without quotes from the older one only. */
    String configurationFile() throws IOException {
        return version().startsWith("1.") ? "flink-conf.yaml" : "config.yaml";
    }

    public Path plugins() {
        return directory.resolve("plugins");
    }

    /**
     * Every jar of {@code lib/} by name, {@code flink-dist} last: what decides whose class wins.
     */
    public String classPath() throws IOException {
        List<Path> jars = new ArrayList<>();
        Path dist = null;
        for (Path jar : entries(lib())) {
            String name = jar.getFileName().toString();
            if (name.startsWith("flink-dist")) {
                dist = jar;
            } else if (name.endsWith(".jar")) {
                jars.add(jar);
            }
        }
        if (dist != null) {
            jars.add(dist);
        }
        return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /** Our jar in {@code lib/}. */
    Path ourJar() throws IOException {
        return requireJar(lib(), jar -> jar.startsWith(OUR_JAR), OUR_JAR + "*.jar");
    }

    /** The class path of what Flink's scripts ask before they start a JVM. */
    String scriptToolsClassPath() throws IOException {
        Path tools = directory.resolve(SCRIPT_TOOLS);
        return Files.exists(tools) ? tools + File.pathSeparator + classPath() : classPath();
    }

    private static Path requireJar(Path folder, Predicate<String> wanted, String description)
            throws IOException {
        if (Files.isDirectory(folder)) {
            for (Path entry : entries(folder)) {
                if (wanted.test(entry.getFileName().toString())) {
                    return entry;
                }
            }
        }
        throw new NoSuchFileException(
                folder.toString(), null, "a Flink home has " + description + " here");
    }

    private static List<Path> entries(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            List<Path> sorted = entries.collect(Collectors.toList());
            sorted.sort(Comparator.comparing(path -> path.getFileName().toString()));
            return Collections.unmodifiableList(sorted);
        }
    }

    private static void linkIfPresent(Path from, Path to, String file) throws IOException {
        if (Files.exists(from.resolve(file))) {
            Files.createDirectories(to.resolve(file).getParent());
            link(to.resolve(file), from.resolve(file));
        }
    }

    private static Path linkIn(Path home, String folder, Path target) throws IOException {
        return Files.createDirectories(home.resolve(folder)).resolve(target.getFileName());
    }

    private static void linkAll(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        for (Path entry : entries(from)) {
            link(to.resolve(entry.getFileName()), entry);
        }
    }

    private static void link(Path link, Path target) throws IOException {
        Files.createSymbolicLink(link, target.toAbsolutePath());
    }
}
