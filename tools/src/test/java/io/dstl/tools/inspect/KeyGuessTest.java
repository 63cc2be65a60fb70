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
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.junit.jupiter.api.Test;

class KeyGuessTest {
    private final KeyGuess guess = new KeyGuess(Records.KEY_GROUPS);

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

    @Test
    void fewKeysAreNoProof() {
        for (int i = 0; i < 100; i++) {
            sample(LongSerializer.INSTANCE, 1L + i % 2);
        }
        assertThat(guess.decide()).isEmpty();
    }

    @Test
    void aKeyOfAnotherGroupIsOfAnotherType() {
        for (long key = 0; key < 100; key++) {
            sample(LongSerializer.INSTANCE, key);
        }
        guess.add((Records.groupOf("x") + 1) % Records.KEY_GROUPS, Records.set(1, "x", "y"));
        assertThat(guess.decide()).isEmpty();
    }

    @SafeVarargs
    private final <T> void assertGuessed(TypeSerializer<T> type, T... keys) {
        for (T key : keys) {
            sample(type, key);
        }
        assertThat(guess.decide().get().serializer()).contains(type);
        assertThat(guess.decide().get().origin()).isEqualTo(KeyType.Origin.GUESSED);
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
        guess.add(KeyGroupRangeAssignment.assignToKeyGroup(key, Records.KEY_GROUPS), record);
    }
}
