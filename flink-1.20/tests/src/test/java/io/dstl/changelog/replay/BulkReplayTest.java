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

import static io.dstl.changelog.replay.HandWrittenLog.ADD;
import static io.dstl.changelog.replay.HandWrittenLog.ADD_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.ADD_OR_UPDATE_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.CLEAR;
import static io.dstl.changelog.replay.HandWrittenLog.MERGE_NS;
import static io.dstl.changelog.replay.HandWrittenLog.NOTHING;
import static io.dstl.changelog.replay.HandWrittenLog.SET;
import static io.dstl.changelog.replay.HandWrittenLog.SET_INTERNAL;
import static io.dstl.changelog.replay.HandWrittenLog.entry;
import static io.dstl.changelog.replay.HandWrittenLog.keyGroup;
import static io.dstl.changelog.replay.HandWrittenLog.longs;
import static io.dstl.changelog.replay.HandWrittenLog.merge;
import static io.dstl.changelog.replay.HandWrittenLog.number;
import static io.dstl.changelog.replay.ReplayFixture.OF_STOCK;
import static io.dstl.changelog.replay.ReplayFixture.VERIFIED;
import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static io.dstl.changelog.replay.ReplayFixture.verified;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.testing.EveryState;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A replay in bulk leaves RocksDB as one through the states does, or is one through the states. */
class BulkReplayTest extends ReplayTest {
    private static final ValueStateDescriptor<Long> VALUE = new ValueStateDescriptor<>("v", LONGS);
    private static final int RUNS = 6;

    /** Room for what a run has. */
    private static final long MUCH = 1 << 22;

    /** What two tables of a partition begin with, and little more. */
    private static final long LITTLE = 100_000;

    private static final List<String> STATES = EveryState.NAMES;

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void leavesTheSameBytesAsAReplayThroughTheStates(int threads) throws Exception {
        for (long seed = 1; seed <= RUNS; seed++) {
            ChangelogStateBackendHandle log = randomLog(seed, 40);
            List<String> expected = contentAfter(BulkSettings.off(), log);

            assertThat(contentAfter(BulkSettings.of(threads, MUCH), log))
                    .as("seed %s", seed)
                    .containsExactlyElementsOf(expected);
        }
    }

    /** With so many keys that the tables are written several times. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void leavesTheSameBytesWithLittleMemory(int threads) throws Exception {
        for (long seed = 1; seed <= RUNS; seed++) {
            ChangelogStateBackendHandle log = randomLog(seed, 700);
            List<String> expected = contentAfter(BulkSettings.off(), log);
            BulkSettings little = BulkSettings.of(threads, threads * LITTLE);

            try (ReplayFixture fixture = ReplayFixture.inBulk(emptyDirectory(), little)) {
                fixture.replay(log);

                assertThat(fixture.bulk.tally().tables())
                        .as("tables written, seed %s", seed)
                        .isGreaterThan(threads);
                assertThat(fixture.content(STATES))
                        .as("seed %s", seed)
                        .containsExactlyElementsOf(expected);
            }
        }
    }

    @Test
    void writesOnlyTheLastChangeOfAKey() throws Exception {
        HandWrittenLog first =
                new HandWrittenLog()
                        .state(0, "v", Type.VALUE, LONGS, LONGS)
                        .state(1, "m", Type.MAP, LONGS, new MapSerializer<>(STRINGS, LONGS))
                        .change(SET, 0, 1, 10, number(1))
                        .change(SET, 0, 2, 10, number(1))
                        .change(ADD_OR_UPDATE_ELEMENT, 1, 1, 10, entry("a", 1))
                        .change(ADD_OR_UPDATE_ELEMENT, 1, 1, 10, entry("b", 1));
        HandWrittenLog second =
                new HandWrittenLog()
                        .change(SET, 0, 1, 10, number(2))
                        .change(ADD_OR_UPDATE_ELEMENT, 1, 1, 10, entry("a", 2))
                        .change(CLEAR, 1, 1, 10, NOTHING)
                        .change(ADD_OR_UPDATE_ELEMENT, 1, 1, 10, entry("a", 3));

        inBulk();
        fixture.replay(verified(first, second));

        assertThat(fixture.bulk.leftOut()).isEmpty();
        assertThat(fixture.bulk.tally().changes()).isEqualTo(8);
        assertThat(fixture.bulk.tally().survivors()).isEqualTo(3);
        assertThat(fixture.state(VALUE, 1, 10).value()).isEqualTo(2L);
        assertThat(fixture.state(VALUE, 2, 10).value()).isEqualTo(1L);
    }

    /** A list that is not known to be there is added to by one operand, however often it was. */
    @Test
    void addsToTheListThatIsThere() throws Exception {
        HandWrittenLog log =
                new HandWrittenLog()
                        .state(0, "l", Type.LIST, LONGS, new ListSerializer<>(LONGS))
                        .change(SET, 0, 1, 10, longs(1, 2))
                        .change(ADD_ELEMENT, 0, 2, 10, number(1));
        HandWrittenLog more =
                new HandWrittenLog()
                        .state(0, "l", Type.LIST, LONGS, new ListSerializer<>(LONGS))
                        .change(ADD_ELEMENT, 0, 1, 10, number(3))
                        .change(ADD, 0, 1, 10, longs(4, 5))
                        .change(ADD, 0, 1, 10, longs())
                        .change(SET_INTERNAL, 0, 2, 10, longs())
                        .change(ADD_ELEMENT, 0, 2, 10, number(6));

        inBulk();
        fixture.replay(log);
        fixture.replay(more);

        assertThat(fixture.bulk.leftOut()).isEmpty();
        assertThat(listAt(1, 10)).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(listAt(2, 10)).containsExactly(6L);
    }

