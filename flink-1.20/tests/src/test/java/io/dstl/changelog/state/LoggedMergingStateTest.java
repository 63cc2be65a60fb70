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
package io.dstl.changelog.state;

import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static java.util.Arrays.asList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.LoggedBackend;
import io.dstl.changelog.testing.OnEachDelegate;
import io.dstl.changelog.testing.SumAsText;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple1;
import org.apache.flink.api.java.typeutils.runtime.NullableSerializer;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reducing and aggregating states. */
class LoggedMergingStateTest extends LoggedStateTest {
    @OnEachDelegate
    void reducingLogsTheResult(Delegate kind) throws Exception {
        open(kind);
        InternalReducingState<Integer, Long, Long> state = reducing(Long::sum);
        state.add(5L);
        state.add(6L);
        state.updateInternal(3L);
        state.clear();
        assertThat(changes(LONGS))
                .containsExactly(
                        "SET_INTERNAL key=7 ns=1 5",
                        "SET_INTERNAL key=7 ns=1 11",
                        "SET_INTERNAL key=7 ns=1 3",
                        "CLEAR key=7 ns=1");
        assertThat(state.get()).isNull();
    }

    /** The user may catch the failure. */
    @Test
    void withoutAKeyNothingIsAddedToTheHeapAndNothingLost() throws Exception {
        backend = new LoggedBackend<>(Delegate.HEAP, directory, INTS);
        @SuppressWarnings({"unchecked", "rawtypes"}) // There is no class literal of its type.
        TypeSerializer<Tuple1<Integer>> tuples =
                new TupleSerializer(Tuple1.class, new TypeSerializer<?>[] {INTS});
        InternalReducingState<Integer, Long, Tuple1<Integer>> state =
                backend.state(
                        LONGS,
                        1L,
                        new ReducingStateDescriptor<>(
                                "sum", (one, other) -> Tuple1.of(one.f0 + other.f0), tuples));
        assertThatThrownBy(() -> state.add(Tuple1.of(1))).isInstanceOf(Exception.class);
        backend.setCurrentKey(7);
        state.add(Tuple1.of(2));

        assertThat(changes(tuples)).containsExactly("SET_INTERNAL key=7 ns=1 (2)");
        assertThatCode(backend.recorder::checkComplete).doesNotThrowAnyException();
    }

    @OnEachDelegate
    void aggregatingLogsTheAccumulator(Delegate kind) throws Exception {
        open(kind);
        InternalAggregatingState<Integer, Long, Integer, Long, String> state =
                aggregating(new SumAsText(1));
        state.add(5);
        state.add(6);
        assertThat(state.get()).isEqualTo("sum 11");
        assertThat(state.getInternal()).isEqualTo(11L);
        state.updateInternal(3L);
        state.clear();
        assertThat(changes(LONGS))
                .containsExactly(
                        "SET_INTERNAL key=7 ns=1 5",
                        "SET_INTERNAL key=7 ns=1 11",
                        "SET_INTERNAL key=7 ns=1 3",
                        "CLEAR key=7 ns=1");
        assertThat(state.get()).isNull();
    }

    @OnEachDelegate
    void foldsOncePerInput(Delegate kind) throws Exception {
        open(kind);
        AtomicInteger folds = new AtomicInteger();
        InternalReducingState<Integer, Long, Long> state =
                reducing(
                        (a, b) -> {
                            folds.incrementAndGet();
                            return a + b;
                        });
        state.add(1L);
        state.add(2L);
        state.add(3L);
        assertThat(folds).hasValue(2);
        assertThat(state.get()).isEqualTo(6L);
    }

