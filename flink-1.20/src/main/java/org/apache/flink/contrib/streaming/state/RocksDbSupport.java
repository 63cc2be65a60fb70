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
package org.apache.flink.contrib.streaming.state;

import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.state.DelegateWriters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.util.ExceptionUtils;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** Supports the RocksDB backend of this package. */
public final class RocksDbSupport implements DelegateSupport {
    private final DelegateWriters writers = new RocksDbWriters();

    @Override
    public DelegateWriters writers() {
        return writers;
    }

    @Override
    public boolean isNamed(String backend) {
        return StateBackendLoader.ROCKSDB_STATE_BACKEND_NAME.equalsIgnoreCase(backend)
                || EmbeddedRocksDBStateBackendFactory.class.getName().equals(backend);
    }

    @Override
    public boolean isRaw(StateBackend backend) {
        return backend instanceof EmbeddedRocksDBStateBackend;
    }

    @Override
    public boolean hasRawQueues(StateBackend backend) {
        return ((EmbeddedRocksDBStateBackend) backend).getPriorityQueueStateType()
                == PriorityQueueStateType.ROCKSDB;
    }

    @Override
    public Optional<RawState> rawState(InternalKvState<?, ?, ?> state) {
        return RocksDbRawState.of(state);
    }

    @Override
    public Optional<RawState> rawQueue(
            AbstractKeyedStateBackend<?> delegate,
            String name,
            TypeSerializer<?> elementSerializer) {
        return RocksDbRawState.ofQueue(delegate, name, elementSerializer);
    }

    @Override
    public boolean hasUnreadElements(AbstractKeyedStateBackend<?> delegate, String queueOnHeap) {
        return delegate instanceof RocksDBKeyedStateBackend
                && hasElements((RocksDBKeyedStateBackend<?>) delegate, queueOnHeap);
    }

    private static boolean hasElements(RocksDBKeyedStateBackend<?> delegate, String queue) {
        ColumnFamilyHandle family = delegate.getColumnFamilyHandle(queue);
        if (family == null) {
            return false;
        }
        try (RocksIterator elements = delegate.db.newIterator(family, delegate.getReadOptions())) {
            elements.seekToFirst();
            return elements.isValid();
        }
    }

    @Override
    public Optional<Throwable> faultIn(Throwable failure) {
        return ExceptionUtils.findThrowable(failure, RocksDBException.class)
                .map(Function.identity());
    }

    @Override
    public Path disk(StateBackend backend, Environment env) {
        List<Path> disks = disks(backend, env);
        int first = env.getTaskInfo().getIndexOfThisSubtask() % disks.size();
        return IntStream.range(0, disks.size())
                .mapToObj(i -> disks.get((first + i) % disks.size()))
                .filter(RocksDbSupport::takesFiles)
                .findFirst()
                .orElse(disks.get(first));
    }

    /** At least one. */
    private static List<Path> disks(StateBackend backend, Environment env) {
        String[] disks = ((EmbeddedRocksDBStateBackend) backend).getDbStoragePaths();
        return disks == null || disks.length == 0
                ? List.of(env.getTaskManagerInfo().getTmpWorkingDirectory().toPath())
                : Arrays.stream(disks).map(Path::of).collect(Collectors.toList());
    }

    /** Flink's backend leaves out the disks that take none, as long as one does. */
    private static boolean takesFiles(Path directory) {
        try {
            if (!Files.isDirectory(directory)) {
                Files.createDirectories(directory);
            }
            return Files.isWritable(directory);
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public LongSupplier bytesOfNext(StateBackend backend, Environment env, String operator) {
        return RocksDbFiles.ofNext(disks(backend, env), env.getJobID().toString(), operator);
    }

    @Override
    public DelegateSupport.Spill newSpill(Path parent, Cancellation cancellation) {
        return new RocksDbSpill(parent, cancellation);
    }

    @Override
    public Optional<DelegateSupport.Memtables> memtables(AbstractKeyedStateBackend<?> delegate) {
        return delegate instanceof RocksDBKeyedStateBackend
                ? Optional.of(new RocksDbMemtables((RocksDBKeyedStateBackend<?>) delegate))
                : Optional.empty();
    }
}
