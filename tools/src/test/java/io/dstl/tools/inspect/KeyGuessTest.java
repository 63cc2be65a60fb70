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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.record.ChangeOp;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.junit.jupiter.api.Test;

class KeyGuessTest {
    private final KeyGuess guess = new KeyGuess(Records.KEY_GROUPS);

    /** Whose values are read to the end of a record. */
    private DescribedState state =
            DescribedState.keyed(
                    "state",
                    "VALUE",
                    Optional.of(VoidNamespaceSerializer.INSTANCE),
                    Optional.of(LongSerializer.INSTANCE));

    @Test
    void findsTheTypeByTheKeyGroups() {
        assertGuessed(StringSerializer.INSTANCE, "a", "b", "c", "", "a long key", "ä");
    }

    @Test
    void tellsLongFromInt() {
        assertGuessed(LongSerializer.INSTANCE, 1L, 2L, 3L, 4L);
    }

    @Test
    void tellsIntFromString() {
        assertGuessed(IntSerializer.INSTANCE, 1, 2, 3, 70_000);
    }

    /** Their key groups are those of the ints 1, 2, 3. */
    @Test
    void tellsLongsWithoutALowHalfFromInts() {
        assertGuessed(LongSerializer.INSTANCE, 1L << 32, 2L << 32, 3L << 32);
    }

    @Test
    void guessesNothingWhereTheRecordsTellNoMore() {
        state = DescribedState.keyed("state", "VALUE", state.namespaces(), Optional.empty());
        for (long key = 1; key < 9; key++) {
            sample(LongSerializer.INSTANCE, key << 32);
        }
        assertUnknown("no base, and more than one plain type fits the key groups");
    }

    /** Read as behind a long, the first half of the first double would be the size of the list. */
    @Test
    void readsNoValueAtAWrongPlace() {
        state =
                DescribedState.keyed(
                        "state",
                        "LIST",
                        state.namespaces(),
                        Optional.of(new ListSerializer<>(DoubleSerializer.INSTANCE)));
        for (int key = 1; key < 9; key++) {
            int ofInt = key;
            byte[] record =
                    Records.bytes(
                            out -> {
                                out.writeByte(ChangeOp.SET_INTERNAL.code());
                                out.writeShort(1);
                                out.writeInt(ofInt);
                                out.writeByte(0);
                                out.writeInt(1);
                                out.writeDouble(1234.5);
                            });
            guess.add(
                    state,
                    ChangeOp.SET_INTERNAL,
                    KeyGroupRangeAssignment.assignToKeyGroup(key, Records.KEY_GROUPS),
                    record);
        }
        assertUnknown("more than one plain type fits the key groups");
    }

    /** A negative int has the form of a text of 266 million characters. */
    @Test
    void readsNoTextThatIsLongerThanItsRecord() {
        assertGuessed(IntSerializer.INSTANCE, -1, -2, -3, -70_000);
    }

    private void assertUnknown(String why) {
        KeyType found = guess.decide("no base");
        assertThat(found.serializer()).isEmpty();
        assertThat(found.note().get()).contains(why);
    }

    @Test
    void fewKeysAreNoProof() {
        for (int i = 0; i < 100; i++) {
            sample(LongSerializer.INSTANCE, 1L + i % 2);
        }
        assertUnknown("no plain type fits");
    }

    @Test
    void aKeyOfAnotherGroupIsOfAnotherType() {
        for (long key = 0; key < 100; key++) {
            sample(LongSerializer.INSTANCE, key);
        }
        guess.add(
                state,
                ChangeOp.SET,
                (Records.groupOf("x") + 1) % Records.KEY_GROUPS,
                Records.set(1, "x", "y"));
        assertUnknown("no plain type fits");
    }

    @SafeVarargs
    private final <T> void assertGuessed(TypeSerializer<T> type, T... keys) {
        for (T key : keys) {
            sample(type, key);
        }
        KeyType found = guess.decide("no base");
        assertThat(found.serializer()).contains(type);
        assertThat(found.origin()).isEqualTo(KeyType.Origin.GUESSED);
        assertThat(found.note()).contains("no base");
    }

    private <T> void sample(TypeSerializer<T> type, T key) {
        byte[] record =
                Records.bytes(
                        out -> {
                            out.writeByte(ChangeOp.SET.code());
                            out.writeShort(1);
                            type.serialize(key, out);
                            out.writeByte(0);
                            out.writeLong(77);
                        });
        guess.add(
                state,
                ChangeOp.SET,
                KeyGroupRangeAssignment.assignToKeyGroup(key, Records.KEY_GROUPS),
                record);
    }
}
