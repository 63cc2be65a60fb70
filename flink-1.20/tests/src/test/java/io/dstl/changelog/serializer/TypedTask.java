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

import io.dstl.changelog.cluster.CheckpointParts;
import io.dstl.changelog.serializer.TaskAttempts.Changelog;
import io.dstl.changelog.serializer.TypedStates.ExpectedState;
import io.dstl.changelog.serializer.type.StateType;
import io.dstl.changelog.testing.Delegate;
import io.dstl.testkit.Matrix;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.junit.jupiter.params.provider.Arguments;

/** A task that keeps values of one type under keys of another, and what it must have kept. */
final class TypedTask<K, V> implements AutoCloseable {
    /** A compaction looks at the clock for each entry. */
    static final StateTtlConfig AN_HOUR =
            StateTtlConfig.newBuilder(Duration.ofHours(1)).cleanupInRocksdbCompactFilter(1).build();

    private static final long SEED = 20_261_122;

    private final StateType<K> keys;
    private final StateTtlConfig ttl;
    private final Changelog changelog;
    private final TaskAttempts<K> attempts;
    private final Random random = new Random(SEED);

    private long nowMillis = 1_000_000;
    private TypedStates<K, V> states;
    private List<ExpectedState> checkpointed = TypedStates.nothing();

    /** Of each of the types on each delegate, RocksDB first: those that run. */
    static Stream<Arguments> onDelegates(List<StateType<?>> types) {
        return Matrix.ofThisRun()
                .select(
                        types.stream()
                                .flatMap(
                                        type ->
                                                Stream.of(Delegate.ROCKSDB, Delegate.HEAP)
                                                        .map(
                                                                delegate ->
                                                                        Arguments.of(
                                                                                type, delegate))));
    }

    TypedTask(Delegate delegate, Path directory, StateType<K> keys) throws IOException {
        this(delegate, directory, keys, null);
    }

    TypedTask(Delegate delegate, Path directory, StateType<K> keys, StateTtlConfig ttl)
            throws IOException {
        this(delegate, directory, keys, ttl, Changelog.ON);
    }

    /**
     * @param ttl of all states, null for none
     */
    TypedTask(
            Delegate delegate,
            Path directory,
            StateType<K> keys,
            StateTtlConfig ttl,
            Changelog changelog)
            throws IOException {
        this.keys = keys;
        this.ttl = ttl;
        this.changelog = changelog;
        this.attempts = new TaskAttempts<>(delegate, directory, () -> nowMillis, changelog);
    }

    /** From the last checkpoint: the states hold what they held then. */
    TypedTask<K, V> start(StateType<V> values) throws Exception {
        return start(keys, values);
    }

    TypedTask<K, V> start(StateType<K> otherKeys, StateType<V> values) throws Exception {
        states =
                new TypedStates<>(
                        attempts.start(otherKeys.serializer()),
                        otherKeys,
                        values,
                        ttl,
                        checkpointed);
        states.assertHoldExpected();
        checkpointed = states.expected();
        return this;
    }

    TypedTask<K, V> change(int times) throws Exception {
        return change(times, 0);
    }

    TypedTask<K, V> change(int times, int from) throws Exception {
        for (int i = 0; i < times; i++) {
            states.change(random, from);
        }
        states.assertHoldExpected();
        return this;
    }

    TypedTask<K, V> materialize() {
        attempts.materialize();
        return this;
    }

    TypedTask<K, V> checkpoint() throws Exception {
        attempts.checkpoint();
        checkpointed = states.expected();
        return this;
    }

    /** The last checkpoint is the log since the beginning, which has changes. */
    TypedTask<K, V> assertOfLogOnly() {
        return assertParts(false, true);
    }

    /** The last checkpoint is a snapshot of the delegate, with no change since then. */
    TypedTask<K, V> assertMaterializedOnly() {
        return assertParts(true, false);
    }

    /** The last checkpoint is a snapshot of the delegate and the log since then. */
    TypedTask<K, V> assertOfBothParts() {
        return assertParts(true, true);
    }

    /** Holds for any checkpoint without a changelog: it has no parts. */
    private TypedTask<K, V> assertParts(boolean materialized, boolean logged) {
        if (changelog == Changelog.ON) {
            ChangelogStateBackendHandle handle =
                    (ChangelogStateBackendHandle) attempts.lastCheckpoint();
            assertThat(CheckpointParts.isMaterialized(handle)).isEqualTo(materialized);
            assertThat(CheckpointParts.isLogged(handle)).isEqualTo(logged);
        }
        return this;
    }

    TypedTask<K, V> kill() throws Exception {
        attempts.kill();
        return this;
    }

    /** Time passes, and what has expired meanwhile is expected no more. */
    TypedTask<K, V> outlive(StateTtlConfig config) {
        nowMillis += config.getTimeToLive().toMillis() + 1;
        checkpointed = TypedStates.nothing();
        return this;
    }

    TypedTask<K, V> pass(Duration time) {
        nowMillis += time.toMillis();
        return this;
    }

    /** Of all states, by RocksDB. */
    TypedTask<K, V> compact() throws Exception {
        states.compact();
        return this;
    }

    /** What the states hold now, key by key. */
    List<String> held() throws Exception {
        return states.held();
    }

    @Override
    public void close() throws Exception {
        attempts.close();
    }
}
