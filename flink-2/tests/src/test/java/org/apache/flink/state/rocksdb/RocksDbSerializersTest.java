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
package org.apache.flink.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.schema.LoggedSchema;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.ttl.TtlAwareSerializer;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.junit.jupiter.api.Test;

class RocksDbSerializersTest {
    private static final TypeSerializer<Long> LONGS = LongSerializer.INSTANCE;
    private static final TypeSerializer<String> STRINGS = StringSerializer.INSTANCE;

    @Test
    void takesOffWhatFlinkPutsAround() {
        for (TypeSerializer<?> values : List.of(LONGS, new TtlSerializer<>(LONGS, STRINGS))) {
            checkPlain(new TtlAwareSerializer<>(values), values);
            checkPlain(
                    new MapSerializer<>(STRINGS, new TtlAwareSerializer<>(values)),
                    new MapSerializer<>(STRINGS, values));
            checkPlain(
                    new MapSerializer<>(new TtlAwareSerializer<>(STRINGS), values),
                    new MapSerializer<>(STRINGS, values));
            checkPlain(
                    new ListSerializer<>(new TtlAwareSerializer<>(values)),
                    new ListSerializer<>(values));
        }
    }

    @Test
    void leavesOthersAsTheyAre() {
        TypeSerializer<?> values = new TtlSerializer<>(LONGS, STRINGS);
        for (TypeSerializer<?> serializer :
                List.of(
                        values,
                        new ListSerializer<>(values),
                        new MapSerializer<>(STRINGS, values))) {
            checkPlain(serializer, serializer);
        }
    }

    /** Which differs only where there is something around. */
    private static void checkPlain(TypeSerializer<?> kept, TypeSerializer<?> plain) {
        TypeSerializerSnapshot<?> read = kept.snapshotConfiguration();
        byte[] schema = LoggedSchema.bytes(plain.snapshotConfiguration());
        assertThat(LoggedSchema.bytes(RocksDbSerializers.plain(read))).isEqualTo(schema);
        assertThat(RocksDbSerializers.plain(read) == read)
                .isEqualTo(Arrays.equals(LoggedSchema.bytes(read), schema));
        TypeSerializer<?> found = RocksDbSerializers.plain(kept);
        assertThat(found).isEqualTo(plain);
        assertThat(LoggedSchema.bytes(found.snapshotConfiguration()))
                .isEqualTo(LoggedSchema.bytes(plain.snapshotConfiguration()));
    }
}
