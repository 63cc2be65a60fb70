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
    private final String mainClass;
    private final String resourceCommand;
    private final String optionScope;

    Role(String title, String mainClass, String resourceCommand, String optionScope) {
        this.title = title;
        this.mainClass = mainClass;
        this.resourceCommand = resourceCommand;
        this.optionScope = optionScope;
    }

    String mainClass() {
        return mainClass;
    }

    String resourceCommand() {
        return resourceCommand;
    }

    /**
     * The setting with this role's own JVM arguments, beside those of {@code env.java.opts.all}.
     */
    String jvmOptionsKey() {
        return "env.java.opts." + optionScope;
    }

    @Override
    public String toString() {
        return title;
    }
}
