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
package io.dstl.changelog.schema;

import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.record.StateId;
import io.dstl.changelog.record.StateMetadata;
import java.util.Optional;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.junit.jupiter.api.Test;

/** A state that its log describes twice, while the task uses it. */
class SchemaFitTest {
    /** Public with public fields, as Flink wants it. */
    public static class Shape {
        public int corners;
    }

    /** Met by a serializer of shapes only when one comes. */
    public static class Square extends Shape {
        public int side;
    }

    @Test
    void goesOnWithASubclassMore() throws Exception {
        assertThat(SchemaFit.staysAsItIs(read(having(new Square())), read(shapes()))).isTrue();
    }

    /** As of an attempt that has not met it again. */
    @Test
    void goesOnWithASubclassLess() throws Exception {
        assertThat(SchemaFit.staysAsItIs(read(shapes()), read(having(new Square())))).isTrue();
        assertThat(
                        SchemaFit.staysAsItIs(
                                read(new ListSerializer<>(shapes())),
                                read(new ListSerializer<>(having(new Square())))))
                .as("nested")
                .isTrue();
    }

    @Test
    void doesNotGoOnAsAnotherType() throws Exception {
        StateMetadata numbers = read(LONGS);

        assertThat(SchemaFit.staysAsItIs(numbers, numbers)).isTrue();
        assertThat(SchemaFit.staysAsItIs(read(STRINGS), numbers)).isFalse();
        assertThat(SchemaFit.staysAsItIs(read(shapes()), numbers)).isFalse();
    }

    private static TypeSerializer<Shape> shapes() {
        return Types.POJO(Shape.class).createSerializer(new SerializerConfigImpl());
    }

    /** One that has met it. */
    private static TypeSerializer<Shape> having(Shape shape) throws Exception {
        TypeSerializer<Shape> serializer = shapes();
        serializer.serialize(shape, new DataOutputSerializer(64));
        return serializer;
    }

    /** Of a state with such values, from its bytes. */
    private static <T> StateMetadata read(TypeSerializer<T> values) throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(256);
        StateMetadata.keyValue(
                        StateId.of((short) 0),
                        new RegisteredKeyValueStateBackendMetaInfo<>(
                                        StateDescriptor.Type.VALUE, "state", LONGS, values)
                                .snapshot(),
                        Optional.empty(),
                        Optional.empty())
                .write(out);
        DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
        in.skipBytesToRead(1);
        return StateMetadata.read(in, SchemaFitTest.class.getClassLoader());
    }
}
