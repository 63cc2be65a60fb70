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
package io.dstl.changelog.flink2;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.testing.KeyedTask;
import io.dstl.testkit.PathsBelow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.v2.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.BasicTypeInfo;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.AsyncKeyedStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.TestTaskStateManager;
import org.apache.flink.runtime.state.v2.StateDescriptorUtils;
import org.apache.flink.state.changelog.ChangelogStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The backend of an operator that uses its state asynchronously. */
class AsyncStateTest {

    @TempDir Path directory;

    @Test
    void theBackendIsDisposedOfWithItsView() throws Exception {
        EmbeddedRocksDBStateBackend rocksDb = new EmbeddedRocksDBStateBackend();
        rocksDb.setDbStoragePath(Files.createDirectory(directory.resolve("rocksdb")).toString());
        StateBackend backend = new ChangelogStateBackend(rocksDb);
        JobID job = new JobID(1, 2);
        try (MockEnvironment environment =
                new MockEnvironmentBuilder()
                        .setJobID(job)
                        .setTaskStateManager(
                                TestTaskStateManager.builder()
                                        .setJobID(job)
                                        .setStateChangelogStorage(
                                                KeyedTask.logStorage(
                                                        job,
                                                        KeyedTask.logIn(directory.resolve("log"))))
                                        .build())
                        .build()) {
            environment.setCheckpointStorageAccess(
                    KeyedTask.checkpointStorage(job, directory.resolve("checkpoints")));

            assertThat(backend.supportsAsyncKeyedStateBackend()).isTrue();
            AsyncKeyedStateBackend<Integer> view =
                    backend.createAsyncKeyedStateBackend(
                            new KeyedTask<>(IntSerializer.INSTANCE)
                                    .environment(environment)
                                    .parameters());
            assertThat(filesOfRocksDb()).isNotEmpty();

            view.close();
            view.dispose();
            assertThat(filesOfRocksDb()).isEmpty();
        }
    }

    /** A lifetime that is dropped later than here would be in the log, and expire nothing. */
    @Test
    void flinkDropsItsTimeToLive() {
        ValueStateDescriptor<Integer> descriptor =
                new ValueStateDescriptor<>("count", BasicTypeInfo.INT_TYPE_INFO);
        descriptor.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofDays(1)).build());
        descriptor.initializeSerializerUnlessSet(new ExecutionConfig());

        assertThat(StateDescriptorUtils.transformFromV2ToV1(descriptor).getTtlConfig().isEnabled())
                .isFalse();
    }

    private List<Path> filesOfRocksDb() throws IOException {
        return PathsBelow.files(directory.resolve("rocksdb"));
    }
}
