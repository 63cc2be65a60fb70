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
package io.dstl.changelog.state;

import java.nio.file.Path;
import java.util.Collections;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
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

/** The backends that logging states are put in front of. */
enum Delegate {
    HEAP {
        @Override
        AbstractStateBackend backend(Path directory) {
            return new HashMapStateBackend();
        }
    },
    /** With room in memory for all that a test writes: it is flushed when the test says so. */
    ROCKSDB {
        @Override
        AbstractStateBackend backend(Path directory) {
            EmbeddedRocksDBStateBackend backend = new EmbeddedRocksDBStateBackend();
            backend.setDbStoragePath(directory.toUri().toString());
            backend.setPriorityQueueStateType(PriorityQueueStateType.ROCKSDB);
            backend.getMemoryConfiguration().setUseManagedMemory(false);
            return backend;
        }
    };

    static final int KEY_GROUPS = 16;

    abstract AbstractStateBackend backend(Path directory);

    <K> AbstractKeyedStateBackend<K> create(Path directory, TypeSerializer<K> keySerializer)
            throws Exception {
        return create(directory, keySerializer, KEY_GROUPS);
    }

    @SuppressWarnings("unchecked")
    <K> AbstractKeyedStateBackend<K> create(
            Path directory, TypeSerializer<K> keySerializer, int keyGroups) throws Exception {
        return (AbstractKeyedStateBackend<K>)
                backend(directory)
                        .createKeyedStateBackend(
                                new KeyedStateBackendParametersImpl<>(
                                        new MockEnvironmentBuilder().build(),
                                        new JobID(),
                                        "operator",
                                        keySerializer,
                                        keyGroups,
                                        KeyGroupRange.of(0, keyGroups - 1),
                                        null,
                                        TtlTimeProvider.DEFAULT,
                                        new UnregisteredMetricsGroup(),
                                        Collections.emptyList(),
                                        new CloseableRegistry()));
    }
}
