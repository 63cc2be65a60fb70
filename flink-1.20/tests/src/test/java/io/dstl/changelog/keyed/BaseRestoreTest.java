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

import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.keyed.HeldReplay.GatedRocksDb;
import io.dstl.changelog.replay.RestoreProgress;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.KeyedTask;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Collectors;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataInputStreamWrapper;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How far the restore of a base says it is. */
class BaseRestoreTest {
    private final RestoreProgress progress = new RestoreProgress(new ManualClock());
    private final List<Long> seen = new ArrayList<>();
    private final Queue<Long> seenByDownloads = new ConcurrentLinkedQueue<>();
    private final GatedRocksDb delegate = new GatedRocksDb();
    private final KeyedTask<Integer> task = new KeyedTask<>(INTS);

    @TempDir private Path directory;

    /** On the same disk all the time, and of the same operator. */
    private AbstractKeyedStateBackend<Integer> former;

    @BeforeEach
    void open() throws Exception {
        former = Delegate.ROCKSDB.create(directory, task);
        ValueState<String> last =
                KeyedTask.state(former, new ValueStateDescriptor<>("last", STRINGS));
        for (int key = 0; key < 100; key++) {
            former.setCurrentKey(key);
            last.update("value of " + key);
        }
        delegate.setDbStoragePath(directory.resolve("rocksdb").toUri().toString());
        delegate.getMemoryConfiguration().setUseManagedMemory(false);
        delegate.whenRestored(() -> seen.add(look()));
        delegate.onceRestored(() -> seen.add(look()));
    }

    private long look() {
        progress.lookAtDisk();
        return progress.baseBytes();
    }

    @AfterEach
    void close() {
        former.dispose();
    }

    @Test
    void countsTheFilesOfTheNewDatabase() throws Exception {
        KeyedStateHandle base = observed((IncrementalRemoteKeyedStateHandle) checkpoint());

        restore(base);

        assertThat(seen).containsExactly(0L, base.getStateSize());
        assertThat(seenByDownloads)
                .isNotEmpty()
                .allSatisfy(bytes -> assertThat(bytes).isBetween(1L, base.getStateSize()));
    }

    /** Its entries are written anew, which takes another number of bytes. */
    @Test
    void countsNothingBeforeTheEndOfOneThatIsNotMadeOfFiles() throws Exception {
        KeyedStateHandle base = handle(KeyedTask.canonicalSavepoint(former, 1));

        restore(base);

        assertThat(seen).containsExactly(0L, 0L);
        assertThat(progress.baseBytes()).isEqualTo(base.getStateSize());
    }

    /** Sees how many bytes are there when one of its files is. */
    private KeyedStateHandle observed(IncrementalRemoteKeyedStateHandle base) {
        return new IncrementalRemoteKeyedStateHandle(
                base.getBackendIdentifier(),
                base.getKeyGroupRange(),
                base.getCheckpointId(),
                base.getSharedState().stream()
                        .map(
                                file ->
                                        HandleAndLocalPath.of(
                                                new Observed(
                                                        (ByteStreamStateHandle) file.getHandle()),
                                                file.getLocalPath()))
                        .collect(Collectors.toList()),
                base.getPrivateState(),
                base.getMetaDataStateHandle());
    }

    private final class Observed extends ByteStreamStateHandle {
        private static final long serialVersionUID = 1L;

        Observed(ByteStreamStateHandle file) {
            super(file.getHandleName(), file.getData());
        }

        @Override
        public FSDataInputStream openInputStream() throws IOException {
            return new FSDataInputStreamWrapper(super.openInputStream()) {
                @Override
                public int read(byte[] target) throws IOException {
                    return read(target, 0, target.length);
                }

                @Override
                public int read(byte[] target, int offset, int length) throws IOException {
                    int read = super.read(target, offset, length);
                    if (read < 0) {
                        seenByDownloads.add(look());
                    }
                    return read;
                }
            };
        }
    }

    private KeyedStateHandle checkpoint() throws Exception {
        return handle(
                former.snapshot(
                        1,
                        1,
                        new MemCheckpointStreamFactory(1 << 20),
                        CheckpointOptions.forCheckpointWithDefaultLocation()));
    }

    private static KeyedStateHandle handle(
            RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot) throws Exception {
        return TestSubtask.finish(snapshot).getJobManagerOwnedSnapshot();
    }

    private void restore(KeyedStateHandle base) throws Exception {
        new BaseRestore<>(
                        delegate,
                        task.restored(List.of(base)).parameters(),
                        new CloseableRegistry())
                .restore(List.of(base), progress)
                .dispose();
    }
}
