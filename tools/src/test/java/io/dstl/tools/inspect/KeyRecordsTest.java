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
import io.dstl.tools.inspect.DescribedState.TimerTypes;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.junit.jupiter.api.Test;

class KeyRecordsTest {
    private static final DescribedState TIMERS =
            DescribedState.queue(
                    "timers",
                    Optional.of(
                            new TimerTypes(
                                    StringSerializer.INSTANCE, VoidNamespaceSerializer.INSTANCE)));

    @Test
    void aTimerIsFoundByTheTextOfItsKeyAndByItsBytes() {
        assertThat(timersOf("cleo")).isEqualTo("at 99");
        assertThat(timersOf("0x05636c656f")).isEqualTo("at 99");
        assertThat(timersOf("0x05636C656F")).isEqualTo("at 99");
        assertThat(timersOf("0x05636c65")).isEmpty();
    }

    private static String timersOf(String key) {
        KeyRecords records = new KeyRecords("timers", key, KeyType.unknown(""), 1);
        byte[] record =
                Records.bytes(
                        out -> {
                            out.writeByte(ChangeOp.ADD_ELEMENT.code());
                            out.writeShort(1);
                            out.writeInt(1);
                            out.writeLong(99 ^ Long.MIN_VALUE);
                            StringSerializer.INSTANCE.serialize("cleo", out);
                            VoidNamespaceSerializer.INSTANCE.serialize(VoidNamespace.INSTANCE, out);
                        });
        records.change(TIMERS, ChangeOp.ADD_ELEMENT, 7, record);
        return records.last().isEmpty() ? "" : records.last().get(0).data();
    }
}
