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
package io.dstl.changelog.replay;

import static io.dstl.changelog.replay.HandWrittenLog.CLEAR;
import static io.dstl.changelog.replay.HandWrittenLog.MERGE_NS;
import static io.dstl.changelog.replay.HandWrittenLog.NOTHING;
import static io.dstl.changelog.replay.HandWrittenLog.SET_INTERNAL;
import static io.dstl.changelog.replay.HandWrittenLog.merge;
import static io.dstl.changelog.replay.HandWrittenLog.number;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.state.AccumulatorKind;
import io.dstl.changelog.testing.ForEachValue;
import io.dstl.changelog.testing.SumAsText;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalMergingState;
import org.apache.flink.runtime.state.internal.InternalReducingState;

/**
 * Merged namespaces as Flink's own backend logs them: only the user's function can merge what they
 * hold, and it is known after the replay.
 */
class DeferredMergesTest extends ReplayTest {
    private static final ReducingStateDescriptor<Long> SUM =
            new ReducingStateDescriptor<>("s", Long::sum, LONGS);

    @ForEachValue
    void waitForTheReduceFunction(DelegateKind kind) throws Exception {
        open(kind);
        fixture.replay(merged(Type.REDUCING));

        assertThat(fixture.target.leftovers().statesWithDeferredMerges()).containsExactly("s");
        InternalMergingState<Integer, Long, ?, Long, ?> state = register(fixture, SUM);

        assertThat(fixture.target.leftovers().statesWithDeferredMerges()).isEmpty();
        assertThat(sumAt(fixture, state, 1, 10)).isEqualTo(111L);
        assertThat(sumAt(fixture, state, 1, 11)).isNull();
        assertThat(sumAt(fixture, state, 1, 12)).isNull();
        assertThat(sumAt(fixture, state, 2, 11)).as("another key").isEqualTo(5L);
    }

    @ForEachValue
    void waitForTheAggregateFunction(DelegateKind kind) throws Exception {
        open(kind);
        fixture.replay(merged(Type.AGGREGATING));
        InternalMergingState<Integer, Long, ?, Long, ?> state =
                register(fixture, new AggregatingStateDescriptor<>("s", new SumAsText(), LONGS));

        assertThat(sumAt(fixture, state, 1, 10)).isEqualTo(111L);
        assertThat(state.get()).isEqualTo("sum 111");
    }

    /** As with time-to-live, if all values have expired. */
    @ForEachValue
    void thatComeToNothingClearTheState(DelegateKind kind) throws Exception {
        open(kind);
        fixture.replay(merged(Type.REDUCING));

        InternalMergingState<Integer, Long, ?, Long, ?> state =
                register(fixture, new ReducingStateDescriptor<>("s", (a, b) -> null, LONGS));

        assertThat(sumAt(fixture, state, 1, 10)).isNull();
        assertThat(sumAt(fixture, state, 2, 11)).isEqualTo(5L);
    }

    @ForEachValue
    void leaveTheKeyAsItWas(DelegateKind kind) throws Exception {
        try (ReplayFixture fixture = ReplayFixture.of(kind, directory)) {
            fixture.replay(merged(Type.REDUCING));
            fixture.delegate.setCurrentKey(2);
            register(fixture, SUM);

            assertThat(fixture.delegate.getCurrentKey()).isEqualTo(2);
        }
        try (ReplayFixture fixture = ReplayFixture.of(kind, directory)) {
            fixture.replay(merged(Type.REDUCING));
            register(fixture, SUM);

            assertThat(fixture.delegate.getCurrentKey()).isNull();
        }
    }

    @ForEachValue
    void areOverwrittenByWhatFollows(DelegateKind kind) throws Exception {
        HandWrittenLog log =
                merged(Type.REDUCING)
                        .change(SET_INTERNAL, 0, 1, 10, number(7))
                        .change(SET_INTERNAL, 0, 3, 10, number(1))
                        .change(SET_INTERNAL, 0, 3, 11, number(2))
                        .change(MERGE_NS, 0, 3, 10, merge(10, 11))
                        .change(CLEAR, 0, 3, 10, NOTHING);
        open(kind);
        fixture.replay(log);

        assertThat(fixture.target.leftovers().statesWithDeferredMerges()).isEmpty();
        InternalMergingState<Integer, Long, ?, Long, ?> state = register(fixture, SUM);
        assertThat(sumAt(fixture, state, 1, 10)).isEqualTo(7L);
        assertThat(sumAt(fixture, state, 3, 10)).isNull();
    }

