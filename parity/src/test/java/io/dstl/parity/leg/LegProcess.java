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
package io.dstl.parity.leg;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dstl.parity.job.StateReading;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.PluginManager;
import org.apache.flink.core.plugin.PluginUtils;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageLoader;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.PropertyAccessor;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A JVM of its own with the class path of a Flink and a flavour. Legs run in it one after the
 * other, which saves its start for most of them.
 *
 * <p>For each leg the test writes two lines: the file for the result and the leg as JSON. {@link
 * Main} answers with the name of the file when the result is in it.
 *
 * <p>Not safe for use by several threads.
 */
final class LegProcess implements AutoCloseable {

    /** Field by field; one line for each object. */
    static final ObjectMapper JSON =
            new ObjectMapper()
                    .setVisibility(PropertyAccessor.ALL, Visibility.NONE)
                    .setVisibility(PropertyAccessor.FIELD, Visibility.ANY)
                    .setVisibility(PropertyAccessor.CREATOR, Visibility.ANY);

    private final Path log;
    private final Process process;
    private final PrintWriter legs;
    private final BufferedReader answers;

    private LegProcess(Path log, Process process) {
        this.log = log;
        this.process = process;
        this.legs = new PrintWriter(new OutputStreamWriter(process.getOutputStream(), UTF_8), true);
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    }

    /**
     * @param schema the version of the schema job's types on the class path, or null
     */
    static LegProcess start(String name, Flink flink, Flavour flavour, String schema)
            throws IOException {
        Path directory = Path.of(Flavour.property("parity.directory"), "processes", name);
        Path plugins = Files.createDirectories(directory.resolve("plugins"));
        if (flavour.hasPlugin()) {
            Path plugin = Files.createDirectories(plugins.resolve("dstl-fs"));
            Files.copy(
                    Flavour.pluginJar(),
                    plugin.resolve("dstl-fs.jar"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        List<String> classPath = new ArrayList<>(flavour.jars(flink));
        if (schema != null) {
            classPath.add(compileSchema(schema, directory.resolve("classes")).toString());
        }
        Path log = directory.resolve("log");
        ProcessBuilder builder =
                new ProcessBuilder(command(flink, classPath))
                        .redirectError(ProcessBuilder.Redirect.to(log.toFile()));
        builder.environment().put("FLINK_PLUGINS_DIR", plugins.toString());
        return new LegProcess(log, builder.start());
    }

    /** Of a version of the schema job: all versions have their classes by one name. */
    private static Path compileSchema(String version, Path classes) throws IOException {
        Path source = Files.createDirectories(classes).resolve("Account.java");
        String resource = "/io/dstl/parity/schema/Account." + version + ".java.txt";
        try (InputStream in = LegProcess.class.getResourceAsStream(resource)) {
            Files.copy(in, source, StandardCopyOption.REPLACE_EXISTING);
        }
        String[] arguments = {
            "--release", "11", "-proc:none", "-d", classes.toString(), source.toString()
        };
        int failed = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments);
        if (failed != 0) {
            throw new IllegalStateException("Cannot compile " + resource);
        }
        return classes;
    }

    private static List<String> command(Flink flink, List<String> jars) throws IOException {
        List<String> classPath = new ArrayList<>(jars);
        classPath.add(flink.classes().toString());
        classPath.add(flink.classPath());
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(Arrays.asList(Flavour.property("parity.jvm.args").trim().split("\\s+")));
        command.add("-Xmx768m");
        command.add("-XX:+UseSerialGC");
        // Standard output is for the answers.
        command.add("-XX:+DisplayVMOutputToStderr");
        command.add("-Xlog:disable");
        command.add("-Xlog:all=warning:stderr");
        command.add("-cp");
        command.add(String.join(File.pathSeparator, classPath));
        command.add(Main.class.getName());
        return command;
    }

    /** Runs a leg to its end, which may be a failure. */
    LegResult run(Leg leg) throws IOException {
        Path file = Files.createTempFile(Path.of(leg.directory), "result", ".json");
        legs.println(file);
        legs.println(JSON.writeValueAsString(leg));
        String answer = answers.readLine();
        if (!file.toString().equals(answer)) {
            throw new IOException("The process ended or said '" + answer + "': see " + log);
        }
        return JSON.readValue(file.toFile(), LegResult.class);
    }

    @Override
    public void close() {
        legs.close();
        process.destroy();
    }

    /** The other end: what the process runs. */
    static final class Main {

        private static final Logger LOG = LoggerFactory.getLogger(Main.class);

        private Main() {}

        public static void main(String[] args) throws Exception {
            PluginManager plugins =
                    PluginUtils.createPluginManagerFromRootFolder(new Configuration());
            FileSystem.initialize(new Configuration(), plugins);
            StateChangelogStorageLoader.initialize(plugins);
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
            PrintStream answers = System.out;
            System.setOut(System.err);
            for (String file = in.readLine(); file != null; file = in.readLine()) {
                String leg = in.readLine();
                LegResult result = run(JSON.readValue(leg, Leg.class), plugins);
                JSON.writeValue(new File(file), result);
                answers.println(file);
            }
        }

        private static LegResult run(Leg leg, PluginManager plugins) throws IOException {
            if (leg.reads) {
                return read(leg, plugins);
            }
            try (LegRun run = new LegRun(leg, plugins)) {
                return run.run();
            } catch (Exception e) {
                LegResult failed = new LegResult();
                failed.error = chain(e);
                LOG.info("The leg has failed", e);
                return failed;
            }
        }

        private static LegResult read(Leg leg, PluginManager plugins) {
            LegResult result = new LegResult();
            Configuration configuration = leg.configuration();
            try (LegCluster cluster = new LegCluster(configuration, 1, leg.parallelism, plugins)) {
                StreamExecutionEnvironment env =
                        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
                StateReading.build(env, leg.restorePath, leg.options.get("state.backend.type"));
                cluster.submit(env.getStreamGraph().getJobGraph())
                        .get()
                        .toJobExecutionResult(Main.class.getClassLoader());
                result.content = StateReading.content();
            } catch (Exception e) {
                result.error = chain(e);
                LOG.info("Reading has failed", e);
            }
            return result;
        }

        private static String chain(Throwable thrown) {
            return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause)
                    .map(Throwable::toString)
                    .collect(Collectors.joining("\n"));
        }
    }
}
