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

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;

/**
 * A state of the delegate that can be written as bytes: where its keys and values lie in a record
 * of the log, and what it makes of them.
 *
 * <p>A key of the delegate is: key group, key, [length of the key], namespace, [length of the
 * namespace], and for maps the user's key. A record has: op, state id, key, namespace, data. A
 * queue has neither key nor namespace: a key of its is: key group, element; a record: op, state id,
 * elements.
 *
 * <p>Immutable, but for the serializers, which are one thread's: to be duplicated.
 */
public interface RawState {

    /** Between two elements of a list, in RocksDB and wherever its format is taken over. */
    byte LIST_DELIMITER = ',';

    /** Which operations it knows, and what they do. */
    enum Kind {
        VALUE,
        ACCUMULATOR,
        LIST,
        MAP,
        QUEUE
    }

    Kind kind();

    /** One byte or two, big-endian. */
    int keyGroupBytes();

    /** Of the job, not of the subtask. */
    int numberOfKeyGroups();

    TypeSerializer<?> keySerializer();

    /** Not asked for of a queue. */
    TypeSerializer<?> namespaceSerializer();

    /** Of whole values, accumulators, lists or maps, or of a queue's elements. */
    TypeSerializer<?> valueSerializer();

    /** Of a list's or queue's elements, or a map's user keys; otherwise not asked for. */
    default TypeSerializer<?> elementSerializer() {
        switch (kind()) {
            case MAP:
                return ((MapSerializer<?, ?>) valueSerializer()).getKeySerializer();
            case LIST:
                return ((ListSerializer<?>) valueSerializer()).getElementSerializer();
            default:
                return valueSerializer();
        }
    }

    /** Of a map's values; otherwise not asked for. */
    default TypeSerializer<?> entryValueSerializer() {
        return ((MapSerializer<?, ?>) valueSerializer()).getValueSerializer();
    }

    /** Whether the delegate's keys have the lengths of key and namespace. */
    default boolean hasLengths() {
        return kind() != Kind.QUEUE
                && isAmbiguousKeyPossible(keySerializer(), namespaceSerializer());
    }

    /** Between two elements of a list. */
    default byte delimiter() {
        return LIST_DELIMITER;
    }

    /**
     * Writes to any of the states of this one's delegate. For one thread, which closes it.
     *
     * @param cancellation ends what it does soon
     * @throws IOException if the delegate can't be written to
     */
    RawWriter newWriter(Cancellation cancellation) throws IOException;
}
