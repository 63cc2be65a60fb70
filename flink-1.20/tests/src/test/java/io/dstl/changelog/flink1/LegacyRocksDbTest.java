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
package io.dstl.changelog.flink1;

import static org.apache.flink.api.common.typeutils.base.LongSerializer.INSTANCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.LoggedBackend;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The RocksDB backend of former times, which Flink 1 has until its end and Flink 2 has not. */
@SuppressWarnings("deprecation")
class LegacyRocksDbTest {

    /** A snapshot of all entries would not have flushed them. */
    @Test
    void hasMemtablesThatAreFlushedByIncrementalSnapshots(@TempDir Path directory)
            throws Exception {
        try (LoggedBackend<Long> backend =
                new LoggedBackend<>(Delegate.ROCKSDB, directory, INSTANCE)) {
            assertThat(memtables(backend, true)).isPresent();
            assertThat(memtables(backend, false)).isEmpty();
        }
    }

    private static Optional<DelegateSupport.Memtables> memtables(
            LoggedBackend<Long> backend, boolean incremental) throws Exception {
        return DelegateSupport.get()
                .memtables(
                        new RocksDBStateBackend("file:///unused", incremental), backend.delegate);
    }
}
