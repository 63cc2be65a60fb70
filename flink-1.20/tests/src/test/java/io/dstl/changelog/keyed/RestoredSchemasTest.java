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
package io.dstl.changelog.keyed;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.EnumSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;
import org.junit.jupiter.api.Test;

/** Which serializers of one state count as of one format. */
class RestoredSchemasTest {

    private final CloseableRegistry cancellation = new CloseableRegistry();

    private void check(TypeSerializerSnapshot<?>... values) throws Exception {
        KeyedStateHandle[] bases = new KeyedStateHandle[values.length];
        for (int i = 0; i < bases.length; i++) {
            bases[i] = base(i, values[i]);
        }
        new RestoredSchemas("windows", getClass().getClassLoader(), cancellation)
                .check(List.of(bases));
    }

    private static KeyedStateHandle base(int keyGroup, TypeSerializerSnapshot<?> values)
            throws IOException {
        StateMetaInfoSnapshot state =
                new StateMetaInfoSnapshot(
                        "state",
                        BackendStateType.KEY_VALUE,
                        Map.of(),
                        Map.of(CommonSerializerKeys.VALUE_SERIALIZER.toString(), values),
                        Map.of());
        DataOutputSerializer out = new DataOutputSerializer(100);
        new KeyedBackendSerializationProxy<>(IntSerializer.INSTANCE, List.of(state), false)
                .write(out);
        return new KeyGroupsStateHandle(
                new KeyGroupRangeOffsets(KeyGroupRange.of(keyGroup, keyGroup)),
                new ByteStreamStateHandle("base-" + keyGroup, out.getCopyOfBuffer()));
    }

    private void assertRefused(TypeSerializerSnapshot<?>... values) {
        assertThatThrownBy(() -> check(values))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("windows cannot be restored: the base of key groups [0, 0]")
                .hasMessageContaining("has state 'state' in another format than");
    }

    /** As RocksDB would restore all of them as the first one is. */
    @Test
    void filesOfRocksDbAndListsOfEntriesDoNotGoTogether() throws Exception {
        KeyedStateHandle entries = base(0, LongSerializer.INSTANCE.snapshotConfiguration());
        KeyedStateHandle files =
                new IncrementalRemoteKeyedStateHandle(
                        new UUID(1, 2),
                        KeyGroupRange.of(1, 1),
                        3,
                        List.of(),
                        List.of(),
                        new ByteStreamStateHandle("meta", new byte[0]));
        for (List<KeyedStateHandle> bases :
                List.of(List.of(entries, files), List.of(files, entries))) {
            assertThatThrownBy(
                            () ->
                                    new RestoredSchemas(
                                                    "windows",
                                                    getClass().getClassLoader(),
                                                    cancellation)
                                            .check(bases))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("key groups [1, 1] has files of RocksDB")
                    .hasMessageContaining("key groups [0, 0] has not")
                    .hasMessageContaining("with the parallelism that it was taken with; then take")
                    .hasMessageNotContaining("getState");
        }
    }

    @Test
    void sameTypesAreOneFormat() throws Exception {
        TypeSerializerSnapshot<?> longs = LongSerializer.INSTANCE.snapshotConfiguration();
        check(longs, longs, longs);
        assertRefused(longs, longs, StringSerializer.INSTANCE.snapshotConfiguration());
    }

    /** Their values are numbers, and a restored serializer of fewer knows no further one. */
    @Test
    void aLongerEnumIsAnotherFormat() throws Exception {
        TypeSerializerSnapshot<?> three = new EnumSerializer<>(Gate.class).snapshotConfiguration();
        DataOutputSerializer out = new DataOutputSerializer(100);
        out.writeUTF(Gate.class.getName());
        out.writeInt(2);
        out.writeUTF("A");
        out.writeUTF("B");
        TypeSerializerSnapshot<?> two = new EnumSerializer.EnumSerializerSnapshot<Gate>();
        two.readSnapshot(
                two.getCurrentVersion(),
                new DataInputDeserializer(out.getCopyOfBuffer()),
                getClass().getClassLoader());

        check(three, three);
        assertRefused(two, three);
        assertRefused(three, two);
    }

    /** What both have and the class lost keeps Flink from comparing their snapshots. */
    @Test
    void aFieldThatIsGoneHidesNoOtherThatCame() throws Exception {
        TypeSerializerSnapshot<?> first = asOfNow(First.class);
        TypeSerializerSnapshot<?> later = asOfNow(Later.class);

        assertThatCode(() -> check(first, asOfNow(First.class))).doesNotThrowAnyException();
        assertRefused(first, later);
        assertRefused(later, first);
    }

    /** The snapshot of a class that is called {@link Today} today. */
    private static TypeSerializerSnapshot<?> asOfNow(Class<?> former) throws IOException {
        TypeSerializer<?> serializer =
                Types.POJO(former).createSerializer(new SerializerConfigImpl());
        DataOutputSerializer out = new DataOutputSerializer(1000);
        TypeSerializerSnapshot.writeVersionedSnapshot(out, serializer.snapshotConfiguration());
        String written = new String(out.getCopyOfBuffer(), StandardCharsets.ISO_8859_1);
        String renamed = written.replace(former.getName(), Today.class.getName());
        return TypeSerializerSnapshot.readVersionedSnapshot(
                new DataInputDeserializer(renamed.getBytes(StandardCharsets.ISO_8859_1)),
                RestoredSchemasTest.class.getClassLoader());
    }

    private enum Gate {
        A,
        B,
        C
    }

    /** In its first version. The names of all three are of one length. */
    public static class First {
        public int seats;
        public int doors;
    }

    /** With a field more. */
    public static class Later {
        public int seats;
        public int doors;
        public long weight;
    }

    /** Without one of them. */
    public static class Today {
        public int seats;
        public long weight;
    }
}
