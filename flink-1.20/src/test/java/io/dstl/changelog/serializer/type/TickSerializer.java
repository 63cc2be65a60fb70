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
package io.dstl.changelog.serializer.type;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Writes the bytes as they are. */
public final class TickSerializer extends TypeSerializerSingleton<Tick> {

    private static final long serialVersionUID = 1L;

    /** What a checkpoint says of it. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<Tick> {
        public Snapshot() {
            super(TickSerializer::new);
        }
    }

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public Tick createInstance() {
        return new Tick(new byte[Tick.BYTES]);
    }

    @Override
    public Tick copy(Tick from) {
        return new Tick(from.bytes.clone());
    }

    @Override
    public Tick copy(Tick from, Tick reuse) {
        return copy(from);
    }

    @Override
    public int getLength() {
        return Tick.BYTES;
    }

    @Override
    public void serialize(Tick tick, DataOutputView target) throws IOException {
        target.write(tick.bytes);
    }

    @Override
    public Tick deserialize(DataInputView source) throws IOException {
        Tick tick = createInstance();
        source.readFully(tick.bytes);
        return tick;
    }

    @Override
    public Tick deserialize(Tick reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        target.write(source, Tick.BYTES);
    }

    @Override
    public TypeSerializerSnapshot<Tick> snapshotConfiguration() {
        return new Snapshot();
    }
}