    @Test
    void replaysWhatWasNotVerifiedThroughTheStates() throws Exception {
        HandWrittenLog first = oneValue().change(SET, 0, 2, 10, number(1));
        HandWrittenLog ofStock = new HandWrittenLog().change(SET, 0, 1, 10, number(2));
        HandWrittenLog last = new HandWrittenLog().change(SET, 0, 2, 10, number(3));
        ChangelogStateHandle log =
                log(
                        DelegateKind.ALL,
                        segment(VERIFIED, first),
                        segment(OF_STOCK, ofStock),
                        segment(VERIFIED, last));

        inBulk();
        fixture.replay(handle(DelegateKind.ALL, log));

        assertThat(fixture.bulk.tally().changes()).isEqualTo(3);
        assertThat(fixture.state(VALUE, 1, 10).value()).isEqualTo(2L);
        assertThat(fixture.state(VALUE, 2, 10).value()).isEqualTo(3L);
    }

    @Test
    void replaysAStateThroughItselfFromAMergeOfNamespacesOn() throws Exception {
        HandWrittenLog log =
                new HandWrittenLog()
                        .state(0, "l", Type.LIST, LONGS, new ListSerializer<>(LONGS))
                        .state(1, "v", Type.VALUE, LONGS, LONGS)
                        .change(SET, 0, 1, 10, longs(1))
                        .change(SET, 0, 1, 11, longs(2))
                        .change(MERGE_NS, 0, 1, 10, merge(10, 11))
                        .change(ADD_ELEMENT, 0, 1, 10, number(3))
                        .change(SET, 1, 1, 10, number(7));

        inBulk();
        fixture.replay(log);

        assertThat(fixture.bulk.leftOut()).containsOnlyKeys("l");
        assertThat(fixture.bulk.leftOut().get("l")).isEqualTo("its log has MERGE_NS");
        assertThat(fixture.bulk.tally().changes()).isEqualTo(3);
        assertThat(listAt(1, 10)).containsExactly(1L, 2L, 3L);
        assertThat(fixture.state(VALUE, 1, 10).value()).isEqualTo(7L);
    }

