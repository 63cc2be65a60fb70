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
package org.apache.flink.contrib.streaming.state;

import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.VoidNamespace;

/**
 * Finds out where in the buffer of Flink's key builder the key ends, and which buffer that is: the
 * builder keeps both to itself, but hands its buffer to the serializer of the namespace right then.
 *
 * <p>Writes nothing, and is never stored.
 */
final class KeyEnd extends TypeSerializerSingleton<VoidNamespace> {
    private static final long serialVersionUID = 1L;

    private transient DataOutputSerializer buffer;
    private transient int position;

    /** Null before the builder was first asked. */
    DataOutputSerializer buffer() {
        return buffer;
    }

    int position() {
        return position;
    }

    @Override
    public void serialize(VoidNamespace none, DataOutputView out) {
        buffer = (DataOutputSerializer) out;
        position = buffer.length();
    }

    /** Not variable, so the builder writes no lengths. */
    @Override
    public int getLength() {
        return 0;
    }

    @Override
    public boolean isImmutableType() {
        return true;
    }

    @Override
    public VoidNamespace createInstance() {
        return VoidNamespace.INSTANCE;
    }

    @Override
    public VoidNamespace copy(VoidNamespace from) {
        return from;
    }

    @Override
    public VoidNamespace copy(VoidNamespace from, VoidNamespace reuse) {
        return from;
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) {
        throw neverStored();
    }

    @Override
    public VoidNamespace deserialize(DataInputView source) {
        throw neverStored();
    }

    @Override
    public VoidNamespace deserialize(VoidNamespace reuse, DataInputView source) {
        throw neverStored();
    }

    @Override
    public TypeSerializerSnapshot<VoidNamespace> snapshotConfiguration() {
        throw neverStored();
    }

    private static UnsupportedOperationException neverStored() {
        return new UnsupportedOperationException("Nothing is stored that could be read again.");
    }
}
