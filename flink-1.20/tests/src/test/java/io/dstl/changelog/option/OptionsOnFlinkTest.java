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
package io.dstl.changelog.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user sees of wrong options, on a real Flink: one error or one warning at the start. */
@Tag("own-jvm")
class OptionsOnFlinkTest {
    private static final String INTERVAL = "execution.checkpointing.interval";
    private static final String BASE_PATH = "state.changelog.dstl.dfs.base-path";

    @TempDir Path directory;

    private final Configuration cluster = new Configuration();
    private final Configuration job = new Configuration();
    private CapturedLog log;

    @BeforeEach
    void captureTheLog() {
        cluster.setString("state.changelog.enabled", "true");
        cluster.setString("state.changelog.storage", "filesystem");
        cluster.setString(BASE_PATH, directory.resolve("log").toUri().toString());
        cluster.setString("restart-strategy.type", "fixed-delay");
        cluster.setString("restart-strategy.fixed-delay.delay", "1 ms");
        job.setString(INTERVAL, "20 ms");
        log = new CapturedLog();
    }

    @AfterEach
    void release() {
        log.close();
    }

    @Test
    void aGoodStartWarnsOfNothing() throws Exception {
        new SmallJob(cluster, job).run(4, true);

        assertThat(log.warnings()).isEmpty();
        assertThat(log.texts())
                .filteredOn(text -> text.contains("stores the changelog of job"))
                .hasSize(1);
    }

    @Test
    void withoutABasePathAJobWithAChangelogFailsAtItsStart() {
        cluster.removeKey(BASE_PATH);
        cluster.setString("restart-strategy.type", "none");

        assertThatThrownBy(() -> new SmallJob(cluster, job).run())
                .rootCause()
                .hasMessageContaining(BASE_PATH + " is not set")
                .hasMessageContaining("Set it to a directory");
    }

    @Test
    void withoutABasePathAJobThatTurnsTheChangelogOnFailsAtItsStart() {
        cluster.removeKey(BASE_PATH);
        cluster.setString("state.changelog.enabled", "false");
        cluster.setString("restart-strategy.type", "none");
        job.setString("state.changelog.enabled", "true");

        assertThatThrownBy(() -> new SmallJob(cluster, job).run())
                .rootCause()
                .hasMessageContaining(BASE_PATH + " is not set");
    }

    /** With Flink's own storage it fails. */
    @Test
    void withoutABasePathAJobWithoutAChangelogRuns() throws Exception {
        cluster.removeKey(BASE_PATH);
        cluster.setString("state.changelog.enabled", "false");

        new SmallJob(cluster, job).run();

        // The storage of the test before may still delete; one of this would be opened by a task.
        assertThat(log.texts()).filteredOn(text -> !text.contains(" dstl-")).isEmpty();
    }

    /** So it can be turned off for a job that is to run at once. */
    @Test
    void withoutABasePathAJobThatTurnsTheChangelogOffRuns() throws Exception {
        cluster.removeKey(BASE_PATH);
        job.setString("state.changelog.enabled", "false");

        new SmallJob(cluster, job).run();

        assertThat(log.warnings()).isEmpty();
    }

    @Test
    void aSchemeWithoutAPluginFailsAtTheStart() {
        cluster.setString(BASE_PATH, "s3://bucket/log");
        cluster.setString("restart-strategy.type", "none");

        assertThatThrownBy(() -> new SmallJob(cluster, job).run())
                .satisfies(
                        failure ->
                                assertThat(ExceptionUtils.stringifyException(failure))
                                        .contains(BASE_PATH + " is s3://bucket/log")
                                        .contains("plugins/"));
    }

    @Test
    void aStorageThatThereIsNotFailsAtTheStart() {
        cluster.setString("state.changelog.storage", "filesytem");
        cluster.setString("restart-strategy.type", "none");

        assertThatThrownBy(() -> new SmallJob(cluster, job).run())
                .rootCause()
                .hasMessageContaining("state.changelog.storage is filesytem")
                .hasMessageContaining("Set it to filesystem");
    }

