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
package io.dstl.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.bench.micro.PayloadKind.Payload;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PayloadsTest {

    @ParameterizedTest
    @EnumSource
    void aValueComesBackAsItWasWritten(PayloadKind kind) throws Exception {
        assertComesBack(Payloads.of(kind));
    }

    private static <T> void assertComesBack(Payload<T> payload) throws Exception {
        TypeSerializer<T> serializer = payload.serializer();
        for (int i = 0; i < 3; i++) {
            byte[] written = bytes(serializer, payload.next());
            T read = serializer.deserialize(new DataInputDeserializer(written));
            assertThat(written).isNotEmpty();
            assertThat(bytes(serializer, read)).isEqualTo(written);
        }
    }

    private static <T> byte[] bytes(TypeSerializer<T> serializer, T value) throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(value, out);
        return out.getCopyOfBuffer();
    }
}
