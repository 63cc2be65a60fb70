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

import java.io.IOException;
import java.util.OptionalInt;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.util.StringUtils;

/** One record, as it was appended. */
public final class RecordedChange {
    private final OptionalInt keyGroup;
    private final byte[] bytes;

    RecordedChange(OptionalInt keyGroup, byte[] bytes) {
        this.keyGroup = keyGroup;
        this.bytes = bytes;
    }

    public boolean isMetadata() {
        return !keyGroup.isPresent();
    }

    public int keyGroup() {
        return keyGroup.getAsInt();
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    public ChangeOp op() throws IOException {
        return ChangeOp.byCode(bytes[0]);
    }

    public StateMetadata metadata() throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(bytes, 1, bytes.length - 1);
        return StateMetadata.read(in, getClass().getClassLoader());
    }

    /** What follows the op and the state id. */
    public DataInputDeserializer body() {
        return new DataInputDeserializer(bytes, 3, bytes.length - 3);
    }

    /** A key-value change as text: op, key, namespace, then each datum by its serializer. */
    public String describe(
            TypeSerializer<?> keys, TypeSerializer<?> namespaces, TypeSerializer<?>... data)
            throws IOException {
        DataInputDeserializer in = body();
        StringBuilder text = new StringBuilder(op().name());
        text.append(" key=").append(keys.deserialize(in));
        text.append(" ns=").append(namespaces.deserialize(in));
        for (TypeSerializer<?> datum : data) {
            text.append(' ').append(datum.deserialize(in));
        }
        if (in.available() > 0) {
            text.append(" and ").append(in.available()).append(" bytes more");
        }
        return text.toString();
    }

    /** The form of {@link StockRecords}. */
    public String toHexLine() {
        String group = isMetadata() ? "meta" : Integer.toString(keyGroup());
        return group + " " + StringUtils.byteToHexString(bytes);
    }

    @Override
    public String toString() {
        return toHexLine();
    }
}
