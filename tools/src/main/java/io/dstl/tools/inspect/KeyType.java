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
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.ByteSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.ShortSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;

/**
 * The serializer of an operator's keys, and how it was found. A log has no snapshot of it, and
 * without it nothing tells where in a record the key ends.
 *
 * <p>Immutable. What it hands out is for one thread.
 */
final class KeyType {
    /** Where it was found, the surest first. */
    enum Origin {
        /** The operator has no readable key, or nothing tells which. */
        UNKNOWN,
        /** In the materialized state. */
        BASE,
        /** In the metadata of timers, which have keys in them. */
        TIMERS,
        /** By the option --key-type. */
        GIVEN,
        /** It reads every key of a sample as one of the key group that the key was logged under. */
        GUESSED
    }

    /** What --key-type takes, and what a guess tries. */
    private static final Map<String, TypeSerializer<?>> NAMED = named();

    private final Optional<TypeSerializer<?>> serializer;
    private final Origin origin;
    private final Optional<String> note;

    /** Whether nothing in the checkpoint tells the type. */
    private final boolean untold;

    private KeyType(
            Optional<TypeSerializer<?>> serializer,
            Origin origin,
            Optional<String> note,
            boolean untold) {
        this.serializer = serializer;
        this.origin = origin;
        this.note = note;
        this.untold = untold;
    }

    private static Map<String, TypeSerializer<?>> named() {
        Map<String, TypeSerializer<?>> types = new LinkedHashMap<>();
        types.put("string", StringSerializer.INSTANCE);
        types.put("boolean", BooleanSerializer.INSTANCE);
        types.put("byte", ByteSerializer.INSTANCE);
        types.put("short", ShortSerializer.INSTANCE);
        types.put("int", IntSerializer.INSTANCE);
        types.put("long", LongSerializer.INSTANCE);
        return types;
    }

    /**
     * @param why on one line, without secrets
     */
    static KeyType unknown(String why) {
        return new KeyType(Optional.empty(), Origin.UNKNOWN, Optional.of(why), true);
    }

    /**
     * The state tells it, and it is none that is read here.
     *
     * @param why on one line, without secrets
     */
    static KeyType other(String why) {
        return new KeyType(Optional.empty(), Origin.UNKNOWN, Optional.of(why), false);
    }

    /**
     * @param why nothing surer was found: on one line, without secrets
     */
    static KeyType guessed(TypeSerializer<?> serializer, String why) {
        return new KeyType(Optional.of(serializer), Origin.GUESSED, Optional.of(why), true);
    }

    static KeyType of(TypeSerializer<?> serializer, Origin origin) {
        return new KeyType(
                Optional.of(requireNonNull(serializer)), origin, Optional.empty(), false);
    }

    /** Empty for a name that is none of {@link #names()}. */
    static Optional<KeyType> named(String name) {
        return Optional.ofNullable(NAMED.get(name)).map(type -> of(type, Origin.GIVEN));
    }

    /** For messages. */
    static String names() {
        return String.join(", ", NAMED.keySet());
    }

    static Collection<TypeSerializer<?>> candidates() {
        return NAMED.values();
    }

    /** A new one for one thread; empty if it is unknown. */
    Optional<TypeSerializer<?>> serializer() {
        return serializer.map(type -> type.duplicate());
    }

    Origin origin() {
        return origin;
    }

    /**
     * @param given goes before a guess: it is of some operator, while others have keys of another
     *     type, which their state or timers tell
     */
    KeyType or(Optional<KeyType> given) {
        return untold ? given.orElse(this) : this;
    }

    /** Whether {@code --key-type} would set it. */
    boolean isUntold() {
        return untold;
    }

    /** Why it is a guess, or not known; empty if it is sure. */
    Optional<String> note() {
        return note;
    }

    /** For one thread; empty if it is unknown. */
    Optional<FieldEnd> end() {
        return serializer.map(FieldEnd::of);
    }

    /** As {@link FieldEnd#of(byte[], int, int)}, but damage is an IOException whatever throws. */
    static int end(FieldEnd field, byte[] record, int from) throws IOException {
        try {
            return field.of(record, from, record.length);
        } catch (RuntimeException e) {
            throw new IOException("a field that its serializer can't read: " + e, e);
        }
    }
}
