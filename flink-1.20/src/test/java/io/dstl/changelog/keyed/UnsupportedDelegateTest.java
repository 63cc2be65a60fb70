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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backend that cannot be put under a changelog is refused by name, and closed. */
class UnsupportedDelegateTest {

    @Test
    void isRefusedByKeyAndRemedy(@TempDir Path directory) throws Exception {
        AtomicInteger disposed = new AtomicInteger();

        try (TestJob job = new TestJob(new Foreign(disposed), directory)) {
            assertThatThrownBy(() -> job.start(1))
                    .rootCause()
                    .hasMessageContaining("state.backend.type")
                    .hasMessageContaining("Use rocksdb or hashmap, or disable the changelog");
        }

        assertThat(disposed).hasValue(1);
    }

    private static final class Foreign implements StateBackend {
        private static final long serialVersionUID = 1L;

        private final transient AtomicInteger disposed;

        Foreign(AtomicInteger disposed) {
            this.disposed = disposed;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <K> CheckpointableKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) {
            return (CheckpointableKeyedStateBackend<K>)
                    Proxy.newProxyInstance(
                            getClass().getClassLoader(),
                            new Class<?>[] {CheckpointableKeyedStateBackend.class},
                            (proxy, method, arguments) -> {
                                if (method.getName().equals("dispose")) {
                                    disposed.incrementAndGet();
                                }
                                return null;
                            });
        }

        @Override
        public OperatorStateBackend createOperatorStateBackend(
                OperatorStateBackendParameters parameters) {
            throw new UnsupportedOperationException("Keyed state only");
        }
    }
}
