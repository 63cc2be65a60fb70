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

import static org.apache.flink.runtime.state.CompositeKeySerializationUtils.isAmbiguousKeyPossible;

import io.dstl.changelog.record.ChangeOp;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;

/**
 * A state of the delegate that can be written as bytes. Tells where its keys and values are in a
 * record of the log, and how the delegate keeps them.
 *
 * <p>A key of the delegate consists of: key group, key, [length of the key], namespace, [length of
 * the namespace], and for maps the user's key. A record consists of: op, state id, key, namespace,
 * data. A queue has neither key nor namespace: its key consists of key group and element, and its
 * record of op, state id and elements.
 *
 * <p>Immutable. The serializers belong to one thread: duplicate them.
 */
public interface RawState {
    /** Separates two elements of a list, in RocksDB and wherever its format is used. */
    byte LIST_DELIMITER = ',';

    /**
     * How records become bytes of the delegate. The table of the forms: the changes that each
     * takes, and the fold that adds them.
     */
    enum Form {
        VALUE(ChangeFold.OfValue::new, ChangeOp.SET, ChangeOp.CLEAR),
        ACCUMULATOR(ChangeFold.OfValue::new, ChangeOp.SET_INTERNAL, ChangeOp.CLEAR) {
            @Override
            public boolean needsFunction() {
                return true;
            }
        },
        LIST(
                ChangeFold.OfList::new,
                ChangeOp.SET,
                ChangeOp.SET_INTERNAL,
                ChangeOp.ADD,
                ChangeOp.ADD_ELEMENT,
                ChangeOp.CLEAR) {
            @Override
            public boolean keeps(TypeSerializer<?> values) {
                return values instanceof ListSerializer;
            }

            @Override
            boolean hasPieces() {
                return true;
            }

            @Override
            TypeSerializer<?> elementsOf(TypeSerializer<?> values) {
                return ((ListSerializer<?>) values).getElementSerializer();
            }
        },
        MAP(
                ChangeFold.OfMap::new,
                ChangeOp.ADD,
                ChangeOp.ADD_OR_UPDATE_ELEMENT,
                ChangeOp.REMOVE_ELEMENT,
                ChangeOp.CLEAR) {
            @Override
            public boolean keeps(TypeSerializer<?> values) {
                return values instanceof MapSerializer;
            }

            @Override
            TypeSerializer<?> elementsOf(TypeSerializer<?> values) {
                return ((MapSerializer<?, ?>) values).getKeySerializer();
            }
        },
        QUEUE(ChangeFold.OfQueue::new, ChangeOp.ADD_ELEMENT, ChangeOp.REMOVE_ELEMENT);

        private final ChangeFold.Opener folds;

        /** A bit for each operation that the form takes. Read for each change. */
        private final int taken;

        Form(ChangeFold.Opener folds, ChangeOp... ops) {
            this.folds = folds;
            int bits = 0;
            for (ChangeOp op : ops) {
                bits |= 1 << op.ordinal();
            }
            this.taken = bits;
        }

        boolean takes(ChangeOp op) {
            return (taken >>> op.ordinal() & 1) != 0;
        }

        ChangeFold newFold(BulkState state, ChangeTable table, ChangeFold.Room room) {
            return folds.open(state, table, room);
        }

        /** Whether this serializer can be that of whole values of the form. */
        public boolean keeps(TypeSerializer<?> values) {
            return true;
        }

        /** Whether changes that the form does not take need the user's function. */
        public boolean needsFunction() {
            return false;
        }

        /** Whether a table holds the values in pieces, which are joined when they are written. */
        boolean hasPieces() {
            return false;
        }

        TypeSerializer<?> elementsOf(TypeSerializer<?> values) {
            return values;
        }
    }

    Form form();

    /** The bytes of a key group's number: one or two, big-endian. */
    int keyGroupBytes();

    /** The number of key groups of the job, not of the subtask. */
    int numberOfKeyGroups();

    TypeSerializer<?> keySerializer();

    /** Must not be called for a queue. */
    TypeSerializer<?> namespaceSerializer();

    /** Serializes whole values, accumulators, lists or maps, or a queue's elements. */
    TypeSerializer<?> valueSerializer();

    /** Serializes the elements of a list or queue, or a map's keys. Not for other kinds. */
    default TypeSerializer<?> elementSerializer() {
        return form().elementsOf(valueSerializer());
    }

    /** Serializes a map's values. Not for other kinds. */
    default TypeSerializer<?> entryValueSerializer() {
        return ((MapSerializer<?, ?>) valueSerializer()).getValueSerializer();
    }

    /** Whether the delegate's keys contain the lengths of key and namespace. */
    default boolean hasLengths() {
        return form() != Form.QUEUE
                && isAmbiguousKeyPossible(keySerializer(), namespaceSerializer());
    }

    /**
     * Opens a writer for all states of this state's delegate. For one thread, which closes it.
     *
     * @param cancellation ends the work of the writer soon
     * @throws IOException if the delegate can't be written to
     */
    RawWriter newWriter(Cancellation cancellation) throws IOException;

    /**
     * Writes keys and values to the delegate unchanged, in batches. Fastest if they come in the
     * order of the delegate's keys.
     *
     * <p>Copies its arguments. One thread at a time; several writers may write at once, but not the
     * same keys. All methods but {@link #close} throw a CancelTaskException soon after the task is
     * cancelled, but wait for a write to the delegate that has begun.
     */
    interface RawWriter extends AutoCloseable {
        /** Sets the value of a key. */
        void put(RawState state, Bytes key, Bytes value) throws IOException;

        /** Adds an operand to the delegate's value of a key. */
        void merge(RawState state, Bytes key, Bytes value) throws IOException;

        void delete(RawState state, Bytes key) throws IOException;

        /** Deletes all flushed keys that begin with this one. */
        void deleteBelow(RawState state, Bytes key) throws IOException;

        /** Writes the open batch. */
        void flush() throws IOException;

        /** Closes the writer without writing the open batch. */
        @Override
        void close();
    }
}