    /** The heap hands out its own object, and the user may catch the failure and go on. */
    @OnEachDelegate
    void whatAFailedFunctionHasChangedInPlaceIsLogged(Delegate kind) throws Exception {
        open(kind);
        @SuppressWarnings({"unchecked", "rawtypes"}) // There is no class literal of its type.
        TypeSerializer<Tuple1<Long>> tuples =
                new TupleSerializer(Tuple1.class, new TypeSerializer<?>[] {LONGS});
        InternalReducingState<Integer, Long, Tuple1<Long>> state =
                backend.state(
                        LONGS,
                        1L,
                        new ReducingStateDescriptor<>(
                                "reducing",
                                (a, b) -> {
                                    a.f0 += b.f0;
                                    throw new IllegalArgumentException("after the change");
                                },
                                tuples));
        state.add(Tuple1.of(5L));

        assertThatThrownBy(() -> state.add(Tuple1.of(6L))).hasMessage("after the change");

        assertThat(state.get()).isEqualTo(Tuple1.of(kind == Delegate.HEAP ? 11L : 5L));
        assertThat(changes(tuples)).last().isEqualTo("SET_INTERNAL key=7 ns=1 " + state.get());
    }

    @OnEachDelegate
    void nullMeansWhatItMeansToTheDelegate(Delegate kind) throws Exception {
        open(kind);
        InternalReducingState<Integer, Long, Long> state =
                reducing((a, b) -> b == null ? a + 100 : a + b);
        state.add(5L);
        state.add(null);
        // Heap removes the value, RocksDB hands null to the function.
        Long expected = kind == Delegate.HEAP ? null : Long.valueOf(105);
        assertThat(state.get()).isEqualTo(expected);
        assertThat(changes(LONGS))
                .last()
                .isEqualTo(
                        kind == Delegate.HEAP ? "CLEAR key=7 ns=1" : "SET_INTERNAL key=7 ns=1 105");
    }

    /** The heap keeps a null; the target's value of before must not come back. */
    @Test
    void aMergeThatComesToNullOnTheHeapIsLoggedAsCleared() throws Exception {
        open(Delegate.HEAP);
        InternalReducingState<Integer, Long, Long> state = reducing((a, b) -> null);
        state.setCurrentNamespace(9L);
        state.add(9L);
        state.setCurrentNamespace(1L);
        state.add(1L);
        backend.log.take();
        state.mergeNamespaces(9L, List.of(1L));
        assertThat(changes(LONGS)).containsExactly("CLEAR key=7 ns=1", "CLEAR key=7 ns=9");
    }

    /** There is an entry then, which a replay must not leave out. */
    @Test
    void aNullResultThatRocksDbKeepsIsLoggedAsItsSerializerWritesIt() throws Exception {
        open(Delegate.ROCKSDB);
        TypeSerializer<Long> nullable = NullableSerializer.wrap(LONGS, false);
        InternalReducingState<Integer, Long, Long> state =
                backend.state(
                        LONGS,
                        1L,
                        new ReducingStateDescriptor<>("reducing", (a, b) -> null, nullable));
        state.add(5L);
        state.add(6L);
        assertThat(state.get()).isNull();
        assertThat(changes(nullable))
                .containsExactly("SET_INTERNAL key=7 ns=1 5", "SET_INTERNAL key=7 ns=1 null");
    }

    @Test
    void aNullResultThatTheSerializerRefusesChangesNothing() throws Exception {
        open(Delegate.ROCKSDB);
        InternalReducingState<Integer, Long, Long> state = reducing((a, b) -> null);
        state.add(5L);
        changes(LONGS);
        assertThatThrownBy(() -> state.add(6L)).isInstanceOf(NullPointerException.class);
        assertThat(backend.log.take()).isEmpty();
        backend.recorder.checkComplete();
        assertThat(state.get()).isEqualTo(5L);
    }

    @OnEachDelegate
    void whatTheFunctionRefusesIsNotLogged(Delegate kind) throws Exception {
        open(kind);
        InternalReducingState<Integer, Long, Long> state = reducing(Math::addExact);
        state.add(Long.MAX_VALUE);
        changes(LONGS);
        assertThatThrownBy(() -> state.add(1L)).isInstanceOf(ArithmeticException.class);
        assertThat(backend.log.take()).isEmpty();
        backend.recorder.checkComplete();
        assertThat(state.get()).isEqualTo(Long.MAX_VALUE);
    }

