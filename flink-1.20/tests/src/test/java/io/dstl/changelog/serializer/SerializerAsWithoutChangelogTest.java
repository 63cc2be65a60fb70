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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.serializer.TaskAttempts.Changelog;
import io.dstl.changelog.serializer.type.Departure;
import io.dstl.changelog.serializer.type.StateType;
import io.dstl.changelog.serializer.type.StateTypes;
import io.dstl.changelog.testing.Delegate;
import io.dstl.testkit.Matrix;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.util.StateMigrationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What Flink does with a user's serializer beside writing and reading: a changelog makes no
 * difference to it, whatever the serializer.
 */
class SerializerAsWithoutChangelogTest {
    private static final int SOME = 60;

    /** Shorter than the time to live; twice that is longer. */
    private static final Duration A_WHILE = Duration.ofMinutes(40);

    @TempDir private Path directory;

    static List<StateType<?>> types() {
        return Matrix.ofThisRun().select(StateTypes.all());
    }

    static Stream<Arguments> typesOnDelegates() {
        return TypedTask.onDelegates(StateTypes.all());
    }

    @BeforeEach
    void deploy() {
        Departure.deployBefore();
    }

    /** Compatibility is checked, and what it was checked against is kept. */
    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("typesOnDelegates")
    <V> void refusesAnotherType(StateType<V> type, Delegate delegate) throws Exception {
        for (Changelog changelog : Changelog.values()) {
            Path own = directory.resolve(changelog.name());
            try (TypedTask<Long, Object> task =
                    new TypedTask<>(delegate, own, StateTypes.LONGS, null, changelog)) {
                task.start(untyped(type)).change(SOME).checkpoint().assertOfLogOnly();
                assertRefused(task.kill(), type);
                task.kill().start(untyped(type)).materialize();
                task.change(SOME).checkpoint().assertOfBothParts();
                assertRefused(task.kill(), type);
                task.kill().start(untyped(type));
            }
        }
    }

    private static void assertRefused(TypedTask<Long, Object> task, StateType<?> type) {
        StateType<?> another = type == StateTypes.LONGS ? StateTypes.BYTES : StateTypes.LONGS;
        assertThatThrownBy(() -> task.start(untyped(another)))
                .isInstanceOf(StateMigrationException.class);
    }

    @SuppressWarnings("unchecked") // Whoever keeps values of a type keeps objects.
    private static StateType<Object> untyped(StateType<?> type) {
        return (StateType<Object>) type;
    }

    /** Also in the middle of a list, whose elements the filter finds by the serializer. */
    @ParameterizedTest
    @MethodSource("types")
    <V> void losesToTheCompactionFilterWhatHasExpired(StateType<V> type) throws Exception {
        List<String> withoutChangelog = heldAfterCompaction(type, Changelog.OFF);

        assertThat(heldAfterCompaction(type, Changelog.ON)).isEqualTo(withoutChangelog);
    }

    /** With the clock set back, so that only what RocksDB has dropped is missing. */
    private <V> List<String> heldAfterCompaction(StateType<V> type, Changelog changelog)
            throws Exception {
        Path own = directory.resolve(changelog.name());
        try (TypedTask<Long, V> task =
                new TypedTask<>(
                        Delegate.ROCKSDB, own, StateTypes.LONGS, TypedTask.AN_HOUR, changelog)) {
            task.start(type).change(SOME).pass(A_WHILE).change(SOME / 3).checkpoint();
            task.assertOfLogOnly().kill().start(type);
            List<String> before = task.held();
            // Once more: elements that a compaction has merged pass the filter in the next one.
            task.pass(A_WHILE).compact().compact().pass(A_WHILE.negated());
            List<String> after = task.held();
            assertThat(String.join("", after)).hasSizeLessThan(String.join("", before).length());
            return after;
        }
    }
}
