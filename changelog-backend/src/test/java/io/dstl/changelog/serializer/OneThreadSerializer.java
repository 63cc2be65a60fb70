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

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Keeps what it is about to write in itself, as Kryo and Avro do, and therefore belongs to the
 * thread that used it first: any other one, or a use within a use, gets an exception.
 */
final class OneThreadSerializer extends TypeSerializer<Long> {

    private static final long serialVersionUID = 1L;

    /** What a checkpoint says of it. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<Long> {
        public Snapshot() {
            super(OneThreadSerializer::new);
        }
    }

    private final byte[] buffer = new byte[Long.BYTES + 1];
    private transient Thread owner;
    private transient boolean inUse;

    private synchronized void enter() {
        if (owner == null) {
            owner = Thread.currentThread();
        }
        if (owner != Thread.currentThread()) {
            throw new IllegalStateException(
                    "It is " + owner.getName() + "'s: nobody made a duplicate of it");
        }
        if (inUse) {
            throw new IllegalStateException("It is in use, by the same thread");
        }
        inUse = true;
    }

    private synchronized void leave() {
        inUse = false;
    }

    @Override
    public boolean isImmutableType() {
        return false;
    }

    /** A fresh one, which is nobody's yet. */
    @Override
    public TypeSerializer<Long> duplicate() {
        return new OneThreadSerializer();
    }

    @Override
    public Long createInstance() {
        return 0L;
    }

    @Override
    public Long copy(Long from) {
        enter();
        leave();
        return from;
    }

    @Override
    public Long copy(Long from, Long reuse) {
        return copy(from);
    }

    @Override
    public int getLength() {
        return -1;
    }

    /** As many bytes as it needs, behind their number. */
    @Override
    public void serialize(Long number, DataOutputView target) throws IOException {
        enter();
        try {
            int length = 1;
            for (long rest = number; rest != 0; rest >>>= Byte.SIZE) {
                buffer[length++] = (byte) rest;
            }
            buffer[0] = (byte) (length - 1);
            target.write(buffer, 0, length);
        } finally {
            leave();
        }
    }

    @Override
    public Long deserialize(DataInputView source) throws IOException {
        enter();
        try {
            int length = source.readByte();
            source.readFully(buffer, 0, length);
            long number = 0;
            for (int i = length - 1; i >= 0; i--) {
                number = (number << Byte.SIZE) | (buffer[i] & 0xff);
            }
            return number;
        } finally {
            leave();
        }
    }

    @Override
    public Long deserialize(Long reuse, DataInputView source) throws IOException {
        return deserialize(source);
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    @Override
    public TypeSerializerSnapshot<Long> snapshotConfiguration() {
        return new Snapshot();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OneThreadSerializer;
    }

    @Override
    public int hashCode() {
        return OneThreadSerializer.class.hashCode();
    }
}
