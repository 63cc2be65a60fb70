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

import io.dstl.changelog.record.ChangeRecorder;
import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.record.RecordingAppender;
import io.dstl.fs.log.ChangeAppender;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.KeyedStateBackend.KeySelectionListener;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;

/** A delegate with logging states in front, and the records they wrote. */
final class LoggedBackend<K> implements AutoCloseable {
    final AbstractKeyedStateBackend<K> delegate;
    final RecordingAppender log;
    final ChangeRecorder<K> recorder;
    final LoggedStates<K> states;
    private final KeySelectionListener<K> listener;

    LoggedBackend(Delegate kind, Path directory, TypeSerializer<K> keySerializer) throws Exception {
        this(kind.create(directory, keySerializer));
    }

    LoggedBackend(AbstractKeyedStateBackend<K> delegate) {
        this(delegate, new RecordingAppender());
    }

    private LoggedBackend(AbstractKeyedStateBackend<K> delegate, RecordingAppender log) {
        this(delegate, log, log);
    }

    /** Its changes go elsewhere. */
    LoggedBackend(AbstractKeyedStateBackend<K> delegate, ChangeAppender appender) {
        this(delegate, new RecordingAppender(), appender);
    }

    private LoggedBackend(
            AbstractKeyedStateBackend<K> delegate, RecordingAppender log, ChangeAppender appender) {
        this.delegate = delegate;
        this.log = log;
        recorder =
                new ChangeRecorder<>(
                        appender, delegate.getKeyContext(), delegate.getKeySerializer());
        states = new LoggedStates<>(recorder);
        listener = key -> recorder.keyChanged();
        delegate.registerKeySelectionListener(listener);
    }

    void setCurrentKey(K key) {
        delegate.setCurrentKey(key);
    }

    <N, T, S extends State, I extends S> I state(
            TypeSerializer<N> namespaceSerializer, StateDescriptor<S, T> descriptor)
            throws Exception {
        descriptor.initializeSerializerUnlessSet(new ExecutionConfig());
        I created =
                delegate.createOrUpdateInternalState(
                        namespaceSerializer,
                        descriptor,
                        StateSnapshotTransformFactory.noTransform(),
                        true);
        return states.keyValue(descriptor, created);
    }

    <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            LoggedPriorityQueue<T> queue(String name, TypeSerializer<T> serializer) {
        return states.queue(name, serializer, delegate.create(name, serializer, true));
    }

    /** The changes since the last call. */
    List<RecordedChange> changes() {
        return log.takeChanges();
    }

    @Override
    public void close() throws Exception {
        delegate.close();
        delegate.dispose();
    }
}
