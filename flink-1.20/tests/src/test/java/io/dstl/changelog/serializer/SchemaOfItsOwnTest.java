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
package io.dstl.changelog.serializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.record.SchemaBytes;
import io.dstl.changelog.serializer.type.Departure;
import io.dstl.changelog.serializer.type.MyPojo;
import io.dstl.changelog.serializer.type.StateType;
import io.dstl.changelog.serializer.type.StateTypes;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.ForEachValue;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots of the user's that can't be written once they were read, as Flink never does. */
class SchemaOfItsOwnTest {
    private static final int SOME = 20;

    @TempDir private Path directory;

    @AfterEach
    void deploy() {
        Departure.deployBefore();
    }

    /** As a key, of the task and of a map, and as a value. */
    @ForEachValue
    void isRestored(Delegate delegate) throws Exception {
        StateType<Long> type = StateTypes.MEASURES;
        try (TypedTask<Long, Long> task = new TypedTask<>(delegate, directory, type)) {
            task.start(type, type).change(SOME).checkpoint();
            task.assertOfLogOnly().kill().start(type, type).change(SOME).materialize();
            task.checkpoint().change(SOME).checkpoint();
            task.kill().start(type, type);
        }
    }

    @Test
    void hasTheBytesThatItsSerializerWrites() throws IOException {
        TypeSerializer<Long> serializer = StateTypes.MEASURES.serializer();
        assertThat(SchemaBytes.of(read(serializer)))
                .isEqualTo(SchemaBytes.of(serializer.snapshotConfiguration()));
    }

    /** Flink takes a POJO's serializer that has met a subclass for one to be reconfigured. */
    @Test
    void isKnownBesideAPojoThatHasMetASubclass() throws IOException {
        TypeSerializer<MyPojo> pojos = StateTypes.POJO_OR_SUBCLASS.serializer();
        for (int number = 0; number < SOME; number++) {
            pojos.serialize(
                    StateTypes.POJO_OR_SUBCLASS.value(number), new DataOutputSerializer(256));
        }
        TypeSerializer<?> map = new MapSerializer<>(StateTypes.MEASURES.serializer(), pojos);

        assertThat(SchemaBytes.of(read(map)))
                .isEqualTo(SchemaBytes.of(map.snapshotConfiguration()));
    }

    /** Avro's serializer writes by the class of today, whatever it was restored from. */
    @Test
    void isUnknownWhereTheSerializerWritesAnotherOne() throws IOException {
        Departure.deployBefore();
        TypeSerializerSnapshot<?> before =
                read(
                        new MapSerializer<>(
                                StateTypes.MEASURES.serializer(),
                                StateTypes.AVRO_SPECIFIC.serializer()));
        Departure.deployAfter();

        assertThatThrownBy(() -> SchemaBytes.of(before))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("its serializer writes another schema");
    }

    private static TypeSerializerSnapshot<?> read(TypeSerializer<?> serializer) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(256);
        TypeSerializerSnapshot.writeVersionedSnapshot(out, serializer.snapshotConfiguration());
        return TypeSerializerSnapshot.readVersionedSnapshot(
                new DataInputDeserializer(out.getCopyOfBuffer()),
                SchemaOfItsOwnTest.class.getClassLoader());
    }
}
