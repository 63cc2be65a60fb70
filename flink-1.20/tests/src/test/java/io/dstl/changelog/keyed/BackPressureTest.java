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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.TestLocalRecoveryConfig;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A task that writes on while the store takes nothing, as Flink and its user see it. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackPressureTest {
    @TempDir Path directory;

    @Test
    void aTaskThatWaitsForTheStoreIsShownBackPressuredUntilItIsCancelled() throws Exception {
        try (TestJob job = new TestJob(new HashMapStateBackend(), directory);
                StateChangelogStorage<?> storage = storageThatTakesNothing(job)) {
            TestSubtask subtask =
                    new TestSubtask(
                            job,
                            new HashMapStateBackend(),
                            storage,
                            new KeyGroupRange(0, TestJob.MAX_PARALLELISM - 1),
                            List.of(List.of()),
                            TestLocalRecoveryConfig.disabled());
            FutureTask<Void> burst = new FutureTask<>(() -> writeForEver(subtask));
            Thread task = new Thread(burst);
            task.start();
            while (!subtask.backPressured().isMeasuring() && !burst.isDone()) {
                Thread.onSpinWait();
            }

            subtask.cancel();

            assertThatThrownBy(burst::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseInstanceOf(CancelTaskException.class);
            assertThat(subtask.backPressured().isMeasuring()).isFalse();
            task.join();
            subtask.end();
        }
    }

    private static Void writeForEver(TestSubtask subtask) throws Exception {
        for (int key = 0; ; key++) {
            subtask.put(key, "a value");
        }
    }

    /** Its directory is a file. */
    private StateChangelogStorage<?> storageThatTakesNothing(TestJob job) throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        Configuration config = new Configuration();
        config.setString("dstl.dfs.base-path", file.toUri().toString());
        config.setString("dstl.dfs.preemptive-persist-threshold", "4 kb");
        config.setString("dstl.dfs.batch.persist-size-threshold", "8 kb");
        config.setString("dstl.dfs.upload.max-in-flight", "256 kb");
        config.setString("state.changelog.dstl.dfs.upload.hard-max-in-flight", "512 kb");
        return KeyedTask.logStorage(job.id(), config);
    }
}