    @OnEachDelegate
    void usesTheFunctionOfTheLatestRegistration(Delegate kind) throws Exception {
        open(kind);
        InternalReducingState<Integer, Long, Long> reducing = reducing(Long::sum);
        reducing.add(5L);
        assertThat(reducing(Math::max)).isSameAs(reducing);
        reducing.add(6L);
        assertThat(reducing.get()).isEqualTo(6L);

        InternalAggregatingState<Integer, Long, Integer, Long, String> aggregating =
                aggregating(new SumAsText(1));
        aggregating.add(5);
        assertThat(aggregating(new SumAsText(10))).isSameAs(aggregating);
        aggregating.add(6);
        assertThat(aggregating.get()).isEqualTo("sum 65");
    }

    @OnEachDelegate
    void aMergeOfReducedValuesIsLoggedAsItsResult(Delegate kind) throws Exception {
        open(kind);
        InternalReducingState<Integer, Long, Long> state = reducing(Long::sum);
        for (long namespace : new long[] {1, 2, 9}) {
            state.setCurrentNamespace(namespace);
            state.add(namespace);
        }
        state.setCurrentNamespace(5L);
        changes(LONGS);

        state.mergeNamespaces(9L, asList(1L, 2L, 3L));
        assertThat(changes(LONGS))
                .containsExactly(
                        "CLEAR key=7 ns=1",
                        "CLEAR key=7 ns=2",
                        "CLEAR key=7 ns=3",
                        "SET_INTERNAL key=7 ns=9 12");
        assertThat(state.get()).as("in its own namespace").isNull();
        state.setCurrentNamespace(9L);
        assertThat(state.get()).isEqualTo(12L);
    }

    @OnEachDelegate
    void aMergeOfAccumulatorsIsLoggedAsItsResultEvenBeforeANamespaceIsSet(Delegate kind)
            throws Exception {
        open(kind);
        InternalAggregatingState<Integer, Long, Integer, Long, String> first =
                aggregating(new SumAsText(1));
        first.add(4);
        changes(LONGS);

        // As after a restore, when another object stands for the state.
        InternalAggregatingState<Integer, Long, Integer, Long, String> restored =
                new LoggedStates<>(backend.recorder, DelegateSupport.get().writers())
                        .keyValue(sumDescriptor(new SumAsText(1)), delegateOf(first));
        restored.mergeNamespaces(9L, asList(1L, 2L));
        assertThat(changes(LONGS))
                .containsExactly(
                        "CLEAR key=7 ns=1", "CLEAR key=7 ns=2", "SET_INTERNAL key=7 ns=9 4");
    }

    @ParameterizedTest
    @EnumSource(value = Delegate.class, names = "ROCKSDB") // the heap refuses null
    void leavesNullSourcesOut(Delegate kind) throws Exception {
        open(kind);
        InternalReducingState<Integer, Long, Long> state = reducing(Long::sum);
        state.add(5L);
        changes(LONGS);
        state.mergeNamespaces(9L, asList(1L, null));
        assertThat(changes(LONGS)).containsExactly("CLEAR key=7 ns=1", "SET_INTERNAL key=7 ns=9 5");
    }

    @OnEachDelegate
    void aMergeOfNothingSetsNothing(Delegate kind) throws Exception {
        open(kind);
        InternalReducingState<Integer, Long, Long> state = reducing(Long::sum);
        state.mergeNamespaces(9L, asList());
        state.mergeNamespaces(9L, null);
        assertThat(backend.log.take()).isEmpty();
        state.mergeNamespaces(9L, asList(2L));
        assertThat(changes()).containsExactly("CLEAR key=7 ns=2", "CLEAR key=7 ns=9");
    }

