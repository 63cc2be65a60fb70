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

import static io.dstl.changelog.replay.HandWrittenLog.ADD_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.CLEAR;
import static io.dstl.changelog.replay.HandWrittenLog.META_GROUP;
import static io.dstl.changelog.replay.HandWrittenLog.SET;
import static io.dstl.changelog.replay.HandWrittenLog.keyGroup;
import static io.dstl.changelog.replay.HandWrittenLog.number;
import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.testing.ForEachValue;
import java.io.FileNotFoundException;
import java.util.List;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.util.StateMigrationException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever does not belong in a log ends the replay, and the error says where and what. */
class ReplayErrorTest extends ReplayTest {
    @Test
    void namesSegmentOffsetAndChange() throws Exception {
        byte[] sound = values().change(SET, 0, 1, 10, number(5)).seal();
        byte[] corrupt =
                new HandWrittenLog()
                        .change(SET, 0, 1, 10, number(6))
                        .raw(keyGroup(1), out -> out.writeByte(9))
                        .seal();
        assertError(handle(segment("segment-1", sound, corrupt)))
                .hasMessageContaining("change 1 of the change set at offset " + sound.length)
                .hasMessageContaining("'segment-1'");
    }

    @Test
    void unknownOperation() throws Exception {
        assertError(values().raw(keyGroup(1), out -> out.writeByte(9)))
                .hasMessageContaining("Unknown operation 9")
                .hasMessageContaining("expected a code from 0 to 8");
    }

    @Test
    void unknownStateId() throws Exception {
        assertError(values().change(SET, 3, 1, 10, number(5)))
                .hasMessageContaining("state id 3 is unknown: expected metadata");
        assertError(values().change(SET, -1, 1, 10, number(5)))
                .hasMessageContaining("state id -1 is unknown");
        assertError(values().change(SET, 1234, 1, 10, number(5)))
                .hasMessageContaining("state id 1234 is unknown");
    }

    @ParameterizedTest
    @CsvSource({
        "VALUE, 3, ADD, SET CLEAR",
        "LIST, 6, ADD_OR_UPDATE_ELEMENT, SET SET_INTERNAL ADD ADD_ELEMENT CLEAR MERGE_NS",
        "MAP, 2, SET_INTERNAL, ADD ADD_OR_UPDATE_ELEMENT REMOVE_ELEMENT CLEAR",
        "REDUCING, 1, SET, SET_INTERNAL CLEAR MERGE_NS",
        "AGGREGATING, 5, ADD_ELEMENT, SET_INTERNAL CLEAR MERGE_NS"
    })
    void operationOfAnotherKind(Type kind, int code, String op, String expected) throws Exception {
        assertError(
                        new HandWrittenLog()
                                .state(0, "s", kind, LONGS, serializerOf(kind))
                                .change(code, 0, 1, 10, number(5)))
                .hasMessageContaining(
                        "operation %s on state 's': expected one of %s",
                        op, expected.replace(" ", ", "));
    }

    private static TypeSerializer<?> serializerOf(Type kind) {
        switch (kind) {
            case LIST:
                return new ListSerializer<>(LONGS);
            case MAP:
                return new MapSerializer<>(LONGS, LONGS);
            default:
                return LONGS;
        }
    }

    @Test
    void operationOfAnotherKindOnAQueue() throws Exception {
        assertError(queue().queueChange(CLEAR, 0, keyGroup(1), HandWrittenLog.NOTHING))
                .hasMessageContaining("operation CLEAR on state 'timers': expected one of ADD");
    }

    @Test
    void bytesAfterTheChange() throws Exception {
        assertError(values().change(SET, 0, 1, 10, out -> out.write(new byte[11])))
                .hasMessageContaining("3 bytes follow the change")
                .hasMessageContaining("expected its record to end at byte 23");
    }

    @Test
    void recordThatEndsEarly() throws Exception {
        assertError(values().change(SET, 0, 1, 10, out -> out.writeInt(5)))
                .hasMessageContaining("unexpected end: expected more bytes");
        assertError(values().raw(keyGroup(1), HandWrittenLog.NOTHING))
                .hasMessageContaining("unexpected end: expected more bytes");
    }

    @Test
    void recordThatEndsWithinItsKey() throws Exception {
        HandWrittenLog.Data record =
                out -> {
                    out.writeByte(SET);
                    out.writeShort(0);
                    out.writeShort(0);
                };
        assertError(values().raw(keyGroup(1), record))
                .hasMessageContaining(
                        "either the record is damaged, or the key is read with another")
                .hasMessageContaining("the change set at offset 0")
                .cause()
                .isInstanceOf(StateMigrationException.class);
    }