    @Test
    void aNegativeNumberOfFailuresFailsAtTheStart() {
        job.setString("state.changelog.max-failures-allowed", "-1");
        cluster.setString("restart-strategy.type", "none");

        assertThatThrownBy(() -> new SmallJob(cluster, job).run())
                .rootCause()
                .hasMessageContaining("state.changelog.max-failures-allowed is -1")
                .hasMessageContaining("set it to 0");
    }

    /** The pause between two materializations by size goes by it. */
    @Test
    void theCheckpointIntervalOfAProgramReachesItsTasks() {
        StreamExecutionEnvironment program =
                StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
        program.enableCheckpointing(1234);
        program.fromSequence(1, 3).print();

        Configuration ofTasks = program.getStreamGraph().getJobGraph().getJobConfiguration();
        assertThat(ofTasks.getOptional(CheckpointingOptions.CHECKPOINTING_INTERVAL))
                .contains(Duration.ofMillis(1234));
    }

    @Test
    void memoryStorageIsWarnedOfOnceForAllTasksAndRestarts() throws Exception {
        cluster.removeKey("state.changelog.storage");

        new SmallJob(cluster, job).run(4, true);

        assertThat(log.warnings())
                .singleElement()
                .asString()
                .contains("state.changelog.storage is memory")
                .contains("Set it to filesystem");
    }

    @Test
    void aBatchJobHasNoChangelogAndNeverComesToUs() throws Exception {
        job.setString("execution.runtime-mode", "BATCH");

        new SmallJob(cluster, job).run();

        assertThat(log.texts())
                .noneMatch(text -> text.contains("stores the changelog"))
                .noneMatch(text -> text.contains("changelog on"));
    }

    @Test
    void aBatchJobOnAStreamingBackendIsWarnedOf() throws Exception {
        job.setString("execution.runtime-mode", "BATCH");
        job.setString("execution.batch-state-backend.enabled", "false");
        job.setString("execution.sorted-inputs.enabled", "false");
        job.removeKey(INTERVAL);

        new SmallJob(cluster, job).run();

        assertThat(log.warnings())
                .singleElement()
                .asString()
                .contains("the job takes no checkpoints")
                .contains("Set " + INTERVAL);
    }

    @Test
    void eachKeyWithoutEffectIsWarnedOfOnceForAllTasksAndRestarts() throws Exception {
        cluster.setString("dstl.dfs.upload.tiemout", "1 s");
        cluster.setString("dstl.dfs.upload.max-attempts", "4");
        cluster.setString("state.changelog.dstl.dfs.upload.max-attempts", "5");
        cluster.setString("state.changelog.periodic-materialise.interval", "1 min");
        job.setString("state.changelog.storage", "memory");
        job.setString("state.changelog.dstl.dfs.compression.enabled", "true");
        job.setString("state.changelog.periodic-materialize.interval", "10 ms");
        cluster.setString("state.changelog.max-failures-allowed", "5");
        job.setString("state.changelog.max-failures-allowed", "5");
        job.setString("state.backend.changelog.max-failures-allowed", "9");

        new SmallJob(cluster, job).run(4, true);

        assertThat(log.warnings()).hasSize(7);
        assertThat(log.warnings())
                .anyMatch(text -> text.contains("upload.tiemout is 1 s: there is no such key"))
                .anyMatch(text -> text.contains("upload.max-attempts is 4: it has no effect"))
                .anyMatch(text -> text.contains("Did you mean state.changelog.periodic-mat"))
                .anyMatch(text -> text.contains("storage is memory: it has no effect for a job"))
                .anyMatch(text -> text.contains("compression.enabled is true: it has no effect"))
                .anyMatch(text -> text.contains("interval is 10 ms: it is less than " + INTERVAL))
                .anyMatch(text -> text.contains("failures-allowed is 9: it has no effect, as it"));
    }
}
