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
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.LoggedBackend;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.contrib.streaming.state.RocksDbFault;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** What RocksDB refuses is not in the log; what it may have taken in part is in no checkpoint. */
class RocksDbFaultTest {
    private LoggedBackend<Long> backend;
    private InternalMapState<Long, VoidNamespace, Long, Long> state;

    @BeforeEach
    void open(@TempDir Path directory) throws Exception {
        backend = new LoggedBackend<>(Delegate.ROCKSDB, directory, LONGS);
        backend.setCurrentKey(1L);
        MapStateDescriptor<Long, Long> descriptor = new MapStateDescriptor<>("map", LONGS, LONGS);
        state = backend.state(VoidNamespaceSerializer.INSTANCE, descriptor);
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        state.put(0L, 0L);
        backend.changes();
        RocksDbFault.refuseChanges(
                backend.delegate.createOrUpdateInternalState(
                        VoidNamespaceSerializer.INSTANCE, descriptor));
    }

    @AfterEach
    void close() throws Exception {
        backend.close();
    }

    @Test
    void oneRefusedPutIsNotLogged() {
        assertThatThrownBy(() -> state.put(1L, 1L)).isInstanceOf(RocksDBException.class);
        assertThatCode(backend.recorder::checkComplete).doesNotThrowAnyException();
    }

    @Test
    void severalRefusedPutsEndAllCheckpoints() {
        assertThatThrownBy(() -> state.putAll(Map.of(1L, 1L, 2L, 2L)))
                .isInstanceOf(RocksDBException.class);
        assertThatThrownBy(backend.recorder::checkComplete)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'map'")
                .hasCauseInstanceOf(RocksDBException.class);
    }

    /** Nothing was written before all were read. */
    @Test
    void severalOfWhichOneCannotBeSerializedAreNotLogged() {
        Map<Long, Long> entries = new LinkedHashMap<>();
        entries.put(1L, 1L);
        entries.put(null, 2L);
        assertThatThrownBy(() -> state.putAll(entries)).isInstanceOf(NullPointerException.class);
        assertThat(backend.changes()).isEmpty();
        assertThatCode(backend.recorder::checkComplete).doesNotThrowAnyException();
    }

    @Test
    void aMapThatWasPerhapsClearedInPartEndsAllCheckpoints() {
        assertThatThrownBy(() -> state.clear()).hasRootCauseInstanceOf(RocksDBException.class);
        assertThatThrownBy(backend.recorder::checkComplete)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'map'");
    }
}
