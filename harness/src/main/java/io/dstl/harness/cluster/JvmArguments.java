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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What Flink's scripts work out of the configuration before they start a JVM: its memory arguments
 * and the settings that go with them. Immutable.
 *
 * <p>Asks the same class as the scripts do, so that the memory keys mean here what they mean there.
 */
final class JvmArguments {
    private static final String TOOL = "org.apache.flink.runtime.util.bash.BashJavaUtils";
    private static final String RESULT = "BASH_JAVA_UTILS_EXEC_RESULT:";

    private final List<String> jvm;
    private final List<String> program;

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
                                role.resourceCommand(),
                                "--configDir",
                                conf.toString())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
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

    /** Before the main class. */
    List<String> jvm() {
        return jvm;
    }

    /** After the main class. */
    List<String> program() {
        return program;
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
