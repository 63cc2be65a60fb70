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

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.ChangeRecorder;
import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.record.RecordingAppender;
import io.dstl.changelog.state.LoggedPriorityQueue;
import io.dstl.changelog.state.LoggedStates;
import io.dstl.fs.log.ChangeAppender;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;

/** A delegate with logging states in front, and the records they wrote. */
public final class LoggedBackend<K> extends PlainBackend<K> {
    public final RecordingAppender log;
    public final ChangeRecorder<K> recorder;
    public final LoggedStates<K> states;

    public LoggedBackend(Delegate kind, Path directory, TypeSerializer<K> keys) throws Exception {
        this(kind.create(directory, keys));
    }

    public LoggedBackend(AbstractKeyedStateBackend<K> delegate) {
        this(delegate, new RecordingAppender());
    }

    private LoggedBackend(AbstractKeyedStateBackend<K> delegate, RecordingAppender log) {
        this(delegate, log, log);
    }

    /** Its changes go elsewhere. */
    public LoggedBackend(AbstractKeyedStateBackend<K> delegate, ChangeAppender appender) {
        this(delegate, new RecordingAppender(), appender);
    }

    private LoggedBackend(
            AbstractKeyedStateBackend<K> delegate, RecordingAppender log, ChangeAppender appender) {
        super(delegate);
        this.log = log;
        recorder =
                new ChangeRecorder<>(
                        appender, delegate.getKeyContext(), delegate.getKeySerializer());
        states = new LoggedStates<>(recorder, DelegateSupport.get().writers());
        delegate.registerKeySelectionListener(key -> recorder.keyChanged());
    }

    @Override
    public <N, S extends State, T, I extends S> I state(
            TypeSerializer<N> namespaces, StateDescriptor<S, T> descriptor) throws Exception {
        I created = super.state(namespaces, descriptor);
        return states.keyValue(descriptor, created);
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            LoggedPriorityQueue<T> queue(String name, TypeSerializer<T> elements) {
        return states.queue(name, elements, super.queue(name, elements));
    }

    /** The changes since the last call. */
    public List<RecordedChange> changes() {
        return log.takeChanges();
    }
}
