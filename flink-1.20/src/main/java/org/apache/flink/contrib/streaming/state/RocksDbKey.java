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

import io.dstl.changelog.record.StateLog;
import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.runtime.state.SerializedCompositeKeyBuilder;
import org.apache.flink.runtime.state.VoidNamespace;
import org.rocksdb.RocksDBException;

/**
 * The key of RocksDB for the current key and a namespace, in the buffer of Flink's own builder. The
 * builder serialized the key when it became the current one. The buffer holds, in this order: key
 * group, key, [length of the key], namespace, [length of the namespace], and for maps the user's
 * key. The lengths are there only if neither serializer has a fixed length.
 *
 * <p>Flink copies the builder's buffer for each access. RocksDB also takes a part of a buffer,
 * which saves the copy.
 *
 * <p>Owns nothing: all states of a backend share the builder. The result of {@link #at} is valid
 * until any state builds a key. If a user's function runs between building and use, take {@link
 * #copyAt}.
 *
 * <p>Threading: the task thread.
 */
final class RocksDbKey<N> implements StateLog.DelegateKey<N>, StateLog.Scope {
    private final AbstractRocksDBState<?, N, ?> state;
    private final SerializedCompositeKeyBuilder<?> builder;
    private final int keyAt;
    private final boolean ambiguous;
    private final KeyEnd keyEnd = new KeyEnd();

    private byte[] bytes = new byte[0];
    private int afterKey;
    private int afterNamespace;
    private int keyGroup;

    RocksDbKey(AbstractRocksDBState<?, N, ?> state) {
        this.state = state;
        this.builder = state.backend.getSharedRocksKeyBuilder();
        this.keyAt = state.backend.getKeyGroupPrefixBytes();
        this.ambiguous =
                CompositeKeySerializationUtils.isAmbiguousKeyPossible(
                        state.getKeySerializer(), (TypeSerializer<?>) state.namespaceSerializer);
    }

    @Override
    public RocksDbKey<N> at(N namespace) {
        if (ambiguous || keyEnd.buffer() == null) {
            builder.setNamespace(VoidNamespace.INSTANCE, keyEnd);
            afterKey = keyEnd.position();
        }
        builder.setNamespace(namespace, state.namespaceSerializer);
        byte[] shared = buffer().getSharedBuffer();
        if (bytes != shared) {
            // Only then: storing a reference costs the collector's write barrier.
            bytes = shared;
        }
        afterNamespace = buffer().length();
        keyGroup = state.backend.getCurrentKeyGroupIndex();
        return this;
    }

    /** Builds the key as {@link #at} does, in an array of its own; see {@link #hold}. */
    byte[] copyAt(N namespace) {
        at(namespace);
        return Arrays.copyOf(bytes, afterNamespace);
    }

    /**
     * The position after the key in {@link #bytes} and in the result of {@link #copyAt}. Valid only
     * if lengths are written.
     */
    int afterKey() {
        return afterKey;
    }

    /**
     * Makes this the key that {@link #copyAt} of another instance returned, even if another key has
     * become current since. Use this instance for nothing else: it has an array of its own, as
     * storing a reference costs the collector's write barrier.
     *
     * @param endOfItsKey the {@link #afterKey} of that time
     * @param itsKeyGroup the {@link #keyGroup} of that time
     */
    void hold(byte[] copy, int endOfItsKey, int itsKeyGroup) {
        if (bytes.length < copy.length) {
            bytes = new byte[2 * copy.length];
        }
        System.arraycopy(copy, 0, bytes, 0, copy.length);
        afterKey = endOfItsKey;
        afterNamespace = copy.length;
        keyGroup = itsKeyGroup;
    }

    /** The end of the key that {@link #at} built in the buffer. A map appends the user's key. */
    int afterNamespace() {
        return afterNamespace;
    }

    /** The buffer of the builder. */
    DataOutputSerializer buffer() {
        return keyEnd.buffer();
    }

    /**
     * Writes a value under the key in {@link #buffer}: that of {@link #at} with what was appended.
     */
    void put(RocksDbValue value) throws RocksDBException {
        state.backend.db.put(
                state.columnFamily,
                state.writeOptions,
                buffer().getSharedBuffer(),
                0,
                buffer().length(),
                value.bytes(),
                0,
                value.length());
    }

    @Override
    public int keyGroup() {
        return keyGroup;
    }

    @Override
    public void writeTo(DataOutputView out) throws IOException {
        if (ambiguous) {
            int length = afterKey - keyAt;
            out.write(bytes, keyAt, length);
            int namespaceAt = afterKey + bytesOf(length);
            out.write(bytes, namespaceAt, withoutItsLength(afterNamespace - namespaceAt));
        } else {
            out.write(bytes, keyAt, afterNamespace - keyAt);
        }
    }

    /** The number of bytes with which the builder writes a length: as many as are significant. */
    private static int bytesOf(int length) {
        return Math.max(1, (Integer.SIZE - Integer.numberOfLeadingZeros(length) + 7) / 8);
    }

    /**
     * The length that, together with the bytes it is written with, makes up this sum. No length
     * does so for {@code 2^(8n) + n}, so that sum never occurs.
     */
    static int withoutItsLength(int both) {
        for (int own = 1; own < Integer.BYTES; own++) {
            if (bytesOf(both - own) <= own) {
                return both - own;
            }
        }
        return both - Integer.BYTES;
    }

    /**
     * Finds the end of the key in the buffer of Flink's key builder, and that buffer. The builder
     * exposes neither, but hands its buffer to the serializer of the namespace at that moment.
     *
     * <p>Writes nothing, and is never stored.
     */
    private static final class KeyEnd extends TypeSerializerSingleton<VoidNamespace> {
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

        /** A fixed length, so that the builder writes no lengths. */
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
}
