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

import io.dstl.testkit.FuzzRun;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
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

    /** What is no time-to-live is not even made. */
    @Test
    void instantiatesNothingButTimeToLive() throws Exception {
        instantiated = false;
        assertThatThrownBy(() -> read(withTtl(new Trap())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'value-ttl'");
        assertThat(instantiated).isFalse();
    }

    private static boolean instantiated;

    private static final class Trap implements Serializable {
        private void readObject(ObjectInputStream in) {
            instantiated = true;
        }
    }

    @Test
    void refusesArraysAndNestingInTimeToLive() throws Exception {
        List<Object> deep = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            deep = new ArrayList<>(List.of(deep));
        }
        for (Object none : List.of(deep, new long[1000], new StateTtlConfig[1], "text")) {
            assertThatThrownBy(() -> read(withTtl(none)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("'value-ttl'");
        }
    }

    @Test
    void readsTimeToLiveWithAllThatItMayHave() throws Exception {
        StateTtlConfig full =
                StateTtlConfig.newBuilder(Duration.ofDays(2))
                        .updateTtlOnCreateAndWrite()
                        .returnExpiredIfNotCleanedUp()
                        .cleanupFullSnapshot()
                        .cleanupIncrementally(7, true)
                        .cleanupInRocksdbCompactFilter(9, Duration.ofHours(3))
                        .build();
        StateTtlConfig read = read(withTtl(full)).ttlConfig().orElseThrow();
        assertThat(read).hasToString(full.toString());
        assertThat(read.getCleanupStrategies().inFullSnapshot()).isTrue();
        assertThat(read.getCleanupStrategies().getIncrementalCleanupStrategy().getCleanupSize())
                .isEqualTo(7);
        assertThat(
                        read.getCleanupStrategies()
                                .getRocksdbCompactFilterCleanupStrategy()
                                .getPeriodicCompactionTime())
                .isEqualTo(Duration.ofHours(3));
        assertThat(read(withTtl(StateTtlConfig.newBuilder(Duration.ofDays(2)).build())).ttlConfig())
                .isPresent();
    }

    /**
     * Not the snapshots of serializers, which their own classes read: those may be the user's, and
     * allocate what they like.
     */
    @Test
    void whatIsDamagedIsReadOrRefused() throws Exception {
        List<byte[]> records = StockRecords.metadata();
        FuzzRun.forSeeds(
                500,
                run -> {
                    byte[] sound = records.get(run.random().nextInt(records.size()));
                    int ttl = ttlAt(sound);
                    byte[] damaged =
                            ttl > 0 && run.random().nextBoolean()
                                    ? run.damageWithin(sound, ttl, sound.length)
                                    : run.damageWithin(sound, 1, serializersAt(sound));
                    FuzzRun.read(32 << 20, IOException.class, () -> read(damaged));
                });
    }

    private static int serializersAt(byte[] record) throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(record);
        in.readByte();
        in.readInt();
        in.readUTF();
        in.readInt();
        for (int left = in.readInt(); left > 0; left--) {
            in.readUTF();
            in.readUTF();
        }
        in.readInt();
        return in.getPosition();
    }

    /** Where Java's serialization begins; 0 if it does nowhere. */
    private static int ttlAt(byte[] record) {
        for (int at = 0; at < record.length - 4; at++) {
            if (ByteBuffer.wrap(record).getInt(at) == 0xACED0005) {
                return at;
            }
        }
        return 0;
    }

    /** A record with other settings, or something else in their place. */
    private static byte[] withTtl(Object settings) throws IOException {
        byte[] record = StockRecords.metadata().get(2);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(record, 0, ttlAt(record));
        ObjectOutputStream objects = new ObjectOutputStream(out);
        objects.writeObject(settings);
        objects.flush();
        int afterTtl = 1 + Short.BYTES + 1;
        out.write(record, record.length - afterTtl, afterTtl);
        return out.toByteArray();
    }

    private static List<StateMetadata> readAll() throws IOException {
        List<StateMetadata> states = new ArrayList<>();
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
