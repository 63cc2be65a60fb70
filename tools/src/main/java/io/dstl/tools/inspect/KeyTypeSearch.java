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
package io.dstl.tools.inspect;

import io.dstl.changelog.record.ChangeOp;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.read.ContentSource;
import io.dstl.secret.Redaction;
import io.dstl.tools.inspect.KeyType.Origin;
import io.dstl.tools.inspect.LogWalk.ChangeSink;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;

/**
 * Finds the type of an operator's keys: in what is materialized; else in the metadata of its
 * timers; else by a guess. Reads one file of the base of one subtask, of up to {@value #MAX_BASES}
 * if the first can't be read, and the first changes of up to {@value #MAX_SETS} change sets.
 */
final class KeyTypeSearch {
    private static final int MAX_BASES = 3;
    private static final int MAX_SETS = 16;
    private static final int BUFFER_BYTES = 16 << 10;

    private final ContentSource source;
    private final Redaction redaction;

    /**
     * @param redaction of what is said of a base that can't be read
     */
    KeyTypeSearch(ContentSource source, Redaction redaction) {
        this.source = source;
        this.redaction = redaction;
    }

    /** Never fails: what can't be read here is reported when it is read for its own sake. */
    KeyType of(OperatorLogs operator) {
        String why = "nothing of it is materialized";
        for (KeyedStateHandle base : firstBases(operator)) {
            try {
                return inBase(base);
            } catch (IOException e) {
                why = "what is materialized can't be read: " + Damages.text(e, redaction);
            }
        }
        Sample sample = new Sample(operator.numberOfKeyGroups());
        for (List<ChangelogStateBackendHandle> handles : operator.subtasks().values()) {
            try {
                new LogWalk(source, sample, sample).walk(handles);
            } catch (IOException e) {
                return KeyType.unknown(
                        why + ", and the log can't be read: " + Damages.text(e, redaction));
            }
        }
        return sample.decide(why);
    }

    private static List<KeyedStateHandle> firstBases(OperatorLogs operator) {
        return operator.subtasks().values().stream()
                .flatMap(List::stream)
                .flatMap(handle -> handle.getMaterializedStateHandles().stream())
                .limit(MAX_BASES)
                .collect(Collectors.toList());
    }

    /**
     * Both kinds of snapshot begin with what the backend needs to know, and that with the key.
     *
     * @return unknown if the type is none of Flink's own
     * @throws IOException if that can't be read
     */
    private static KeyType inBase(KeyedStateHandle base) throws IOException {
        StreamStateHandle begin;
        if (base instanceof IncrementalRemoteKeyedStateHandle) {
            begin = ((IncrementalRemoteKeyedStateHandle) base).getMetaDataStateHandle();
        } else if (base instanceof KeyGroupsStateHandle) {
            begin = ((KeyGroupsStateHandle) base).getDelegateStateHandle();
        } else {
            throw new IOException("a snapshot of the kind " + base.getClass().getName());
        }
        KeyedBackendSerializationProxy<?> proxy =
                new KeyedBackendSerializationProxy<>(KeyTypeSearch.class.getClassLoader());
        try (InputStream in = new BufferedInputStream(begin.openInputStream(), BUFFER_BYTES)) {
            proxy.read(new DataInputViewStreamWrapper(in));
        } catch (IOException | RuntimeException | LinkageError e) {
            // At a state of the job's own classes: what comes before, the key, may be read.
            if (proxy.getKeySerializerSnapshot() == null) {
                throw new IOException(e.toString(), e);
            }
        }
        TypeSerializerSnapshot<?> snapshot = proxy.getKeySerializerSnapshot();
        return BuiltInTypes.restore(snapshot)
                .map(type -> KeyType.of(type, Origin.BASE))
                .orElseGet(
                        () ->
                                KeyType.other(
                                        "their serializer is none of Flink's plain ones: "
                                                + snapshot.getClass().getName()));
    }

    /** The first changes of a log, until the type is known or there are enough. */
    private static final class Sample implements ChangeSink, LogWalk.Listener {
        private final KeyGuess guess;
        private Optional<KeyType> ofTimers = Optional.empty();
        private int sets;

        Sample(int numberOfKeyGroups) {
            this.guess = new KeyGuess(numberOfKeyGroups);
        }

        KeyType decide(String why) {
            return ofTimers.orElseGet(() -> guess.decide(why));
        }

        @Override
        public void metadata(DescribedState state, byte[] record) {
            state.timers()
                    .ifPresent(
                            timers ->
                                    ofTimers =
                                            Optional.of(KeyType.of(timers.keys(), Origin.TIMERS)));
        }

        @Override
        public void change(DescribedState state, ChangeOp op, int keyGroup, byte[] record) {
            if (state.kind() != DescribedState.Kind.QUEUE
                    && state.kind() != DescribedState.Kind.UNKNOWN) {
                guess.add(state, op, keyGroup, record);
            }
        }

        @Override
        public void setDone(SegmentLocation set) {
            sets++;
        }

        @Override
        public void damaged(SegmentLocation set, Exception cause) {}

        @Override
        public boolean isFull() {
            return ofTimers.isPresent() || guess.isFull() || sets >= MAX_SETS;
        }
    }
}
