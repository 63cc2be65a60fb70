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

import io.dstl.changelog.record.ChangeRecorder;
import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.record.RecordingAppender;
import io.dstl.changelog.state.LoggedStates;
import io.dstl.changelog.state.ScenarioTarget;
import java.io.IOException;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;

/** A delegate whose changes are recorded by the logged states. */
final class RecordedTarget implements ScenarioTarget, AutoCloseable {
    final AbstractKeyedStateBackend<Integer> delegate;
    private final RecordingAppender log = new RecordingAppender();
    private final ChangeRecorder<Integer> recorder;
    private final LoggedStates<Integer> states;

    RecordedTarget(AbstractKeyedStateBackend<Integer> delegate) {
        this.delegate = delegate;
        this.recorder =
                new ChangeRecorder<>(log, delegate.getKeyContext(), delegate.getKeySerializer());
        this.states = new LoggedStates<>(recorder);
        delegate.registerKeySelectionListener(key -> recorder.keyChanged());
    }

    @Override
    public void mark(String step) {}

    @Override
    public void setCurrentKey(int key) {
        delegate.setCurrentKey(key);
    }

    @Override
    public <N, S extends State, T, I extends S> I state(
            TypeSerializer<N> namespaceSerializer, StateDescriptor<S, T> descriptor)
            throws Exception {
        I created = delegate.createOrUpdateInternalState(namespaceSerializer, descriptor);
        return states.keyValue(descriptor, created);
    }

    @Override
    public <N> KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, N>> queue(
            String name, TypeSerializer<TimerHeapInternalTimer<Integer, N>> serializer) {
        return states.queue(name, serializer, delegate.create(name, serializer));
    }

    /** Writes the metadata again before the next change of each state. */
    void startNewRound() {
        recorder.startNewRound();
    }

    /** The change set of what has been recorded since the last call. */
    byte[] seal() throws IOException {
        HandWrittenLog changes = new HandWrittenLog();
        for (RecordedChange change : log.take()) {
            int keyGroup = change.isMetadata() ? HandWrittenLog.META_GROUP : change.keyGroup();
            changes.raw(keyGroup, out -> out.write(change.bytes()));
        }
        return changes.seal();
    }

    @Override
    public void close() throws Exception {
        delegate.close();
        delegate.dispose();
    }
}
