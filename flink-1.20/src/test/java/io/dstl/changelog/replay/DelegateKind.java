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
package io.dstl.changelog.replay;

import io.dstl.changelog.bulk.BulkSettings;
import java.nio.file.Path;
import java.util.Collections;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/** The delegates that each test replays into. */
enum DelegateKind {
    HEAP {
        @Override
        AbstractStateBackend backend(Path directory) {
            return new HashMapStateBackend();
        }
    },
    ROCKSDB {
        @Override
        AbstractStateBackend backend(Path directory) {
            return rocksDb(directory, PriorityQueueStateType.ROCKSDB);
        }
    },
    /** With two threads beside the task's, and little memory for each. */
    ROCKSDB_IN_BULK {
        @Override
        AbstractStateBackend backend(Path directory) {
            return ROCKSDB.backend(directory);
        }

        @Override
        BulkSettings bulk() {
            return BulkSettings.of(2, 400_000);
        }
    },
    ROCKSDB_WITH_HEAP_TIMERS {
        @Override
        AbstractStateBackend backend(Path directory) {
            return rocksDb(directory, PriorityQueueStateType.HEAP);
        }
    };

    static final int KEY_GROUPS = 16;
    static final KeyGroupRange ALL = KeyGroupRange.of(0, KEY_GROUPS - 1);

    abstract AbstractStateBackend backend(Path directory);

    BulkSettings bulk() {
        return BulkSettings.off();
    }

    private static AbstractStateBackend rocksDb(Path directory, PriorityQueueStateType timers) {
        EmbeddedRocksDBStateBackend backend = new EmbeddedRocksDBStateBackend();
        backend.setDbStoragePath(directory.toUri().toString());
        backend.setPriorityQueueStateType(timers);
        return backend;
    }

    AbstractKeyedStateBackend<Integer> create(
            Path directory, KeyGroupRange keyGroups, TtlTimeProvider time) throws Exception {
        return (AbstractKeyedStateBackend<Integer>)
                backend(directory)
                        .createKeyedStateBackend(
                                new KeyedStateBackendParametersImpl<>(
                                        new MockEnvironmentBuilder().build(),
                                        new JobID(),
                                        "operator",
                                        IntSerializer.INSTANCE,
                                        KEY_GROUPS,
                                        keyGroups,
                                        null,
                                        time,
                                        new UnregisteredMetricsGroup(),
                                        Collections.emptyList(),
                                        new CloseableRegistry()));
    }
}
