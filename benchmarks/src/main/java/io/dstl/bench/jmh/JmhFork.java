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

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dstl.bench.report.Samples;
import io.dstl.bench.run.BenchPaths;
import io.dstl.bench.run.Variant;
import io.dstl.harness.cluster.FlinkHome;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** One benchmark in one forked JVM, from its start to its end. */
final class JmhFork {
    private static final String MAIN = "org.openjdk.jmh.Main";
    private static final String PACKAGE = "io.dstl.bench.micro.";

    private final ForkEnvironment environment;
    private final Variant variant;
    private final List<String> arguments = new ArrayList<>();
    private int operations = 1;

    /**
     * @param benchmark the simple name of its class
     */
    JmhFork(ForkEnvironment environment, Variant variant, String benchmark) {
        this.environment = environment;
        this.variant = variant;
        arguments.add((PACKAGE + benchmark).replace(".", "\\."));
        arguments.addAll(List.of("-f", "1", "-foe", "true", "-prof", "gc"));
        with("changelog", Boolean.toString(variant.changelog()));
    }

    JmhFork lasting(List<String> scale) {
        arguments.addAll(scale);
        return this;
    }

    /** Its invocations are of so many operations. */
    JmhFork batched(int size) {
        operations = size;
        return with("batch", Integer.toString(size));
    }

    JmhFork with(String parameter, String value) {
        arguments.addAll(List.of("-p", parameter + "=" + value));
        return this;
    }

    JmhFork with(Map<String, String> parameters) {
        parameters.forEach(this::with);
        return this;
    }

    /**
     * Starts it.
     *
     * @param name of its files in the run's directory, unique in a run
     * @param options of the JVM, besides
     */
    Running start(String name, List<String> options) throws IOException {
        Path run = Files.createDirectories(environment.paths().run().resolve("jmh"));
        Path found = run.resolve(name + ".json");
        Path loaded = run.resolve(name + ".loaded");
        Path log = run.resolve(name + ".log");
        List<String> command = environment.java(variant);
        // JMH hands the options of its own JVM on to the fork.
        command.add(command.indexOf("-cp"), "-Ddstl.bench.loaded=" + loaded);
        command.addAll(command.indexOf("-cp"), options);
        command.add(MAIN);
        command.addAll(arguments);
        command.addAll(List.of("-rf", "json", "-rff", found.toString()));
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        return new Running(process, found, loaded, log);
    }

    /** One that was started. To be closed, which ends it. */
    final class Running implements AutoCloseable {
        private final Process process;
        private final Path found;
        private final Path loaded;
        private final Path log;

        private Running(Process process, Path found, Path loaded, Path log) {
            this.process = process;
            this.found = found;
            this.loaded = loaded;
            this.log = log;
        }

        /** Does something if it fails, on another thread. */
        void ifFailed(Runnable action) {
            process.onExit()
                    .thenAccept(
                            ended -> {
                                if (ended.exitValue() != 0) {
                                    action.run();
                                }
                            });
        }

        /** Waits for its end. */
        Result result() throws IOException, InterruptedException {
            if (process.waitFor() != 0) {
                throw new IOException("JMH failed: see " + log);
            }
            JsonNode json = new ObjectMapper().readTree(found.toFile()).path(0);
            return new Result(json, read(loaded), operations);
        }

        @Override
        public void close() {
            process.destroy();
        }
    }

    private static Map<String, String> read(Path loaded) throws IOException {
        Map<String, String> classes = new TreeMap<>();
        if (Files.exists(loaded)) {
            Properties properties = new Properties();
            try (Reader in = Files.newBufferedReader(loaded, StandardCharsets.UTF_8)) {
                properties.load(in);
            }
            properties
                    .stringPropertyNames()
                    .forEach(role -> classes.put(role, properties.getProperty(role)));
        }
        return classes;
    }

    /** What it found. */
    static final class Result {
        private final JsonNode json;
        private final Map<String, String> loaded;
        private final int operations;

        /**
         * @param operations in an invocation of the benchmark
         */
        Result(JsonNode json, Map<String, String> loaded, int operations) {
            this.json = json;
            this.loaded = loaded;
            this.operations = operations;
        }

        /** By its role: the classes that did the work, and their jars. */
        Map<String, String> loaded() {
            return loaded;
        }

        /**
         * Of the iterations, an operation in the benchmark's unit: what else the machine does while
         * some of them run does not count.
         */
        double median() {
            return Samples.median(iterations().toArray());
        }

        /**
         * Over all of the iterations, an operation in the benchmark's unit: for iterations that
         * differ in a way of their own, from the first to the last, and the same way each time.
         */
        double mean() {
            return iterations().average().orElseThrow();
        }

        private DoubleStream iterations() {
            return StreamSupport.stream(json.at("/primaryMetric/rawData/0").spliterator(), false)
                    .mapToDouble(invocation -> invocation.doubleValue() / operations);
        }

        /** Allocated by all threads, per operation. */
        double allocated() {
            return number(secondary("gc.alloc.rate.norm"), "score") / operations;
        }

        /** Sum of a counter over all iterations. */
        double sum(String counter) {
            double sum = 0;
            for (JsonNode fork : secondary(counter).path("rawData")) {
                for (JsonNode iteration : fork) {
                    sum += iteration.doubleValue();
                }
            }
            return sum;
        }

        /** How many operations a benchmark of single shots has measured. */
        int shots() {
            int shots = 0;
            for (JsonNode fork : json.path("primaryMetric").path("rawData")) {
                shots += fork.size();
            }
            return shots;
        }

        private JsonNode secondary(String metric) {
            JsonNode found = json.path("secondaryMetrics").path(metric);
            if (found.isMissingNode()) {
                throw new IllegalStateException("JMH has reported no " + metric);
            }
            return found;
        }

        private static double number(JsonNode metric, String field) {
            JsonNode value = metric.path(field);
            if (!value.isNumber()) {
                throw new IllegalStateException("JMH has reported no number: " + metric);
            }
            return value.doubleValue();
        }
    }

    /**
     * The JVM of each variant: the class path of a Flink home, with our jar or with Flink's own
     * changelog, as for the storage benchmark's clusters, and behind it the benchmarks and JMH.
     * Flink's two doors have the same names in both, so that no JVM can have both variants.
     */
    static final class ForkEnvironment {
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
            FlinkHome ours = paths.flinkHome();
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
}
