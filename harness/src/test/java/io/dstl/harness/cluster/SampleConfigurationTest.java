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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.harness.cluster.ClusterFiles.FlinkSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sample that users copy, read by Flink itself. */
class SampleConfigurationTest {
    private static final Path SAMPLE = Path.of("..", "conf", "flink-conf.yaml");

    /** The same for Flink 2. */
    private static final Path NESTED = Path.of("..", "conf", "config.yaml");

    /** A key and its value, of a word or two, behind a comment sign. */
    private static final Pattern COMMENTED_OUT =
            Pattern.compile("(?m)^( *)# ([a-z0-9]+[.-][a-z0-9.-]*: \\S+( \\S+)?)$");

    @TempDir Path directory;

    private Configuration flink;

    @BeforeEach
    void readWithFlink() throws IOException {
        Files.copy(SAMPLE, directory.resolve("flink-conf.yaml"));
        flink = GlobalConfiguration.loadConfiguration(directory.toString());
    }

    @Test
    void turnsTheChangelogOn() {
        assertThat(flink.get(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG)).isTrue();
        assertThat(flink.get(StateChangelogOptions.STATE_CHANGE_LOG_STORAGE))
                .isEqualTo("filesystem");
        assertThat(flink.get(StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL))
                .isEqualTo(Duration.ofMinutes(10));
        assertThat(flink.toMap()).containsKey("dstl.dfs.base-path");
    }

    @Test
    void checkpointsIncrementallyEverySecondAndKeepsTheLast() {
        assertThat(flink.get(StateBackendOptions.STATE_BACKEND)).isEqualTo("rocksdb");
        assertThat(flink.get(CheckpointingOptions.INCREMENTAL_CHECKPOINTS)).isTrue();
        assertThat(flink.get(CheckpointingOptions.CHECKPOINTING_INTERVAL))
                .isEqualTo(Duration.ofSeconds(1));
        assertThat(flink.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY)).startsWith("s3://");
        assertThat(flink.get(CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION).name())
                .isEqualTo("RETAIN_ON_CANCELLATION");
    }

    @Test
    void givesATaskManagerThatFlinkCanStart() {
        TaskExecutorProcessSpec memory = TaskExecutorProcessUtils.processSpecFromConfig(flink);

        assertThat(memory.getTotalProcessMemorySize())
                .isEqualTo(flink.get(TaskManagerOptions.TOTAL_PROCESS_MEMORY));
        assertThat(memory.getManagedMemorySize().getBytes()).isPositive();
    }

    @Test
    void opensWhatFlinkNeedsOfJava17() throws IOException {
        assertThat(FlinkSettings.read(SAMPLE).arguments("env.java.opts.all"))
                .contains("--add-opens=java.base/java.util=ALL-UNNAMED")
                .allMatch(argument -> argument.startsWith("--add-"));
    }

    @Test
    void saysTheSameToFlink2() throws IOException {
        assertThat(flink.toMap()).isNotEmpty();
        assertThat(loaded("config.yaml", Files.readString(NESTED))).isEqualTo(flink.toMap());
    }

    @Test
    void saysTheSameToFlink2OfWhatIsCommentedOut() throws IOException {
        Map<String, String> nested = loaded("config.yaml", withComments(NESTED));

        assertThat(nested)
                .containsKeys(
                        "state.changelog.replay.bulk.enabled",
                        "dstl.dfs.upload.timeout",
                        "execution.checkpointing.data-inline-threshold")
                .isEqualTo(loaded("flink-conf.yaml", withComments(SAMPLE)));
    }

    private Map<String, String> loaded(String name, String text) throws IOException {
        Path alone = Files.createDirectory(directory.resolve("only-" + name));
        Files.writeString(alone.resolve(name), text);
        return GlobalConfiguration.loadConfiguration(alone.toString()).toMap();
    }

    private static String withComments(Path file) throws IOException {
        return COMMENTED_OUT.matcher(Files.readString(file)).replaceAll("$1$2");
    }

    @Test
    void isReadByTheHarnessAsByFlink() throws IOException {
        FlinkSettings ours = FlinkSettings.read(SAMPLE);

        assertThat(flink.toMap()).isNotEmpty();
        flink.toMap().forEach((key, value) -> assertThat(ours.get(key)).as(key).contains(value));
    }
}
