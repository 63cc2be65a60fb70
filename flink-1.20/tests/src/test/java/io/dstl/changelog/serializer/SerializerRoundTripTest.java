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

import io.dstl.changelog.serializer.type.Departure;
import io.dstl.changelog.serializer.type.StateType;
import io.dstl.changelog.serializer.type.StateTypes;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.OneThreadSerializer;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a user's serializer wrote into a state comes out of it again: from the backend, from the
 * log, from a materialization, and from both.
 */
class SerializerRoundTripTest {
    private static final int SOME = 60;

    @TempDir private Path directory;

    static Stream<Arguments> types() {
        return TypedTask.onDelegates(StateTypes.all());
    }

    static Stream<Arguments> keys() {
        return TypedTask.onDelegates(StateTypes.keys());
    }

    @BeforeEach
    void deploy() {
        Departure.deployBefore();
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("types")
    <V> void values(StateType<V> type, Delegate delegate) throws Exception {
        try (TypedTask<Long, V> task = new TypedTask<>(delegate, directory, StateTypes.LONGS)) {
            liveThroughFailures(task, StateTypes.LONGS, type);
        }
    }

    /** Of the task, and of a map. */
    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("keys")
    <K> void keys(StateType<K> type, Delegate delegate) throws Exception {
        try (TypedTask<K, Long> task = new TypedTask<>(delegate, directory, type)) {
            liveThroughFailures(task, type, StateTypes.LONGS);
        }
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("types")
    <V> void valuesWithATimeToLive(StateType<V> type, Delegate delegate) throws Exception {
        try (TypedTask<Long, V> task =
                new TypedTask<>(delegate, directory, StateTypes.LONGS, TypedTask.AN_HOUR)) {
            liveThroughFailures(task, StateTypes.LONGS, type);
            task.kill().outlive(TypedTask.AN_HOUR).start(type).change(SOME).checkpoint();
            task.kill().start(type);
        }
    }

    /**
     * Of values and keys, which the threads that write snapshots must not share with the task's.
     */
    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("types")
    <V> void serializersThatOnlyOneThreadMayUse(StateType<V> type, Delegate delegate)
            throws Exception {
        StateType<Long> keys = OneThreadSerializer.of(StateTypes.LONGS);
        try (TypedTask<Long, V> task = new TypedTask<>(delegate, directory, keys)) {
            liveThroughFailures(task, keys, OneThreadSerializer.of(type));
        }
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("types")
    <V> void serializersThatOnlyOneThreadMayUseWithATimeToLive(StateType<V> type, Delegate delegate)
            throws Exception {
        StateType<Long> keys = OneThreadSerializer.of(StateTypes.LONGS);
        try (TypedTask<Long, V> task =
                new TypedTask<>(delegate, directory, keys, TypedTask.AN_HOUR)) {
            liveThroughFailures(task, keys, OneThreadSerializer.of(type));
        }
    }

    /** Of the task, and of a map. */
    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("keys")
    <K> void serializersOfKeysThatOnlyOneThreadMayUse(StateType<K> type, Delegate delegate)
            throws Exception {
        StateType<K> keys = OneThreadSerializer.of(type);
        try (TypedTask<K, Long> task = new TypedTask<>(delegate, directory, keys)) {
            liveThroughFailures(task, keys, StateTypes.LONGS);
        }
    }

    private <K, V> void liveThroughFailures(
            TypedTask<K, V> task, StateType<K> keys, StateType<V> values) throws Exception {
        task.start(keys, values).change(SOME).checkpoint().change(SOME).checkpoint();
        task.assertOfLogOnly().kill().start(keys, values).change(SOME).materialize().checkpoint();
        task.change(SOME).checkpoint().assertOfBothParts().change(SOME);
        task.kill().start(keys, values).change(SOME).checkpoint();
        task.kill().start(keys, values).change(SOME).materialize().checkpoint();
        task.assertMaterializedOnly().kill().start(keys, values);
    }
}
