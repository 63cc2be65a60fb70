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

import static io.dstl.changelog.record.ProbeSerializer.POISON;
import static io.dstl.changelog.record.ProbeSerializer.text;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.record.ProbeSerializer;
import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.OnEachDelegate;
import java.util.List;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LoggedValueStateTest extends LoggedStateTest {
    private final ProbeSerializer probe = new ProbeSerializer();

    @OnEachDelegate
    void logsUpdatesAndRemovals(Delegate kind) throws Exception {
        open(kind);
        InternalValueState<Integer, Long, String> state = strings();
        state.update("a");
        state.update(null);
        state.clear();
        assertThat(state.value()).isNull();
        assertThat(changes(STRINGS))
                .containsExactly("SET key=7 ns=1 a", "CLEAR key=7 ns=1", "CLEAR key=7 ns=1");
    }

    @OnEachDelegate
    void followsKeyAndNamespace(Delegate kind) throws Exception {
        open(kind);
        InternalValueState<Integer, Long, String> state = strings();
        state.update("a");
        state.setCurrentNamespace(2L);
        state.update("b");
        backend.setCurrentKey(8);
        state.update("c");
        state.setCurrentNamespace(1L);
        state.update("d");
        List<RecordedChange> changes = backend.log.take();
        assertThat(changes.get(1).keyGroup()).isEqualTo(backend.recorder.keyGroupOf(7));
        assertThat(changes.get(4).keyGroup()).isEqualTo(backend.recorder.keyGroupOf(8));
        state.update("e");
        assertThat(changes(STRINGS)).containsExactly("SET key=8 ns=1 e");
        backend.setCurrentKey(7);
        assertThat(state.value()).isEqualTo("a");
    }

    @OnEachDelegate
    void readsLogNothing(Delegate kind) throws Exception {
        open(kind);
        InternalValueState<Integer, Long, String> state = strings();
        assertThat(state.value()).isNull();
        assertThat(state.getKeySerializer()).isEqualTo(backend.delegate.getKeySerializer());
        assertThat(state.getNamespaceSerializer()).isEqualTo(LONGS);
        assertThat(state.getValueSerializer()).isEqualTo(STRINGS);
        assertThat(backend.log.take()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Delegate.class, names = "ROCKSDB") // which serializes, and so can refuse
    void aChangeThatTheDelegateRefusesIsNotLogged(Delegate kind) throws Exception {
        open(kind);
        InternalValueState<Integer, Long, StringBuilder> state = probes();
        assertThatThrownBy(() -> state.update(text(POISON))).isInstanceOf(Exception.class);
        assertThat(backend.log.take()).isEmpty();

        state.update(text("fine"));
        backend.recorder.checkComplete();
        assertThat(changes(probe)).containsExactly("SET key=7 ns=1 fine");
    }

    @ParameterizedTest
    @EnumSource(value = Delegate.class, names = "HEAP") // which takes any object
    void aChangeThatCannotBeLoggedEndsTheLog(Delegate kind) throws Exception {
        open(kind);
        InternalValueState<Integer, Long, StringBuilder> state = probes();
        assertThatThrownBy(() -> state.update(text(POISON)))
                .hasMessageContaining("cannot serialize");
        assertThat(backend.changes()).isEmpty();

        assertThatThrownBy(() -> state.update(text("fine")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'probes'");
        assertThatThrownBy(backend.recorder::checkComplete)
                .isInstanceOf(IllegalStateException.class);
        assertThat(backend.changes()).isEmpty();
    }

    @OnEachDelegate
    @SuppressWarnings("deprecation")
    void describesTheDefault(Delegate kind) throws Exception {
        open(kind);
        ValueStateDescriptor<String> descriptor =
                new ValueStateDescriptor<>("strings", STRINGS, "none");
        InternalValueState<Integer, Long, String> state = backend.state(LONGS, 1L, descriptor);
        assertThat(state.value()).isEqualTo("none");
        state.update("a");

        StateMetadata metadata = backend.log.take().get(0).metadata();
        assertThat(metadata.type()).isEqualTo(BackendStateType.KEY_VALUE);
        assertThat(metadata.name()).isEqualTo("strings");
        assertThat(metadata.defaultValue()).contains("none");
        assertThat(metadata.ttlConfig()).isEmpty();
        assertThat(metadata.valueSerializer()).isEqualTo(STRINGS);
    }

    @OnEachDelegate
    void staysTheSameStateWhenRegisteredAgain(Delegate kind) throws Exception {
        open(kind);
        InternalValueState<Integer, Long, String> state = strings();
        state.update("a");
        assertThat(backend.log.take())
                .extracting(RecordedChange::isMetadata)
                .containsExactly(true, false);

        InternalValueState<Integer, Long, String> again =
                backend.state(LONGS, new ValueStateDescriptor<>("strings", STRINGS));
        assertThat(again).isSameAs(state);
        assertThat(backend.log.take()).isEmpty();
        state.update("b");
        List<RecordedChange> records = backend.log.take();
        assertThat(records).extracting(RecordedChange::isMetadata).containsExactly(true, false);
        assertThat(records.get(0).metadata().id().value()).isZero();
        assertThat(state.value()).isEqualTo("b");
    }

    @OnEachDelegate
    void serializesOnce(Delegate kind) throws Exception {
        open(kind);
        InternalValueState<Integer, Long, StringBuilder> state = probes();
        state.update(text("a"));
        assertThat(((ProbeSerializer) state.getValueSerializer()).writes()).isEqualTo(1);
        assertThat(backend.recorder.serialized().getCount())
                .isEqualTo(kind == Delegate.HEAP ? 1 : 0);
    }

    private InternalValueState<Integer, Long, String> strings() throws Exception {
        InternalValueState<Integer, Long, String> state =
                backend.state(LONGS, 1L, new ValueStateDescriptor<>("strings", STRINGS));
        return state;
    }

    private InternalValueState<Integer, Long, StringBuilder> probes() throws Exception {
        InternalValueState<Integer, Long, StringBuilder> state =
                backend.state(LONGS, 1L, new ValueStateDescriptor<>("probes", probe));
        return state;
    }
}
