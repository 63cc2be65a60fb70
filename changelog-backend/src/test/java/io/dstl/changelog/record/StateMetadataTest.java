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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;
import org.junit.jupiter.api.Test;

class StateMetadataTest {

    @Test
    void readsWhatStockWrote() throws Exception {
        List<StateMetadata> states = readAll();

        assertThat(states.stream().map(StateMetadata::toString).collect(Collectors.toList()))
                .containsExactly(
                        "KEY_VALUE state 'value' as 0",
                        "KEY_VALUE state 'value-default' as 1",
                        "KEY_VALUE state 'value-ttl' as 2",
                        "KEY_VALUE state 'list' as 3",
                        "KEY_VALUE state 'map' as 4",
                        "KEY_VALUE state 'reducing' as 5",
                        "KEY_VALUE state 'aggregating' as 6",
                        "PRIORITY_QUEUE state 'timers' as 7",
                        "KEY_VALUE state 'windowed' as 8");
    }

    @Test
    void readsDefaultAndTimeToLiveOfStock() throws Exception {
        List<StateMetadata> states = readAll();

        assertThat(states.get(0).defaultValue()).isEmpty();
        assertThat(states.get(0).ttlConfig()).isEmpty();
        assertThat(states.get(1).defaultValue()).contains("none");
        StateTtlConfig ttl = states.get(2).ttlConfig().orElseThrow();
        assertThat(ttl.getTimeToLive()).isEqualTo(Duration.ofHours(1));
        assertThat(ttl.getUpdateType()).isEqualTo(StateTtlConfig.UpdateType.OnReadAndWrite);
        assertThat(states.get(7).type()).isEqualTo(BackendStateType.PRIORITY_QUEUE);
    }

    @Test
    void writesTheBytesThatStockWrote() throws Exception {
        for (byte[] record : StockRecords.metadata()) {
            StateMetadata metadata = read(record);
            DataOutputSerializer out = new DataOutputSerializer(64);
            metadata.write(out);
            assertThat(out.getCopyOfBuffer()).as(metadata.name()).isEqualTo(record);
        }
    }

    @Test
    void readsNotAByteTooMuch() throws Exception {
        for (byte[] record : StockRecords.metadata()) {
            byte[] padded = Arrays.copyOf(record, record.length + 3);
            DataInputDeserializer in = new DataInputDeserializer(padded);
            in.skipBytesToRead(1);
            StateMetadata.read(in, getClass().getClassLoader());
            assertThat(in.available()).isEqualTo(3);
        }
    }

    @Test
    void rejectsAnUnknownVersion() throws Exception {
        byte[] record = StockRecords.metadata().get(0);
        record[4] = 8;
        assertThatThrownBy(() -> read(record))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 8")
                .hasMessageContaining("expected 6 to 7");
    }

    @Test
    void rejectsATypeCodeThatContradictsTheSnapshot() throws Exception {
        byte[] record = StockRecords.metadata().get(0);
        record[record.length - 1] = BackendStateType.PRIORITY_QUEUE.getCode();
        assertThatThrownBy(() -> read(record))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'value'")
                .hasMessageContaining("type code 3 instead of 0");
    }

    @Test
    void rejectsANegativeId() throws Exception {
        byte[] record = StockRecords.metadata().get(0);
        record[record.length - 3] = (byte) 0xff;
        assertThatThrownBy(() -> read(record))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("state id -256");
    }

    private static List<StateMetadata> readAll() throws IOException {
        List<StateMetadata> states = new java.util.ArrayList<>();
        for (byte[] record : StockRecords.metadata()) {
            states.add(read(record));
        }
        return states;
    }

    private static StateMetadata read(byte[] record) throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(record);
        assertThat(ChangeOp.byCode(in.readByte())).isEqualTo(ChangeOp.METADATA);
        return StateMetadata.read(in, StateMetadataTest.class.getClassLoader());
    }
}
