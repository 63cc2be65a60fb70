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

import io.dstl.harness.cluster.ProcessStarter.Role;
import io.dstl.harness.net.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Puts together the command line of a cluster process, as Flink's scripts do. Not thread-safe.
 *
 * <p>Does not own the processes it starts.
 */
final class ProcessStarter {
    private final ClusterFiles files;
    private final Path java;
    private final Map<Role, JvmArguments> arguments = new EnumMap<>(Role.class);

    ProcessStarter(ClusterFiles files, Path javaHome) {
        this.files = files;
        this.java = javaHome.resolve("bin").resolve("java");
    }

    /**
     * @param own settings of this process in place of the cluster's
     */
    ServerProcess start(Role role, String name, Map<String, String> own)
            throws IOException, InterruptedException {
        Path log = files.logs().resolve(name + ".log");
        List<String> command = command(role, name, log);
        own.forEach((key, value) -> command.add("-D" + key + "=" + value));
        return ServerProcess.start(name, command, environment(), log);
    }

    /**
     * A program of ours in a process beside the cluster's.
     *
     * @param classes its own, before Flink's libraries on the class path
     * @param arguments those of the JVM, the main class, and those of the program
     */
    ServerProcess startProgram(String name, Path classes, List<String> arguments)
            throws IOException {
        Path log = files.logs().resolve(name + ".log");
        List<String> command = new ArrayList<>();
        command.add(java.toString());
        command.addAll(files.settings().arguments("env.java.opts.all"));
        command.add("-Dlog.file=" + log);
        command.add("-Dlog4j.configurationFile=" + files.logging().toUri());
        command.add("-cp");
        command.add(classes + File.pathSeparator + files.home().classPath());
        command.addAll(arguments);
        return ServerProcess.start(name, command, environment(), log);
    }

    /**
     * Runs a command of our jar to its end, as an operator would: {@code java -jar
     * lib/dstl-changelog-….jar}, in a process of its own; returns what it printed.
     *
     * @throws IOException with the output, if the exit code isn't 0
     */
    String runTool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.addAll(List.of(java.toString(), "-jar", files.home().ourJar().toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment());
        ServerProcess.staysOnThisMachine(builder.environment());
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exit = process.waitFor();
        if (exit != 0) {
            throw new IOException(
                    String.join(" ", command) + " ended with exit code " + exit + ":\n" + output);
        }
        return output;
    }

    private List<String> command(Role role, String name, Path log)
            throws IOException, InterruptedException {
        JvmArguments memory = arguments.get(role);
        if (memory == null) {
            memory = JvmArguments.of(role, java, files.home(), files.conf());
            arguments.put(role, memory);
        }
        List<String> command = new ArrayList<>();
        command.add(java.toString());
        command.addAll(memory.jvm);
        command.addAll(files.settings().arguments("env.java.opts.all"));
        command.addAll(files.settings().arguments(role.jvmOptionsKey()));
        command.add("-Dlog.file=" + log);
        command.add("-Dlog4j.configurationFile=" + files.logging().toUri());
        command.add("-cp");
        command.add(files.home().classPath());
        command.add(role.mainClass);
        command.add("--configDir");
        command.add(files.conf().toString());
        command.addAll(memory.program);
        if (role == Role.TASK_MANAGER) {
            command.add("-Dtaskmanager.resource-id=" + name);
        }
        return command;
    }

    private Map<String, String> environment() {
        return Map.of(
                "FLINK_HOME", files.home().directory().toString(),
                "FLINK_LIB_DIR", files.home().lib().toString(),
                "FLINK_PLUGINS_DIR", files.home().plugins().toString(),
                "FLINK_CONF_DIR", files.conf().toString(),
                "FLINK_LOG_DIR", files.logs().toString());
    }

    /** The two kinds of process of a standalone session cluster. */
    enum Role {
        JOB_MANAGER(
                "JobManager",
                "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
                "GET_JM_RESOURCE_PARAMS",
                "jobmanager"),
        TASK_MANAGER(
                "TaskManager",
                "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
                "GET_TM_RESOURCE_PARAMS",
                "taskmanager");

        private final String title;
        final String mainClass;
        final String resourceCommand;
        private final String optionScope;

        Role(String title, String mainClass, String resourceCommand, String optionScope) {
            this.title = title;
            this.mainClass = mainClass;
            this.resourceCommand = resourceCommand;
            this.optionScope = optionScope;
        }

        /**
         * The setting with this role's own JVM arguments, beside those of {@code
         * env.java.opts.all}.
         */
        String jvmOptionsKey() {
            return "env.java.opts." + optionScope;
        }

        @Override
        public String toString() {
            return title;
        }
    }

    /**
     * What Flink's scripts work out of the configuration before they start a JVM: its memory
     * arguments and the settings that go with them. Immutable.
     *
     * <p>Asks the same class as the scripts do, so that the memory keys mean here what they mean
     * there.
     */
    static final class JvmArguments {
        private static final String TOOL = "org.apache.flink.runtime.util.bash.BashJavaUtils";
        private static final String RESULT = "BASH_JAVA_UTILS_EXEC_RESULT:";

        /** Before the main class. */
        final List<String> jvm;

        /** After the main class. */
        final List<String> program;

        private JvmArguments(List<String> jvm, List<String> program) {
            this.jvm = jvm;
            this.program = program;
        }

        /** The arguments of a JVM of that role under the configuration in {@code conf}. */
        static JvmArguments of(Role role, Path java, FlinkHome home, Path conf)
                throws IOException, InterruptedException {
            Process tool =
                    new ProcessBuilder(
                                    java.toString(),
                                    "-cp",
                                    home.scriptToolsClassPath(),
                                    TOOL,
                                    role.resourceCommand,
                                    "--configDir",
                                    conf.toString())
                            .redirectErrorStream(true)
                            .start();
            String output =
                    new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exit = tool.waitFor();
            List<String> results = results(output);
            if (exit != 0 || results.size() != 2) {
                throw new IOException(
                        String.format(
                                Locale.ROOT,
                                "%s finds no memory layout for the %s in %s (exit code %d):%n%s",
                                TOOL,
                                role,
                                conf,
                                exit,
                                output));
            }
            return new JvmArguments(words(results.get(0)), words(results.get(1)));
        }

        private static List<String> results(String output) {
            List<String> results = new ArrayList<>();
            for (String line : output.split("\\R")) {
                if (line.startsWith(RESULT)) {
                    results.add(line.substring(RESULT.length()));
                }
            }
            return results;
        }

        private static List<String> words(String line) {
            return line.isBlank() ? List.of() : List.of(line.trim().split("\\s+"));
        }
    }
}