    @OnEachDelegate
    void aTargetThatIsItsOwnSourceKeepsItsValueInTheLog(Delegate kind) throws Exception {
        open(kind);
        InternalReducingState<Integer, Long, Long> state = reducing(Long::sum);
        state.add(1L);
        changes(LONGS);
        state.mergeNamespaces(1L, asList(1L));
        assertThat(state.get()).isEqualTo(1L);
        assertThat(changes(LONGS)).containsExactly("CLEAR key=7 ns=1", "SET_INTERNAL key=7 ns=1 1");
    }

    @Test
    void onRocksDbAFunctionMaySwitchTheKey() throws Exception {
        open(Delegate.ROCKSDB);
        InternalReducingState<Integer, Long, Long> state = reducing(this::sumUnderKey4);
        state.add(1L);
        state.add(2L);
        assertThat(backend.changes())
                .filteredOn(change -> !change.isMetadata())
                .hasSize(2)
                .allSatisfy(
                        change -> {
                            assertThat(change.keyGroup()).isEqualTo(keyGroup(7));
                            assertThat(INTS.deserialize(change.body())).isEqualTo(7);
                        });
        assertThat(keyGroup(4)).isNotEqualTo(keyGroup(7));
        backend.setCurrentKey(7);
        assertThat(state.get()).isEqualTo(3L);
    }

    @Test
    void onTheHeapAFunctionThatSwitchesTheKeyIsRefused() throws Exception {
        open(Delegate.HEAP);
        InternalReducingState<Integer, Long, Long> state = reducing(this::sumUnderKey4);
        state.add(1L);
        assertThatThrownBy(() -> state.add(2L))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("'reducing'", "the key 7", "made 4");
        assertThat(changes(LONGS)).containsExactly("SET_INTERNAL key=7 ns=1 1");
        assertThat(state.get()).isNull();
        backend.setCurrentKey(7);
        assertThat(state.get()).isEqualTo(1L);
        assertThatCode(backend.recorder::checkComplete).doesNotThrowAnyException();
    }

    private Long sumUnderKey4(Long one, Long other) {
        backend.setCurrentKey(4);
        return one + other;
    }

    private static int keyGroup(int key) {
        return KeyGroupRangeAssignment.assignToKeyGroup(key, Delegate.KEY_GROUPS);
    }

    @OnEachDelegate
    void aMergeThatFailsHalfwayEndsAllCheckpoints(Delegate kind) throws Exception {
        open(kind);
        InternalReducingState<Integer, Long, Long> state = reducing(Math::addExact);
        for (long namespace : new long[] {1, 2}) {
            state.setCurrentNamespace(namespace);
            state.add(Long.MAX_VALUE);
        }
        state.setCurrentNamespace(5L);
        state.add(55L);
        assertThatThrownBy(() -> state.mergeNamespaces(9L, List.of(1L, 2L)))
                .hasStackTraceContaining("ArithmeticException");
        assertThatThrownBy(backend.recorder::checkComplete)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'reducing'");
        assertThat(state.get()).isEqualTo(55L);
    }

    /** In namespace 1. */
    private InternalReducingState<Integer, Long, Long> reducing(ReduceFunction<Long> function)
            throws Exception {
        InternalReducingState<Integer, Long, Long> state =
                backend.state(
                        LONGS, 1L, new ReducingStateDescriptor<>("reducing", function, LONGS));
        return state;
    }

    /** In namespace 1. */
    private InternalAggregatingState<Integer, Long, Integer, Long, String> aggregating(
            SumAsText function) throws Exception {
        InternalAggregatingState<Integer, Long, Integer, Long, String> state =
                backend.state(LONGS, 1L, sumDescriptor(function));
        return state;
    }

    private static AggregatingStateDescriptor<Integer, Long, String> sumDescriptor(
            SumAsText function) {
        return new AggregatingStateDescriptor<>("aggregating", function, LONGS);
    }

    private InternalAggregatingState<Integer, Long, Integer, Long, String> delegateOf(
            InternalAggregatingState<Integer, Long, Integer, Long, String> state) {
        return ((LoggedMergingState.Aggregating<Integer, Long, Integer, Long, String>) state)
                .delegate();
    }
}
