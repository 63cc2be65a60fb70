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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
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

    FlinkProcess start(Role role, String name) throws IOException, InterruptedException {
        return start(role, name, Map.of());
    }

    /**
     * @param own settings of this process in place of the cluster's
     */
    FlinkProcess start(Role role, String name, Map<String, String> own)
            throws IOException, InterruptedException {
        Path log = files.logs().resolve(name + ".log");
        List<String> command = command(role, name, log);
        own.forEach((key, value) -> command.add("-D" + key + "=" + value));
        return FlinkProcess.start(name, command, environment(), log);
    }

    DstlTool tool() {
        return new DstlTool(java, files.home(), environment());
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
        command.addAll(memory.jvm());
        command.addAll(files.settings().arguments("env.java.opts.all"));
        command.addAll(files.settings().arguments(role.jvmOptionsKey()));
        command.add("-Dlog.file=" + log);
        command.add("-Dlog4j.configurationFile=" + files.logging().toUri());
        command.add("-cp");
        command.add(files.home().classPath());
        command.add(role.mainClass());
        command.add("--configDir");
        command.add(files.conf().toString());
        command.addAll(memory.program());
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
}
