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
package io.dstl.changelog.testing;

import java.nio.file.Path;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;

/** The backends below a changelog. */
public enum Delegate {
    HEAP,
    ROCKSDB,
    ROCKSDB_WITH_HEAP_TIMERS;

    public static final int KEY_GROUPS = 16;
    public static final KeyGroupRange ALL = KeyGroupRange.of(0, KEY_GROUPS - 1);

    /**
     * RocksDB makes incremental checkpoints, and has room in memory for all that a test writes:
     * what is flushed when is the same each time, and so is what a compaction merges.
     *
     * @param directory for RocksDB's files, in directories of their own
     */
    public ConfigurableStateBackend backend(Path directory) {
        if (this == HEAP) {
            return new HashMapStateBackend();
        }
        EmbeddedRocksDBStateBackend backend = rocksDb(directory, true);
        backend.setPriorityQueueStateType(
                this == ROCKSDB ? PriorityQueueStateType.ROCKSDB : PriorityQueueStateType.HEAP);
        return backend;
    }

    /** The same with timers in RocksDB, and with incremental checkpoints or full ones. */
    public static EmbeddedRocksDBStateBackend rocksDb(Path directory, boolean incremental) {
        EmbeddedRocksDBStateBackend backend = new EmbeddedRocksDBStateBackend(incremental);
        backend.setDbStoragePath(directory.resolve("rocksdb").toUri().toString());
        backend.setPriorityQueueStateType(PriorityQueueStateType.ROCKSDB);
        backend.getMemoryConfiguration().setUseManagedMemory(false);
        return backend;
    }

    /** An empty keyed backend of all key groups. */
    public <K> AbstractKeyedStateBackend<K> create(Path directory, TypeSerializer<K> keys)
            throws Exception {
        return create(directory, keys, KEY_GROUPS);
    }

    /** An empty keyed backend of all of so many key groups. */
    public <K> AbstractKeyedStateBackend<K> create(
            Path directory, TypeSerializer<K> keys, int keyGroups) throws Exception {
        return create(
                directory,
                new KeyedTask<>(keys).keyGroups(keyGroups, KeyGroupRange.of(0, keyGroups - 1)));
    }

    /** The keyed backend of this task. */
    @SuppressWarnings("unchecked") // Those of both are.
    public <K> AbstractKeyedStateBackend<K> create(Path directory, KeyedTask<K> task)
            throws Exception {
        return (AbstractKeyedStateBackend<K>)
                backend(directory).createKeyedStateBackend(task.parameters());
    }
}