    @ForEachValue
    void mergeWhatWaitsAlready(DelegateKind kind) throws Exception {
        HandWrittenLog log =
                merged(Type.REDUCING)
                        .change(SET_INTERNAL, 0, 1, 20, number(1000))
                        .change(MERGE_NS, 0, 1, 20, merge(20, 10, 11, 12));
        open(kind);
        fixture.replay(log);
        InternalMergingState<Integer, Long, ?, Long, ?> state = register(fixture, SUM);

        assertThat(sumAt(fixture, state, 1, 20)).isEqualTo(1111L);
        assertThat(sumAt(fixture, state, 1, 10)).isNull();
    }

    @ForEachValue
    void needNoFunctionForOneValue(DelegateKind kind) throws Exception {
        HandWrittenLog log =
                reducing(Type.REDUCING)
                        .change(SET_INTERNAL, 0, 1, 11, number(5))
                        .change(MERGE_NS, 0, 1, 10, merge(10, 11, 12))
                        .change(MERGE_NS, 0, 2, 10, merge(10, 11, 12));
        open(kind);
        fixture.replay(log);

        assertThat(fixture.target.leftovers().statesWithDeferredMerges()).isEmpty();
        InternalMergingState<Integer, Long, ?, Long, ?> state = register(fixture, SUM);
        assertThat(sumAt(fixture, state, 1, 10)).isEqualTo(5L);
        assertThat(sumAt(fixture, state, 1, 11)).isNull();
        assertThat(sumAt(fixture, state, 2, 10)).isNull();
    }

    @ForEachValue
    void surviveMetadataThatComesAgain(DelegateKind kind) throws Exception {
        open(kind);
        fixture.replay(merged(Type.REDUCING));
        fixture.replay(reducing(Type.REDUCING));
        InternalMergingState<Integer, Long, ?, Long, ?> state = register(fixture, SUM);

        assertThat(sumAt(fixture, state, 1, 10)).isEqualTo(111L);
    }

    @ForEachValue
    void stateThatIsUsedUnregistered(DelegateKind kind) throws Exception {
        open(kind);
        fixture.replay(merged(Type.REDUCING));
        InternalReducingState<Integer, Long, Long> unregistered =
                fixture.delegate.createOrUpdateInternalState(
                        LONGS,
                        new ReducingStateDescriptor<>(
                                "s", new AccumulatorKind.UnknownFunction<>("s"), LONGS));
        fixture.delegate.setCurrentKey(2);
        unregistered.setCurrentNamespace(11L);
        assertThatThrownBy(() -> unregistered.add(1L))
                .hasStackTraceContaining("The user function of state 's' is not known");
    }

    private static HandWrittenLog reducing(Type kind) throws Exception {
        return new HandWrittenLog().state(0, "s", kind, LONGS, LONGS);
    }

    /** Namespaces 11 and 12 of key 1 are merged into 10. */
    private static HandWrittenLog merged(Type kind) throws Exception {
        return reducing(kind)
                .change(SET_INTERNAL, 0, 1, 10, number(1))
                .change(SET_INTERNAL, 0, 1, 11, number(10))
                .change(SET_INTERNAL, 0, 1, 12, number(100))
                .change(SET_INTERNAL, 0, 2, 11, number(5))
                .change(MERGE_NS, 0, 1, 10, merge(10, 11, 12));
    }

    /** Registers the state as user code does: the delegate first, then the merges that wait. */
    private static InternalMergingState<Integer, Long, ?, Long, ?> register(
            ReplayFixture fixture, StateDescriptor<?, ?> descriptor) throws Exception {
        InternalKvState<Integer, ?, ?> state =
                fixture.delegate.createOrUpdateInternalState(LONGS, descriptor);
        fixture.target.leftovers().resolveMerges(descriptor, state);
        @SuppressWarnings("unchecked")
        InternalMergingState<Integer, Long, ?, Long, ?> merging =
                (InternalMergingState<Integer, Long, ?, Long, ?>) state;
        return merging;
    }

    private static Long sumAt(
            ReplayFixture fixture,
            InternalMergingState<Integer, Long, ?, Long, ?> state,
            int key,
            long namespace)
            throws Exception {
        fixture.delegate.setCurrentKey(key);
        state.setCurrentNamespace(namespace);
        return state.getInternal();
    }
}
