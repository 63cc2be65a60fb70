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
package io.dstl.tools.inspect;

import static java.util.Objects.requireNonNull;

import io.dstl.changelog.bulk.FieldEnd;
import java.io.IOException;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;

/**
 * A state as the metadata of a log describes it, as far as this process can read that. For one
 * thread: serializers are not to be shared.
 */
final class DescribedState {
    /** What matters of Flink's kinds of state for the meaning of a change. */
    enum Kind {
        /** One value, or one accumulator, for each key and namespace. */
        VALUE,
        LIST,
        MAP,
        /** A priority queue, such as timers: a set of elements, without key and namespace. */
        QUEUE,
        /** A kind that Flink has got since, or a state whose metadata was not found. */
        UNKNOWN
    }

    private final String name;
    private final String type;
    private final Kind kind;
    private final Optional<TypeSerializer<?>> namespaces;
    private final Optional<TypeSerializer<?>> values;
    private final Optional<TimerTypes> timers;

    private DescribedState(
            String name,
            String type,
            Kind kind,
            Optional<TypeSerializer<?>> namespaces,
            Optional<TypeSerializer<?>> values,
            Optional<TimerTypes> timers) {
        this.name = requireNonNull(name);
        this.type = requireNonNull(type);
        this.kind = requireNonNull(kind);
        this.namespaces = requireNonNull(namespaces);
        this.values = requireNonNull(values);
        this.timers = requireNonNull(timers);
    }

    /**
     * @param type of Flink, as in a state descriptor
     * @param values of whole values: of a list or map state the whole list or map
     */
    static DescribedState keyed(
            String name,
            String type,
            Optional<TypeSerializer<?>> namespaces,
            Optional<TypeSerializer<?>> values) {
        return new DescribedState(name, type, kindOf(type), namespaces, values, Optional.empty());
    }

    /**
     * @param timers where its elements are timers of readable types
     */
    static DescribedState queue(String name, Optional<TimerTypes> timers) {
        return new DescribedState(
                name, "TIMERS", Kind.QUEUE, Optional.empty(), Optional.empty(), timers);
    }

    /** A state whose metadata is not in what was read. */
    static DescribedState unknown(short id) {
        return new DescribedState(
                "#" + id, "?", Kind.UNKNOWN, Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static Kind kindOf(String type) {
        switch (type) {
            case "VALUE":
            case "REDUCING":
            case "AGGREGATING":
                return Kind.VALUE;
            case "LIST":
                return Kind.LIST;
            case "MAP":
                return Kind.MAP;
            default:
                return Kind.UNKNOWN;
        }
    }

    String name() {
        return name;
    }

    /** As in a state descriptor; TIMERS of a priority queue. */
    String type() {
        return type;
    }

    Kind kind() {
        return kind;
    }

    /** Empty for a queue, and where this process can't read them. */
    Optional<TypeSerializer<?>> namespaces() {
        return namespaces;
    }

    /** Of whole values; empty for a queue, and where this process can't read them. */
    Optional<TypeSerializer<?>> values() {
        return values;
    }

    Optional<TimerTypes> timers() {
        return timers;
    }

    /** Of the elements of a list. */
    Optional<TypeSerializer<?>> elements() {
        return values.filter(ListSerializer.class::isInstance)
                .map(list -> ((ListSerializer<?>) list).getElementSerializer());
    }

    /** Of the keys of a map. */
    Optional<TypeSerializer<?>> entryKeys() {
        return values.filter(MapSerializer.class::isInstance)
                .map(map -> ((MapSerializer<?, ?>) map).getKeySerializer());
    }

    /** Of the values of a map. */
    Optional<TypeSerializer<?>> entryValues() {
        return values.filter(MapSerializer.class::isInstance)
                .map(map -> ((MapSerializer<?, ?>) map).getValueSerializer());
    }

    /** Key and namespace of timers, whose elements are: time (8 bytes), key, namespace. */
    static final class TimerTypes {
        /** Of the time, ahead of the key. */
        static final int TIME_BYTES = Long.BYTES;

        private final TypeSerializer<?> keys;
        private final TypeSerializer<?> namespaces;

        TimerTypes(TypeSerializer<?> keys, TypeSerializer<?> namespaces) {
            this.keys = requireNonNull(keys);
            this.namespaces = requireNonNull(namespaces);
        }

        TypeSerializer<?> keys() {
            return keys;
        }

        TypeSerializer<?> namespaces() {
            return namespaces;
        }

        /** Where a timer ends. */
        int endOf(byte[] record, int from) throws IOException {
            int afterKey = KeyType.end(FieldEnd.of(keys), record, from + TIME_BYTES);
            return KeyType.end(FieldEnd.of(namespaces), record, afterKey);
        }
    }
}
