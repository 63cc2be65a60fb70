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
package io.dstl.changelog.keyed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.testing.KeyedTask;
import io.dstl.fs.DstlStorage;
import io.dstl.fs.DstlStorageFactory;
import io.dstl.fs.backup.LogBackup;
import java.io.File;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.TestTaskStateManager;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageFactory;
import org.apache.flink.util.ChildFirstClassLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a task has of the storage that Flink gives it. */
class TaskStorageTest {
    private final JobID job = new JobID();
    @TempDir private Path root;

    private Environment task(StateChangelogStorage<?> storage) {
        LocalRecoveryConfig local = new TestLocalDisk(root, job, new OperatorID()).config(0);
        return new MockEnvironmentBuilder()
                .setTaskStateManager(
                        new TestTaskStateManager() {
                            @Override
                            public StateChangelogStorage<?> getStateChangelogStorage() {
                                return storage;
                            }

                            @Override
                            public LocalRecoveryConfig createLocalRecoveryConfig() {
                                return local;
                            }
                        })
                .build();
    }

    /** Flink keeps for the job what it was given first; only ours has backups. */
    @Test
    void aStorageThatCanWorkLaterIsOurs() throws Exception {
        Configuration configuration = new Configuration();
        StateChangelogStorage<?> ofJob =
                new DstlStorageFactory()
                        .createStorage(
                                job,
                                configuration,
                                UnregisteredMetricGroups
                                        .createUnregisteredTaskManagerJobMetricGroup(),
                                LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED);
        assertThatThrownBy(() -> TaskStorage.of(task(ofJob)))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("base-path is not set");

        configuration.setString(
                "state.changelog.dstl.dfs.base-path", root.resolve("log").toUri().toString());
        try (LogBackup backup = TaskStorage.of(task(ofJob)).openBackup()) {
            assertThat(backup.isKept()).isTrue();
        }
        ofJob.close();
    }

    /** It would refuse Flink's own backend, which has local state without the log then. */
    @Test
    void aStorageOfOurPluginGivesALogToOurBackendAlsoWithLocalRecovery() throws Exception {
        Configuration configuration = KeyedTask.logIn(root);
        KeyGroupRange keyGroups = KeyGroupRange.of(0, 9);
        try (ChildFirstClassLoader plugin = pluginLoader();
                StateChangelogStorage<?> ofPlugin = storageOf(plugin, configuration)) {
            assertThat(ofPlugin).isNotInstanceOf(DstlStorage.class);
            Environment task = task(ofPlugin);
            assertThatThrownBy(
                            () ->
                                    ofPlugin.createWriter(
                                            "op", keyGroups, task.getMainMailboxExecutor()))
                    .isInstanceOf(IllegalConfigurationException.class)
                    .hasMessageContaining("execution.state-recovery.from-local or");

            TaskStorage.of(task).createWriter("op", keyGroups, LogBackup.NONE).close();
        }
    }

    /** As Flink loads a plugin: with classes of its own for all but Flink and the JDK. */
    private static ChildFirstClassLoader pluginLoader() throws Exception {
        List<URL> classPath = new ArrayList<>();
        for (String part : System.getProperty("java.class.path").split(File.pathSeparator)) {
            classPath.add(Path.of(part).toUri().toURL());
        }
        return new ChildFirstClassLoader(
                classPath.toArray(new URL[0]),
                TaskStorageTest.class.getClassLoader(),
                new String[] {"java.", "org.apache.flink.", "org.slf4j."},
                failed -> {});
    }

    private StateChangelogStorage<?> storageOf(ClassLoader plugin, Configuration configuration)
            throws Exception {
        return ((StateChangelogStorageFactory)
                        plugin.loadClass(DstlStorageFactory.class.getName())
                                .getConstructor()
                                .newInstance())
                .createStorage(
                        job,
                        configuration,
                        UnregisteredMetricGroups.createUnregisteredTaskManagerJobMetricGroup(),
                        new TestLocalDisk(root, job, new OperatorID()).config(0));
    }
}
