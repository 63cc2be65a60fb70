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
package io.dstl.bench.jmh;

import io.dstl.bench.run.BenchPaths;
import io.dstl.bench.run.Variant;
import io.dstl.harness.cluster.FlinkHome;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The JVM of each variant: the class path of a Flink home, with our jar or with Flink's own
 * changelog, as for the storage benchmark's clusters, and behind it the benchmarks and JMH. Flink's
 * two doors have the same names in both, so that no JVM can have both variants.
 */
final class ForkEnvironment {
    private static final String JVM_OPTIONS = "env.java.opts.all:";

    private final BenchPaths paths;
    private final Map<Variant, String> classPaths = new EnumMap<>(Variant.class);

    ForkEnvironment(BenchPaths paths) {
        this.paths = paths;
    }

    BenchPaths paths() {
        return paths;
    }

    /** The start of a command line, up to the main class. */
    List<String> java(Variant variant) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(paths.javaHome().resolve("bin/java").toString());
        command.addAll(flinkOptions());
        command.add("-Xmx2g");
        command.add("-Djava.io.tmpdir=" + Files.createDirectories(paths.run().resolve("tmp")));
        command.add("-cp");
        command.add(classPath(variant));
        return command;
    }

    private String classPath(Variant variant) throws IOException {
        String known = classPaths.get(variant);
        if (known == null) {
            Path micro = paths.microBenchmarks();
            known =
                    String.join(
                            File.pathSeparator,
                            home(variant).classPath(),
                            micro.resolve("classes").toString(),
                            Files.readString(micro.resolve("classpath")).trim());
            classPaths.put(variant, known);
        }
        return known;
    }

    private FlinkHome home(Variant variant) throws IOException {
        FlinkHome ours = FlinkHome.at(paths.flinkHome());
        return variant == Variant.DSTL
                ? ours
                : ours.withoutOurs(paths.run().resolve("flink-home-" + variant.label()));
    }

    /** What Flink wants of a JVM from 17 on, as a cluster is told. */
    private List<String> flinkOptions() throws IOException {
        try (Stream<String> lines =
                Files.lines(paths.sampleConfiguration(), StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.startsWith(JVM_OPTIONS))
                    .map(line -> line.substring(JVM_OPTIONS.length()).trim())
                    .map(options -> List.of(options.split("\\s+")))
                    .findFirst()
                    .orElseThrow(
                            () ->
                                    new IOException(
                                            paths.sampleConfiguration()
                                                    + " has no "
                                                    + JVM_OPTIONS
                                                    + " line"));
        }
    }
}
