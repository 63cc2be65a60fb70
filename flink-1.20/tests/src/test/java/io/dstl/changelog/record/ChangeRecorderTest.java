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
package io.dstl.changelog.record;

import static io.dstl.changelog.record.ProbeSerializer.POISON;
import static io.dstl.changelog.record.ProbeSerializer.text;
import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.serializer.type.MyPojo;
import io.dstl.changelog.serializer.type.MyPojo.MySpecialPojo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.InternalKeyContextImpl;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ChangeRecorderTest {
    private static final int KEY_GROUPS = 16;

    private final RecordingAppender appender = new RecordingAppender();
    private final InternalKeyContextImpl<StringBuilder> keyContext =
            new InternalKeyContextImpl<>(KeyGroupRange.of(0, KEY_GROUPS - 1), KEY_GROUPS);
    private final ProbeSerializer keySerializer = new ProbeSerializer();
    private final ProbeSerializer namespaceSerializer = new ProbeSerializer();
    private final ChangeRecorder<StringBuilder> recorder =
            new ChangeRecorder<>(appender, keyContext, keySerializer);
    private final StateLog<StringBuilder, StringBuilder> log = log("state");

    @BeforeEach
    void select() {
        setKey(text("k1"));
        log.setNamespace(text("n1"));
    }

    @Test
    void serializesTheKeyOncePerSwitch() throws Exception {
        set("a");
        set("b");
        log("other").record(fixed("n9"), ChangeOp.CLEAR);
        assertThat(keySerializer.writes()).isEqualTo(1);

        setKey(text("k2"));
        set("c");
        set("d");
        assertThat(keySerializer.writes()).isEqualTo(2);
        assertThat(described())
                .containsExactly(
                        "SET key=k1 ns=n1 a",
                        "SET key=k1 ns=n1 b",
                        "CLEAR key=k1 ns=n9",
                        "SET key=k2 ns=n1 c",
                        "SET key=k2 ns=n1 d");
    }

    @Test
    void serializesNoKeyWithoutAChange() {
        setKey(text("k2"));
        setKey(text("k3"));
        assertThat(keySerializer.writes()).isZero();
    }

    @Test
    void seesAKeyObjectThatIsUsedAgainWithOtherContent() throws Exception {
        StringBuilder reused = text("k2");
        setKey(reused);
        set("a");
        reused.setLength(0);
        reused.append("k3");
        setKey(reused);
        set("b");
        assertThat(described()).containsExactly("SET key=k2 ns=n1 a", "SET key=k3 ns=n1 b");
    }

    @Test
    void seesAKeyThatSwitchedAfterAListenerHadMadeAChange() throws Exception {
        recorder.keyChanged();
        set("made while the old key is still set");
        keyContext.setCurrentKey(text("k2"));
        set("b");
        assertThat(described()).last().isEqualTo("SET key=k2 ns=n1 b");
    }

    @Test
    void serializesTheNamespaceOncePerSwitch() throws Exception {
        set("a");
        set("b");
        assertThat(namespaceSerializer.writes()).isEqualTo(1);
        log.setNamespace(text("n2"));
        set("c");
        assertThat(namespaceSerializer.writes()).isEqualTo(2);
        assertThat(described()).last().isEqualTo("SET key=k1 ns=n2 c");
    }

    @Test
    void seesANamespaceObjectThatIsUsedAgainWithOtherContent() throws Exception {
        StringBuilder reused = text("n2");
        log.setNamespace(reused);
        set("a");
        log.setNamespace(text("in between"));
        reused.setLength(0);
        reused.append("n3");
        log.setNamespace(reused);
        set("b");
        assertThat(described()).containsExactly("SET key=k1 ns=n2 a", "SET key=k1 ns=n3 b");
    }

    @Test
    void changesGoToTheKeyGroupOfTheirKey() throws Exception {
        set("a");
        assertThat(appender.takeChanges().get(0).keyGroup())
                .isEqualTo(keyContext.getCurrentKeyGroupIndex());
    }

    @Test
    void aFixedScopeKeepsItsKeyAndKeyGroup() throws Exception {
        StateLog.Scope scope = fixed("n5");
        int keyGroup = keyContext.getCurrentKeyGroupIndex();
        setKey(text("some other key"));
        set("a");
        log.record(scope, ChangeOp.CLEAR);
        set("b");

        List<RecordedChange> changes = appender.takeChanges();
        assertThat(changes.get(1).keyGroup()).isEqualTo(keyGroup);
        assertThat(describe(changes))
                .containsExactly(
                        "SET key=some other key ns=n1 a",
                        "CLEAR key=k1 ns=n5",
                        "SET key=some other key ns=n1 b");
    }

    @Test
    void aMergeIsScopedByItsTarget() throws Exception {
        log.recordMerge(
                log.fixedScope(text("target")),
                text("target"),
                Arrays.asList(text("s1"), text("s2")));
        RecordedChange change = appender.takeChanges().get(0);
        assertThat(change.op()).isEqualTo(ChangeOp.MERGE_NS);
        assertThat(
                        change.describe(
                                keySerializer,
                                namespaceSerializer,
                                namespaceSerializer,
                                INTS,
                                namespaceSerializer,
                                namespaceSerializer))
                .isEqualTo("MERGE_NS key=k1 ns=target target 2 s1 s2");
    }

    @Test
    void describesAllStatesBeforeTheFirstChangeOfEachRound() throws Exception {
        StateLog<StringBuilder, StringBuilder> silent = log("silent");
        set("a");
        set("b");
        assertThat(kinds()).containsExactly("meta state", "meta silent", "SET", "SET");

        recorder.startNewRound();
        assertThat(appender.take()).isEmpty();
        set("c");
        set("d");
        assertThat(kinds()).containsExactly("meta state", "meta silent", "SET", "SET");

        silent.setNamespace(text("n"));
        silent.record(silent.currentScope(), ChangeOp.CLEAR);
        assertThat(kinds()).containsExactly("CLEAR");
    }

    /** A subclass that its serializer meets until then has to be in what the log says of it. */
    @Test
    void describesAStateWhoseSchemaMayGrowBeforeItsOwnFirstChange() throws Exception {
        StateLog<StringBuilder, StringBuilder> list =
                log("pojos", id -> metadata(id, "pojos", new ListSerializer<>(pojos())));
        set("a");
        assertThat(kinds()).containsExactly("meta state", "SET");

        list.record(list.currentScope(), ChangeOp.CLEAR);
        assertThat(kinds()).containsExactly("meta pojos", "CLEAR");
    }

    /** In the change set that has the first value of a subclass. */
    @Test
    void describesAStateAgainOnceItsSchemaHasGrown() throws Exception {
        TypeSerializer<MyPojo> pojos = pojos();
        StateLog<StringBuilder, StringBuilder> value =
                log("pojos", id -> metadata(id, "pojos", pojos));
        value.record(value.currentScope(), ChangeOp.SET, pojos, new MyPojo());
        appender.seal();
        assertThat(kinds()).containsExactly("meta pojos", "meta state", "SET");

        value.record(value.currentScope(), ChangeOp.SET, pojos, new MySpecialPojo());
        appender.seal();
        assertThat(kinds()).containsExactly("SET", "meta pojos");

        value.record(value.currentScope(), ChangeOp.SET, pojos, new MySpecialPojo());
        appender.seal();
        recorder.startNewRound();
        appender.seal();
        assertThat(kinds()).containsExactly("SET");
    }

    /** As of a user's serializer that writes it in no certain order. */
    @Test
    void aSchemaThatIsAnotherEachTimeIsNotDescribedEachTime() throws Exception {
        TypeSerializer<MyPojo> grown = pojos();
        grown.serialize(new MySpecialPojo(), new DataOutputSerializer(64));
        List<TypeSerializer<MyPojo>> either = List.of(pojos(), grown);
        AtomicInteger asked = new AtomicInteger();
        StateLog<StringBuilder, StringBuilder> value =
                log("pojos", id -> metadata(id, "pojos", either.get(asked.getAndIncrement() % 2)));
        value.record(value.currentScope(), ChangeOp.CLEAR);
        appender.seal();
        assertThat(kinds()).containsExactly("meta pojos", "meta state", "CLEAR", "meta pojos");

        value.record(value.currentScope(), ChangeOp.CLEAR);
        appender.seal();
        assertThat(kinds()).containsExactly("CLEAR");
    }

    @Test
    void aGrownSchemaThatCannotBeDescribedIsALoss() throws Exception {
        List<StateMetadata> described = new ArrayList<>();
        StateLog<StringBuilder, StringBuilder> value =
                log(
                        "pojos",
                        id -> {
                            if (!described.isEmpty()) {
                                throw new IllegalStateException("no snapshot");
                            }
                            described.add(metadata(id, "pojos", pojos()));
                            return described.get(0);
                        });
        value.record(value.currentScope(), ChangeOp.CLEAR);

        assertThatThrownBy(appender::seal).hasMessage("no snapshot");

        assertThatThrownBy(recorder::checkComplete).hasMessageContaining("'pojos'");
        assertThatCode(appender::seal).doesNotThrowAnyException();
    }

    private static TypeSerializer<MyPojo> pojos() {
        return TypeInformation.of(MyPojo.class).createSerializer(new SerializerConfigImpl());
    }

    @Test
    void whatCannotBeDescribedFailsWithItsOwnChange() throws Exception {
        StateLog<StringBuilder, StringBuilder> broken =
                log(
                        "broken",
                        id -> {
                            throw new IllegalStateException("no snapshot");
                        });
        StateLog<StringBuilder, StringBuilder> unwritable =
                log("unwritable", id -> withDefault(id, "unwritable", 1));
        set("a");
        recorder.checkComplete();
        assertThat(kinds()).containsExactly("meta state", "SET");

        assertThatThrownBy(() -> broken.record(broken.currentScope(), ChangeOp.CLEAR))
                .hasMessage("no snapshot");
        assertThatThrownBy(recorder::checkComplete).hasMessageContaining("'broken'");
        assertThatThrownBy(() -> unwritable.record(unwritable.currentScope(), ChangeOp.CLEAR))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void describesAStateThatComesLaterBeforeItsFirstChange() throws Exception {
        set("a");
        StateLog<StringBuilder, StringBuilder> late = log("late");
        set("b");
        assertThat(kinds()).containsExactly("meta state", "SET", "SET");

        late.setNamespace(text("n"));
        late.record(late.currentScope(), ChangeOp.CLEAR);
        assertThat(kinds()).containsExactly("meta late", "CLEAR");
    }

    @Test
    void describesAStateAgainThatIsRegisteredAgain() throws Exception {
        set("a");
        log.redescribe();
        set("b");
        assertThat(kinds()).containsExactly("meta state", "SET", "meta state", "SET");
    }

    @Test
    void aValueThatCannotBeSerializedLeavesNoHalfRecord() throws Exception {
        set("a");
        assertThatThrownBy(() -> set(POISON)).isInstanceOf(IOException.class);
        assertThat(described()).containsExactly("SET key=k1 ns=n1 a");
    }

    @Test
    void aKeyOrNamespaceThatCannotBeSerializedLeavesNoHalfRecord() {
        log.setNamespace(text(POISON));
        assertThatThrownBy(() -> set("a")).isInstanceOf(IOException.class);
        assertThat(appender.takeChanges()).isEmpty();
    }

    @Test
    void refusesToGoOnWhenAChangeWasLost() {
        assertThatThrownBy(() -> set(POISON)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> set("a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'state'")
                .hasMessageContaining("last checkpoint")
                .hasRootCauseMessage("cannot serialize poison");
        assertThatThrownBy(recorder::checkComplete).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void isCompleteWhileNoChangeWasLost() throws Exception {
        set("a");
        assertThatCode(recorder::checkComplete).doesNotThrowAnyException();
    }

    @Test
    void numbersStatesFromZeroAndNamesTheOneTooMany() {
        for (int id = recorder.allocateId("s").value() + 1; id <= Short.MAX_VALUE; id++) {
            assertThat(recorder.allocateId("s").value()).isEqualTo((short) id);
        }
        assertThat(log.id()).isEqualTo(StateId.of((short) 0));
        assertThatThrownBy(() -> recorder.allocateId("one-too-many"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'one-too-many'")
                .hasMessageContaining("32768 states");
    }

    @Test
    void handsTheLogOneDuplicateForAsLongAsTheSerializerIsTheSame() {
        LogSerializer<StringBuilder> serializers = new LogSerializer<>();
        ProbeSerializer first = new ProbeSerializer();
        TypeSerializer<StringBuilder> duplicate = serializers.of(first);
        assertThat(duplicate).isNotSameAs(first);
        assertThat(serializers.of(first)).isSameAs(duplicate);
        assertThat(serializers.of(new ProbeSerializer())).isNotSameAs(duplicate);
    }

    private StateLog<StringBuilder, StringBuilder> log(String name) {
        return log(name, id -> metadata(id, name, STRINGS));
    }

    private StateLog<StringBuilder, StringBuilder> log(
            String name, Function<StateId, StateMetadata> metadata) {
        StateId id = recorder.allocateId(name);
        StateLog<StringBuilder, StringBuilder> created =
                new StateLog<>(
                        recorder, id, name, () -> namespaceSerializer, () -> metadata.apply(id));
        created.setNamespace(text("n1"));
        return created;
    }

    private static StateMetadata metadata(StateId id, String name, TypeSerializer<?> values) {
        return StateMetadata.keyValue(
                id, snapshot(name, values), Optional.empty(), Optional.empty());
    }

    /** Of another type than the state's, so that it can't be written. */
    private static StateMetadata withDefault(StateId id, String name, Object value) {
        return StateMetadata.keyValue(
                id, snapshot(name, STRINGS), Optional.empty(), Optional.of(value));
    }

    private static StateMetaInfoSnapshot snapshot(String name, TypeSerializer<?> values) {
        return new RegisteredKeyValueStateBackendMetaInfo<>(
                        StateDescriptor.Type.VALUE, name, LONGS, values)
                .snapshot();
    }

    private StateLog.Scope fixed(String namespace) {
        return log.fixedScope(text(namespace));
    }

    private void setKey(StringBuilder key) {
        recorder.keyChanged();
        keyContext.setCurrentKey(key);
        keyContext.setCurrentKeyGroupIndex(
                KeyGroupRangeAssignment.assignToKeyGroup(key.toString(), KEY_GROUPS));
    }

    private void set(String value) throws IOException {
        log.record(log.currentScope(), ChangeOp.SET, new ProbeSerializer(), text(value));
    }

    private List<String> described() throws IOException {
        return describe(appender.takeChanges());
    }

    private List<String> describe(List<RecordedChange> changes) throws IOException {
        List<String> texts = new ArrayList<>();
        for (RecordedChange change : changes) {
            texts.add(
                    change.op() == ChangeOp.CLEAR
                            ? change.describe(keySerializer, namespaceSerializer)
                            : change.describe(keySerializer, namespaceSerializer, keySerializer));
        }
        return texts;
    }

    private List<String> kinds() throws IOException {
        List<String> kinds = new ArrayList<>();
        for (RecordedChange record : appender.take()) {
            kinds.add(
                    record.isMetadata()
                            ? "meta " + record.metadata().name()
                            : record.op().toString());
        }
        return kinds;
    }
}