    @Test
    void negativeCounts() throws Exception {
        assertError(queue().queueChange(ADD_ELEMENT, 0, keyGroup(1), out -> out.writeInt(-1)))
                .hasMessageContaining("-1 elements: expected 0 or more");
        HandWrittenLog.Data merge =
                out -> {
                    out.writeLong(10);
                    out.writeInt(-5);
                };
        assertError(lists().change(HandWrittenLog.MERGE_NS, 0, 1, 10, merge))
                .hasMessageContaining("-5 source namespaces: expected 0 or more");
    }

    @Test
    void changeAmongTheMetadata() throws Exception {
        assertError(values().raw(META_GROUP, out -> out.writeByte(SET)))
                .hasMessageContaining("operation SET among the metadata: expected METADATA");
    }

    @Test
    void metadataInAKeyGroup() throws Exception {
        assertError(values().raw(keyGroup(1), out -> out.writeByte(HandWrittenLog.METADATA)))
                .hasMessageContaining("operation METADATA in a key group");
    }

    @Test
    void unknownKind() throws Exception {
        TypeSerializerSnapshot<Long> schema = LONGS.snapshotConfiguration();
        assertError(new HandWrittenLog().state(0, "s", "SET", schema, schema))
                .hasMessageContaining("state 's' is of kind SET: expected one of VALUE, LIST,");
        assertError(new HandWrittenLog().state(0, "s", Type.UNKNOWN, LONGS, LONGS))
                .hasMessageContaining("state 's' is of kind UNKNOWN: expected one of VALUE, LIST,");
    }

    @Test
    void serializerOfAnotherKind() throws Exception {
        assertError(new HandWrittenLog().state(0, "s", Type.LIST, LONGS, LONGS))
                .hasMessageContaining("expected a ListSerializer");
    }

    @ForEachValue
    void stateThatChangesItsKind(DelegateKind kind) throws Exception {
        open(kind);
        HandWrittenLog log = values().state(1, "v", Type.REDUCING, LONGS, LONGS);
        assertThatThrownBy(() -> fixture.replay(log))
                .isInstanceOf(LogReplayException.class)
                .hasMessageContaining("change 1 of the change set at offset 0")
                .hasMessageContaining("Was [VALUE], registered with [REDUCING]");
    }

    @Test
    void keyOfAnotherKeyGroup() throws Exception {
        int other = keyGroup(1) == 0 ? 1 : 0;
        assertError(values().raw(other, ReplayTest::writeValue))
                .hasCauseInstanceOf(StateMigrationException.class)
                .hasMessageContaining("the key belongs to key group " + keyGroup(1))
                .hasMessageContaining("expected key group " + other);
    }

    @Test
    void sameKeyInAnotherKeyGroup() throws Exception {
        int other = 15;
        assertThat(keyGroup(1)).isLessThan(other);
        assertError(values().change(SET, 0, 1, 10, number(5)).raw(other, ReplayTest::writeValue))
                .hasMessageContaining("expected key group " + other);
    }

    @Test
    void missingSegment() throws Exception {
        open(DelegateKind.HEAP);
        LogReplay replay =
                fixture.replayFrom(
                        (log, keyGroups) -> {
                            throw new FileNotFoundException("no such object");
                        });
        assertThatThrownBy(() -> replay.replay(List.of(handle(segment("gone", new byte[4])))))
                .isInstanceOf(LogReplayException.class)
                .hasMessageContaining("Cannot open the change set at offset 0")
                .hasMessageContaining("'gone'")
                .hasMessageContaining("no such object");
    }

    private static HandWrittenLog queue() throws Exception {
        return new HandWrittenLog().queue(0, "timers", new TimerSerializer<>(INTS, LONGS));
    }

    private AbstractThrowableAssert<?, ? extends Throwable> assertError(HandWrittenLog log)
            throws Exception {
        return assertError(handle(segment("segment", log)));
    }

    private AbstractThrowableAssert<?, ? extends Throwable> assertError(
            ChangelogStateBackendHandle handle) throws Exception {
        try (ReplayFixture fixture = ReplayFixture.of(DelegateKind.HEAP, directory)) {
            AbstractThrowableAssert<?, ? extends Throwable> error =
                    assertThatThrownBy(() -> fixture.replay(handle))
                            .isInstanceOf(LogReplayException.class);
            assertThat(fixture.segments.open()).as("iterators left open").isZero();
            return error;
        }
    }
}
