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

import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.OnEachDelegate;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.streaming.api.operators.TimerSerializer;

class LoggedStatesTest extends LoggedStateTest {
    @OnEachDelegate
    void givesEachStateAnIdOfItsOwn(Delegate kind) throws Exception {
        open(kind);
        InternalValueState<Integer, Long, String> first = value("first");
        InternalValueState<Integer, Long, String> second = value("second");
        first.setCurrentNamespace(1L);
        second.setCurrentNamespace(1L);
        second.update("a");
        first.update("b");

        RecordedChange[] records = backend.log.take().toArray(new RecordedChange[0]);
        assertThat(records).hasSize(4);
        assertThat(records[0].metadata().name()).isEqualTo("second");
        assertThat(records[0].metadata().id().value()).isEqualTo((short) 1);
        assertThat(records[1].metadata().name()).isEqualTo("first");
        assertThat(records[1].metadata().id().value()).isEqualTo((short) 0);
    }

    /** Nothing reads it: without a changelog the state works. */
    @OnEachDelegate
    void leavesOutADefaultValueThatCannotBeWritten(Delegate kind) throws Exception {
        open(kind);
        TypeInformation<Tuple2<Long, Long>> pairs = Types.TUPLE(Types.LONG, Types.LONG);
        InternalValueState<Integer, Long, Tuple2<Long, Long>> value =
                backend.state(
                        LONGS,
                        new ValueStateDescriptor<>(
                                "value",
                                pairs.createSerializer(new SerializerConfigImpl()),
                                Tuple2.of(null, 0L)));
        value.setCurrentNamespace(1L);
        value.update(Tuple2.of(1L, 1L));

        List<RecordedChange> records = backend.log.take();
        assertThat(records).hasSize(2);
        assertThat(records.get(0).metadata().defaultValue()).isEmpty();
        backend.recorder.checkComplete();
        assertThat(value.value()).isEqualTo(Tuple2.of(1L, 1L));
    }

    /** Else a state that has no timers would keep a restore from running beside its log. */
    @OnEachDelegate
    void describesAQueueOnTheHeapWithItsOwnChangeOnly(Delegate kind) throws Exception {
        open(kind);
        backend.queue("timers", new TimerSerializer<>(INTS, VoidNamespaceSerializer.INSTANCE));
        InternalValueState<Integer, Long, String> value = value("value");
        value.setCurrentNamespace(1L);
        value.update("a");

        List<String> described = new ArrayList<>();
        for (RecordedChange record : backend.log.take()) {
            if (record.isMetadata()) {
                described.add(record.metadata().name());
            }
        }
        assertThat(described)
                .containsExactlyElementsOf(
                        kind == Delegate.HEAP ? List.of("value") : List.of("value", "timers"));
    }

    @OnEachDelegate
    void refusesOneNameForTwoKinds(Delegate kind) throws Exception {
        open(kind);
        value("taken");
        InternalListState<Integer, Long, String> list =
                backend.delegate.createOrUpdateInternalState(
                        LONGS, new ListStateDescriptor<>("list", STRINGS));
        ListStateDescriptor<String> descriptor = new ListStateDescriptor<>("taken", STRINGS);
        assertThatThrownBy(() -> backend.states.keyValue(descriptor, list))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'taken' is registered as VALUE already, now as LIST");
    }

    @OnEachDelegate
    void namesAKindItCannotLog(Delegate kind) throws Exception {
        open(kind);
        InternalValueState<Integer, Long, String> value =
                backend.delegate.createOrUpdateInternalState(
                        LONGS, new ValueStateDescriptor<>("value", STRINGS));
        assertThatThrownBy(() -> backend.states.keyValue(new StrangeDescriptor(), value))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("'strange'")
                .hasMessageContaining("FOLDING")
                .hasMessageContaining("state.backend.changelog.enabled");
    }

    private InternalValueState<Integer, Long, String> value(String name) throws Exception {
        return backend.state(LONGS, new ValueStateDescriptor<>(name, STRINGS));
    }

    /** Of a kind that Flink 1.20 still lists, and makes no more. */
    private static final class StrangeDescriptor extends StateDescriptor<ValueState<String>, String>
            implements Serializable {
        StrangeDescriptor() {
            super("strange", STRINGS, null);
        }

        @Override
        public Type getType() {
            return Type.FOLDING;
        }
    }
}
