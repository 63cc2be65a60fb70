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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.fs.FileSystemSafetyNet;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Flink's file system is given, and which thread waits for it. */
class FlinkFilesTest {
    private static final int INLINE = 10;
    private static final int BUFFER = 100;

    @TempDir Path checkpoints;

    private final List<Runnable> endings = new ArrayList<>();
    private MockEnvironment env;
    private FlinkFiles files;

    /** As on the thread of a task. */
    @BeforeEach
    void open() throws Exception {
        FileSystemSafetyNet.initializeSafetyNetForThread();
        env = new MockEnvironmentBuilder().build();
        env.getJobConfiguration()
                .set(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD, new MemorySize(INLINE));
        env.getJobConfiguration().set(CheckpointingOptions.FS_WRITE_BUFFER_SIZE, BUFFER);
        CheckpointStorageAccess storage =
                new FileSystemCheckpointStorage(checkpoints.toUri(), INLINE)
                        .createCheckpointStorage(new JobID(1, 2));
        storage.initializeBaseLocationsForCheckpoint();
        env.setCheckpointStorageAccess(storage);
        files = FlinkFiles.of(env, endings::add);
    }

    @AfterEach
    void close() throws Exception {
        FileSystemSafetyNet.closeSafetyNetAndGuardedResourcesForThread();
        env.close();
    }

    @Test
    void theTaskThreadClosesNoneAtItsEnd() throws Exception {
        CheckpointStateOutputStream stream = files.open();
        stream.write(new byte[BUFFER + 1]);
        FileSystemSafetyNet.closeSafetyNetAndGuardedResourcesForThread();
        FileSystemSafetyNet.initializeSafetyNetForThread();
        stream.write(1);

        assertThat(stream.closeAndGetHandle().getStateSize()).isEqualTo(BUFFER + 2);
    }

    @Test
    void anotherThreadThanTheWritersDoesNotWait() throws Exception {
        CheckpointStateOutputStream stream = CompletableFuture.supplyAsync(this::begun).get();
        assertThat(stored()).hasSize(1);

        stream.close();
        assertThat(stored()).as("not closed yet").hasSize(1);

        endings.forEach(Runnable::run);
        assertThat(stored()).as("deleted as it is closed").isEmpty();
    }

    @Test
    void theWriterDoes() throws Exception {
        CheckpointStateOutputStream stream = begun();
        stream.close();

        assertThat(endings).isEmpty();
        assertThat(stored()).isEmpty();
    }

    @Test
    void buffersAndThresholdsAreAsConfigured() throws Exception {
        CheckpointStateOutputStream inline = files.open();
        inline.write(new byte[INLINE]);
        assertThat(inline.closeAndGetHandle()).isExactlyInstanceOf(ByteStreamStateHandle.class);

        CheckpointStateOutputStream buffered = files.open();
        buffered.write(new byte[BUFFER]);
        buffered.write(1);
        assertThat(stored()).hasSize(1);
        assertThat(stored().get(0)).as("a full buffer").hasSize(BUFFER);

        FileStateHandle file = (FileStateHandle) buffered.closeAndGetHandle();
        assertThat(stored().get(0)).hasSize(BUFFER + 1).hasFileName(file.getFilePath().getName());
    }

    private CheckpointStateOutputStream begun() {
        try {
            CheckpointStateOutputStream stream = files.open();
            stream.write(new byte[BUFFER + 1]);
            return stream;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The files that a task owns. */
    private List<Path> stored() throws IOException {
        List<Path> found = new ArrayList<>();
        Path directory = checkpoints.resolve(new JobID(1, 2) + "/taskowned");
        try (var entries = Files.list(directory)) {
            entries.forEach(found::add);
        }
        return found;
    }
}
