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

import io.dstl.changelog.bulk.BulkSettings;
import java.time.Duration;
import java.util.OptionalDouble;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.util.TestingTaskManagerRuntimeInfo;
import org.junit.jupiter.api.Test;

class ReplayOptionsTest {
    private final Configuration options = new Configuration();

    @Test
    void replaysInBulkUnlessToldOtherwise() {
        assertThat(settings(2).isEnabled()).isTrue();
        assertThat(settings(2).memoryBytes()).isEqualTo(128L << 20);

        options.setString("state.changelog.replay.bulk.enabled", "false");
        assertThat(settings(2).isEnabled()).isFalse();
    }

    @Test
    void takesTheProcessorsOfItsSlot() {
        assertThat(settings(4).threads()).isEqualTo(4);
        assertThat(settings(0).threads()).isOne();
    }

    /** A client's file has as many as its machine may have, or one. */
    @Test
    void theSlotsAreThoseOfTheTaskManager() {
        int processors = Runtime.getRuntime().availableProcessors();
        MockEnvironment env = environment();
        env.getJobConfiguration().setString("taskmanager.numberOfTaskSlots", "1000");
        assertThat(ReplayOptions.bulk(env).threads()).isEqualTo(processors);

        options.setString("taskmanager.numberOfTaskSlots", Integer.toString(2 * processors));
        MockEnvironment shared = environment();
        shared.getJobConfiguration().setString("taskmanager.numberOfTaskSlots", "1");
        assertThat(ReplayOptions.bulk(shared).threads()).isOne();
    }

    @Test
    void takesWhatMemoryItNeedsAtLeast() {
        options.setString("state.changelog.replay.bulk.max-memory", "20 mb");
        assertThat(settings(1).memoryBytes()).isEqualTo(20L << 20);

        options.setString("state.changelog.replay.bulk.max-memory", "1 kb");
        assertThat(settings(1).memoryBytes()).isEqualTo(1L << 20);
    }

    /** The JobManager goes by what the client has put into the job. */
    @Test
    void aCheckpointTimesOutAsTheJobSays() {
        options.setString("execution.checkpointing.timeout", "2 min");
        MockEnvironment env = environment();
        assertThat(ReplayOptions.checkpointTimeout(env)).hasMinutes(10);

        env.getJobConfiguration().setString("execution.checkpointing.timeout", "3 min");
        assertThat(ReplayOptions.checkpointTimeout(env)).hasMinutes(3);
    }

    /** A full checkpoint uploads the whole state once the log is replayed. */
    @Test
    void aReplayBesideItsTaskLeavesACheckpointTime() {
        Duration timeout = Duration.ofSeconds(100);

        assertThat(ReplayOptions.longestInBackground(timeout, OptionalDouble.of(7), false))
                .isEqualTo(350);
        assertThat(ReplayOptions.longestInBackground(timeout, OptionalDouble.of(7), true))
                .isEqualTo(70);
        assertThat(ReplayOptions.longestInBackground(timeout, OptionalDouble.empty(), false))
                .isEqualTo(1_000_000_000);
    }

    /** The storage is the cluster's. */
    @Test
    void aLogIsCompressedAsTheClusterSays() {
        MockEnvironment env = environment();
        env.getJobConfiguration().setString("dstl.dfs.compression.enabled", "true");
        assertThat(ReplayOptions.isLogCompressed(env)).isFalse();

        options.setString("dstl.dfs.compression.enabled", "true");
        assertThat(ReplayOptions.isLogCompressed(environment())).isTrue();
    }

    private MockEnvironment environment() {
        return new MockEnvironmentBuilder()
                .setTaskManagerRuntimeInfo(new TestingTaskManagerRuntimeInfo(options))
                .build();
    }

    private BulkSettings settings(int processors) {
        return ReplayOptions.bulk(options, processors);
    }
}