    /**
     * The namespace of a state may get another serializer, and its values none: the delegate keeps
     * that which it has, and namespaces are kept in its form.
     */
    @Test
    void replaysAStateThroughItselfWhereItsNamespaceIsOfAnotherSerializer() throws Exception {
        SerializerConfigImpl registered = new SerializerConfigImpl();
        registered.registerKryoType(AtomicLong.class);
        TypeSerializer<Number> kept = new KryoSerializer<>(Number.class, registered);
        TypeSerializer<Number> logged =
                new KryoSerializer<>(Number.class, new SerializerConfigImpl());
        byte[] set =
                new HandWrittenLog()
                        .state(0, "value", Type.VALUE, kept, LONGS)
                        .raw(keyGroup(1), out -> writeSet(out, 0, kept, 1))
                        .state(1, "value", Type.VALUE, logged, LONGS)
                        .raw(keyGroup(2), out -> writeSet(out, 1, logged, 2))
                        .seal();
        List<String> states = List.of("value");

        List<String> expected;
        try (ReplayFixture through = ReplayFixture.inBulk(emptyDirectory(), BulkSettings.off())) {
            through.replay(verified(set));
            expected = through.content(states);
        }
        inBulk();
        fixture.replay(verified(set));

        assertThat(fixture.content(states)).hasSize(2).containsExactlyElementsOf(expected);
        assertThat(fixture.bulk.leftOut().get("value"))
                .isEqualTo("it is kept with another serializer than it was logged with");
        assertThat(fixture.bulk.tally().changes()).isEqualTo(1);
    }

    private static void writeSet(
            DataOutputSerializer out, int id, TypeSerializer<Number> namespaces, int key)
            throws IOException {
        out.writeByte(SET);
        out.writeShort(id);
        out.writeInt(key);
        namespaces.serialize(new AtomicLong(10), out);
        out.writeLong(5);
    }

    /** What waits for the user's function is forgotten by a later change of the same scope. */
    @Test
    void forgetsAMergeThatALaterHandleOverwrites() throws Exception {
        HandWrittenLog merged =
                new HandWrittenLog()
                        .state(0, "r", Type.REDUCING, LONGS, LONGS)
                        .change(SET_INTERNAL, 0, 1, 10, number(1))
                        .change(SET_INTERNAL, 0, 1, 11, number(2))
                        .change(MERGE_NS, 0, 1, 10, merge(10, 11));
        HandWrittenLog overwritten =
                new HandWrittenLog()
                        .state(0, "r", Type.REDUCING, LONGS, LONGS)
                        .change(SET_INTERNAL, 0, 1, 10, number(5));

        inBulk();
        fixture.replay(merged);
        assertThat(fixture.target.leftovers().statesWithDeferredMerges()).containsExactly("r");
        fixture.replay(overwritten);

        assertThat(fixture.target.leftovers().statesWithDeferredMerges()).isEmpty();
    }

    @Test
    void replaysThroughTheStatesOnTheHeap() throws Exception {
        HandWrittenLog log = oneValue();

        fixture = ReplayFixture.inBulk(DelegateKind.HEAP, directory, BulkSettings.of(1, MUCH));
        fixture.replay(log);

        assertThat(fixture.bulk.leftOut().get("v")).startsWith("it is a ").contains("Heap");
        assertThat(fixture.bulk.tally().changes()).isZero();
        assertThat(fixture.state(VALUE, 1, 10).value()).isEqualTo(1L);
    }

    @Test
    void replaysThroughTheStatesOnceItHasNoNumberForAnother() throws Exception {
        HandWrittenLog log =
                new HandWrittenLog()
                        .state(0, "w", Type.VALUE, LONGS, LONGS)
                        .change(SET, 0, 1, 10, number(1));
        inBulk();
        RawState other =
                DelegateSupport.get()
                        .rawState((InternalKvState<?, ?, ?>) fixture.state(VALUE, 1, 10))
                        .orElseThrow();
        for (int i = 0; i < 1 << 16; i++) {
            assertThat(fixture.bulk.open(other)).isPresent();
        }
        fixture.replay(log);

        assertThat(fixture.bulk.leftOut().get("w")).isEqualTo("too many states were registered");
        assertThat(fixture.bulk.tally().changes()).isZero();
        assertThat(fixture.state(new ValueStateDescriptor<>("w", LONGS), 1, 10).value())
                .isEqualTo(1L);
    }

    private void inBulk() throws Exception {
        openInBulk(BulkSettings.of(1, MUCH));
    }
}
