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
import java.util.List;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    /** The backend below, which it shares keys and states by name with. */
    private static final class FailingOnce<K> extends AbstractKeyedStateBackend<K> {
        private final AbstractKeyedStateBackend<K> below;
        private final RuntimeException failure;
        private boolean failed;

        FailingOnce(AbstractKeyedStateBackend<K> below, RuntimeException failure) {
            super(below);
            this.below = below;
            this.failure = failure;
        }

        /** Flink 2 asks for it, and Flink 1 has none. */
        @SuppressWarnings({"MissingOverride", "UnusedMethod"})
        public String getBackendTypeIdentifier() {
            return "failing once";
        }

        @Override
        public void dispose() {
            if (!failed) {
                failed = true;
                throw failure;
            }
            below.dispose();
        }

        @Override
        public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
                TypeSerializer<N> namespaceSerializer,
                StateDescriptor<S, SV> descriptor,
                StateSnapshotTransformFactory<SEV> transform)
                throws Exception {
            return below.createOrUpdateInternalState(namespaceSerializer, descriptor, transform);
        }

        @Override
        public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
                KeyGroupedInternalPriorityQueue<T> create(
                        String name, TypeSerializer<T> elementSerializer) {
            return below.create(name, elementSerializer);
        }

        @Override
        public <N> Stream<K> getKeys(String state, N namespace) {
            return below.getKeys(state, namespace);
        }

        @Override
        public <N> Stream<K> getKeys(List<String> states, N namespace) {
            return below.getKeys(states, namespace);
        }

        @Override
        public <N> Stream<Tuple2<K, N>> getKeysAndNamespaces(String state) {
            return below.getKeysAndNamespaces(state);
        }

        @Override
        public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
                long checkpointId,
                long timestamp,
                CheckpointStreamFactory streams,
                CheckpointOptions options)
                throws Exception {
            return below.snapshot(checkpointId, timestamp, streams, options);
        }

        @Override
        public SavepointResources<K> savepoint() throws Exception {
            return below.savepoint();
        }

        @Override
        public int numKeyValueStateEntries() {
            return below.numKeyValueStateEntries();
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) throws Exception {
            below.notifyCheckpointComplete(checkpointId);
        }

        @Override
        public void notifyCheckpointAborted(long checkpointId) throws Exception {
            below.notifyCheckpointAborted(checkpointId);
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

    private interface KeyedOnly extends StateBackend {
        @Override
        default OperatorStateBackend createOperatorStateBackend(
                OperatorStateBackendParameters parameters) {
            throw new UnsupportedOperationException("Keyed state only");
        }
    }
}
