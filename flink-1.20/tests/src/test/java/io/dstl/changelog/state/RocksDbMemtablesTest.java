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

import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.KeyedTask;
import io.dstl.changelog.testing.LoggedBackend;
import io.dstl.changelog.testing.PlainBackend;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.contrib.streaming.state.RocksDbMemory;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RocksDbMemtablesTest {
    private LoggedBackend<Long> backend;
    private ValueState<Long> state;
    private ValueState<Long> other;
    private DelegateSupport.Memtables memtables;

    @BeforeEach
    void open(@TempDir Path directory) throws Exception {
        backend = new LoggedBackend<>(Delegate.ROCKSDB, directory, LONGS);
        state = state("state");
        other = state("other");
        memtables = DelegateSupport.get().memtables(backend.delegate).orElseThrow();
        for (long key = 0; key < 100; key++) {
            backend.delegate.setCurrentKey(key);
            state.update(key);
            other.update(key);
        }
    }

    private ValueState<Long> state(String name) throws Exception {
        return KeyedTask.state(backend.delegate, new ValueStateDescriptor<>(name, LONGS));
    }

    @AfterEach
    void close() throws Exception {
        memtables.close();
        backend.close();
    }

    @Test
    void areEmptyOnceTheyAreFlushed() throws Exception {
        assertThat(memtables.entries(List.of("state", "no state of RocksDB's"))).isEqualTo(100);
        assertThat(memtables.entries(List.of("state", "other"))).isEqualTo(200);
        memtables.flush(List.of("state", "no state of RocksDB's")).run();

        assertThat(memtables.entries(List.of("state"))).isZero();
        assertThat(memtables.entries(List.of("state", "other"))).isEqualTo(100);
        assertThat(state.value()).isEqualTo(99);
    }

    /** That is why they are flushed ahead. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void areFlushedByTheSynchronousPartOfASnapshot(boolean incremental, @TempDir Path other)
            throws Exception {
        AbstractKeyedStateBackend<Long> delegate =
                (AbstractKeyedStateBackend<Long>)
                        Delegate.rocksDb(other, incremental)
                                .createKeyedStateBackend(new KeyedTask<>(LONGS).parameters());
        try (PlainBackend<Long> closed = new PlainBackend<>(delegate);
                DelegateSupport.Memtables its =
                        DelegateSupport.get().memtables(delegate).orElseThrow()) {
            ValueState<Long> value =
                    KeyedTask.state(delegate, new ValueStateDescriptor<>("state", LONGS));
            closed.setCurrentKey(1L);
            value.update(1L);
            assertThat(its.entries(List.of("state"))).isOne();

            delegate.snapshot(
                            1,
                            1,
                            new MemCheckpointStreamFactory(1 << 20),
                            CheckpointOptions.forCheckpointWithDefaultLocation())
                    .cancel(true);
            assertThat(its.entries(List.of("state"))).isZero();
        }
    }

    @Test
    void ofTheHeapThereAreNone(@TempDir Path other) throws Exception {
        try (PlainBackend<Long> heap = new PlainBackend<>(Delegate.HEAP.create(other, LONGS))) {
            assertThat(DelegateSupport.get().memtables(heap.delegate)).isEmpty();
        }
    }

    @Test
    void areNotFlushedOnceTheBackendEnds() throws Exception {
        Runnable flush = memtables.flush(List.of("state"));
        memtables.close();
        flush.run();

        assertThat(RocksDbMemory.entries(state)).isPositive();
    }
}
