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
import java.util.Map;

/**
 * The commands of our jar, run as an operator would: {@code java -jar lib/dstl-changelog-….jar}, in
 * a process of its own. Immutable.
 */
public final class DstlTool {
    private final Path java;
    private final FlinkHome home;
    private final Map<String, String> environment;

    /**
     * @param environment names the directories of one cluster
     */
    DstlTool(Path java, FlinkHome home, Map<String, String> environment) {
        this.java = java;
        this.home = home;
        this.environment = environment;
    }

    /**
     * Runs a command to its end; returns what it printed.
     *
     * @throws IOException with the output, if the exit code isn't 0
     */
    public String run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(java.toString());
        command.add("-jar");
        command.add(home.ourJar().toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
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
}
