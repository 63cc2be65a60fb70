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

import io.dstl.changelog.keyed.ForwardingBackend.KeyedOnly;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.util.FlinkRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** Delegates that cannot be disposed of, or cannot be put under a changelog. */
class FaultyDelegateTest {
    @Test
    void closesAllElseAndThrowsWhatTheDelegateHasThrown(@TempDir Path directory) throws Exception {
        Undisposable delegate = new Undisposable();
        try (TestJob job = new TestJob(delegate, directory)) {
            job.start(1);
            TestSubtask subtask = job.subtasks().get(0);
            subtask.put(1, "a");
            assertThat(delegate.states()).isEqualTo(2);

            assertThatThrownBy(subtask::end).isSameAs(delegate.failure).hasNoSuppressedExceptions();
            assertThat(delegate.states()).as("Flink's part of our backend").isZero();
            assertThatThrownBy(() -> subtask.addTimer(2))
                    .as("the log")
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
    }

    /**
     * Keeps keyed state on the heap, and fails once to be disposed of. Its backends share their
     * states by name with ours.
     */
    private static final class Undisposable implements KeyedOnly {
        private final transient IllegalStateException failure =
                new IllegalStateException("The disk does not answer");
        private final transient AtomicReference<AbstractKeyedStateBackend<?>> made =
                new AtomicReference<>();

        int states() {
            return made.get().numKeyValueStatesByName();
        }

        @Override
        public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws Exception {
            AbstractKeyedStateBackend<K> below =
                    new HashMapStateBackend().createKeyedStateBackend(parameters);
            AbstractKeyedStateBackend<K> backend = new FailingOnce<>(below, failure);
            made.set(backend);
            return backend;
        }
    }

    private static final class FailingOnce<K> extends ForwardingBackend<K> {
        private final RuntimeException failure;
        private boolean failed;

        FailingOnce(AbstractKeyedStateBackend<K> below, RuntimeException failure) {
            super(below);
            this.failure = failure;
        }

        @Override
        public void dispose() {
            if (!failed) {
                failed = true;
                throw failure;
            }
            super.dispose();
        }
    }

    /** Of a disk, not of a type: whoever is on call has to look there. */
    @Test
    void aStateThatRocksDbCannotTakeIsNamedWithItsReason(@TempDir Path directory) throws Exception {
        Unwritable delegate = new Unwritable();
        try (TestJob job = new TestJob(delegate, directory)) {
            job.start(1);
            job.subtasks().get(0).put(1, "a");
            job.checkpoint(1);
            job.stop();
            delegate.full = true;

            assertThatThrownBy(() -> job.start(1))
                    .hasStackTraceContaining("RocksDB could not take state '")
                    .hasStackTraceContaining("': No space left on device. See its disk")
                    .rootCause()
                    .isInstanceOf(RocksDBException.class);
        }
    }

    /** Keeps keyed state on the heap, and says what RocksDB does on a full disk. */
    private static final class Unwritable implements KeyedOnly {
        private transient boolean full;

        @Override
        public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws Exception {
            return new ForwardingBackend<>(
                    new HashMapStateBackend().createKeyedStateBackend(parameters)) {
                @Override
                public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
                        TypeSerializer<N> namespaces,
                        StateDescriptor<S, SV> descriptor,
                        StateSnapshotTransformFactory<SEV> transform,
                        boolean allowFutureMetadataUpdates)
                        throws Exception {
                    if (full) {
                        throw new FlinkRuntimeException(
                                "Error creating ColumnFamilyHandle.",
                                new RocksDBException("No space left on device"));
                    }
                    return super.createOrUpdateInternalState(
                            namespaces, descriptor, transform, allowFutureMetadataUpdates);
                }
            };
        }
    }

    @Test
    void anotherThanOursIsRefusedByKeyAndRemedyAndClosed(@TempDir Path directory) throws Exception {
        AtomicInteger disposed = new AtomicInteger();

        try (TestJob job = new TestJob(new Foreign(disposed), directory)) {
            assertThatThrownBy(() -> job.start(1))
                    .rootCause()
                    .hasMessageContaining("state.backend.type")
                    .hasMessageContaining("Use rocksdb or hashmap, or disable the changelog");
        }

        assertThat(disposed).hasValue(1);
    }

    private static final class Foreign implements KeyedOnly {
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
    }
}
