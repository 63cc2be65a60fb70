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
package io.dstl.changelog.bulk;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * The key of a record, in the form that the delegate has of it.
 *
 * <p>No log keeps a snapshot of the key serializer. So a key keeps the bytes of the log only if its
 * serializer has never written other ones. The delegate's serializer reads and rewrites any other
 * key, as for each access of the job: another version of a class, or another registration with
 * Kryo, may have changed the form.
 *
 * <p>One thread at a time.
 */
public abstract class RecordKey {
    /** Makes one for a single thread. */
    static RecordKey of(RawState raw) {
        if (raw.form() == RawState.Form.QUEUE) {
            return new Verbatim(FieldEnd.ofNothing());
        }
        TypeSerializer<?> serializer = raw.keySerializer();
        return FieldEnd.hasOneForm(serializer)
                ? new Verbatim(FieldEnd.of(serializer))
                : new Rewritten(serializer.duplicate(), raw.numberOfKeyGroups());
    }

    /**
     * Reads the key that begins at a position of a record.
     *
     * @param keyGroup that the change was logged under
     * @return where the key ends in the record, exclusive
     * @throws IOException if the key can't be read, or turns out to be of another key group
     */
    abstract int read(byte[] record, int from, int keyGroup) throws IOException;

    /** The length of the key in the delegate's form, in bytes. */
    abstract int length();

    /** Appends the key in the delegate's form. */
    abstract void appendTo(ChangeTable table);

    private static final class Verbatim extends RecordKey {
        private final FieldEnd end;
        private byte[] record = new byte[0];
        private int from;
        private int to;

        Verbatim(FieldEnd end) {
            this.end = end;
        }

        @Override
        int read(byte[] newRecord, int newFrom, int keyGroup) throws IOException {
            record = newRecord;
            from = newFrom;
            to = end.of(newRecord, newFrom, newRecord.length);
            return to;
        }

        @Override
        int length() {
            return to - from;
        }

        @Override
        void appendTo(ChangeTable table) {
            table.append(record, from, to);
        }
    }

    /**
     * A serialized key ends where its serializer says. So a record that continues with the bytes of
     * the previous key has the same key, which is not read again.
     */
    private static final class Rewritten extends RecordKey {
        private static final int INITIAL_BYTES = 64;

        private final TypeSerializer<Object> serializer;
        private final int numberOfKeyGroups;
        private final DataInputDeserializer input = new DataInputDeserializer();
        private final DataOutputSerializer kept = new DataOutputSerializer(INITIAL_BYTES);

        /** The last key in the log's form; empty before the first key. */
        private final Bytes logged = new Bytes();

        private int keyGroupOfKey;

        @SuppressWarnings("unchecked") // It writes only keys that it has read.
        Rewritten(TypeSerializer<?> serializer, int numberOfKeyGroups) {
            this.serializer = (TypeSerializer<Object>) serializer;
            this.numberOfKeyGroups = numberOfKeyGroups;
        }

        @Override
        int read(byte[] record, int from, int keyGroup) throws IOException {
            if (logged.length() == 0 || !logged.isPrefixOf(record, from)) {
                rewrite(record, from);
            }
            if (keyGroupOfKey != keyGroup) {
                throw new IOException(Fault.ofKeyGroup(keyGroupOfKey, keyGroup, serializer));
            }
            return from + logged.length();
        }

        private void rewrite(byte[] record, int from) throws IOException {
            logged.set(record, from, 0);
            input.setBuffer(record, from, record.length - from);
            kept.clear();
            try {
                Object key = serializer.deserialize(input);
                keyGroupOfKey = KeyGroupRangeAssignment.assignToKeyGroup(key, numberOfKeyGroups);
                serializer.serialize(key, kept);
            } catch (IOException | RuntimeException e) {
                throw new IOException(Fault.unreadable(serializer), e);
            }
            logged.set(record, from, input.getPosition() - from);
        }

        @Override
        int length() {
            return kept.length();
        }

        @Override
        void appendTo(ChangeTable table) {
            table.append(kept.getSharedBuffer(), 0, kept.length());
        }
    }

    /** Error texts for a key of a log that does not fit the job's key serializer. */
    public static final class Fault {
        private Fault() {}

        /** The key can't be read. */
        public static String unreadable(TypeSerializer<?> serializer) {
            return "the key can't be read: either the record is damaged, or the key is read with"
                    + " another serializer; "
                    + remedy(serializer);
        }

        /**
         * The key was read, and belongs to another key group.
         *
         * @param ofKey the key group of the key that was read
         * @param logged the key group that the change was logged under
         */
        public static String ofKeyGroup(int ofKey, int logged, TypeSerializer<?> serializer) {
            return "the key belongs to key group "
                    + ofKey
                    + ": expected key group "
                    + logged
                    + ", which the change was logged under; "
                    + remedy(serializer);
        }

        private static String remedy(TypeSerializer<?> serializer) {
            return "if "
                    + serializer.getClass().getName()
                    + " is not the key serializer that the log was written with, restore with that"
                    + " one: a changelog can't be migrated to another";
        }
    }
}
