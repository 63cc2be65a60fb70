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

import static io.dstl.changelog.option.ReplayOptions.BACKGROUND_ENABLED;
import static io.dstl.changelog.replay.HandWrittenLog.ADD_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.MERGE_NS;
import static io.dstl.changelog.replay.HandWrittenLog.SET;
import static io.dstl.changelog.replay.HandWrittenLog.SET_INTERNAL;
import static io.dstl.changelog.replay.HandWrittenLog.keyGroup;
import static io.dstl.changelog.replay.HandWrittenLog.longs;
import static io.dstl.changelog.replay.HandWrittenLog.merge;
import static io.dstl.changelog.replay.HandWrittenLog.number;
import static io.dstl.changelog.replay.HandWrittenLog.timers;
import static io.dstl.changelog.replay.ReplayFixture.OF_STOCK;
import static io.dstl.changelog.replay.ReplayFixture.VERIFIED;
import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static io.dstl.changelog.replay.ReplayFixture.verified;
import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.serializer.type.Cargo;
import io.dstl.changelog.testing.OneThreadSerializer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whenever the delegate comes, it has in the end what a replay through the states gives it. */
class EarlyTargetTest extends EarlyTargetFixture {
    private static final TimerSerializer<Integer, Long> TIMERS = new TimerSerializer<>(INTS, LONGS);
    private static final ValueStateDescriptor<Long> VALUE = new ValueStateDescriptor<>("v", LONGS);

    /** With three partitions afterwards. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 17, 500, 2999, NEVER})
    void leavesTheSameBytesWhenTheDelegateComesAfter(int questions) throws Exception {
        for (long seed = 1; seed <= RUNS; seed++) {
            ChangelogStateBackendHandle log = randomLog(seed, 40);
            List<String> expected = contentAfter(log);

            open(questions, MUCH);
            replay(log);

            assertThat(content()).as("seed %s", seed).containsExactlyElementsOf(expected);
            close();
        }
    }

    /** Which then are bytes alone, up to the first change that reads. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 17, 500, 2000, NEVER})
    void leavesTheSameBytesWhileTheTaskRunsFrom(int questions) throws Exception {
        mayRelease = true;
        for (long seed = 1; seed <= RUNS; seed++) {
            ChangelogStateBackendHandle log = randomLog(seed, 40);
            List<String> expected = contentAfter(log);

            open(questions, seed % 2 == 0 ? MUCH : LITTLE);
            replay(log);

            assertThat(released).as("seed %s", seed).isEqualTo(1);
            assertThat(reclaimed).as("merges of lists, seed %s", seed).isEqualTo(1);
            assertThat(content()).as("seed %s", seed).containsExactlyElementsOf(expected);
            close();
        }
    }

    @Test
    void asksForTheDelegateAgainForAStateThatComesLater() throws Exception {
        openReleasing(0, MUCH);
        replay(
                verified(
                        oneValue(),
                        new HandWrittenLog()
                                .state(1, "w", Type.VALUE, LONGS, LONGS)
                                .change(SET, 0, 1, 10, number(2))
                                .change(SET, 1, 1, 10, number(3))));

        assertThat(released).isEqualTo(1);
        assertThat(reclaimed).isEqualTo(1);
        assertThat(fixture.state(VALUE, 1, 10).value()).isEqualTo(2L);
        assertThat(fixture.state(new ValueStateDescriptor<>("w", LONGS), 1, 10).value())
                .isEqualTo(3L);
    }

    /** The task has registered the state meanwhile. */
    @Test
    void refusesAnotherSchemaWhileTheTaskRuns() throws Exception {
        openReleasing(0, MUCH);

        assertThatThrownBy(() -> replay(verified(oneValue(), textsInPlaceOfValues())))
                .hasStackTraceContaining("state 'v' was logged with two schemas")
                .hasStackTraceContaining(BACKGROUND_ENABLED.key());
    }

    /** The first change set has no change of the task, which is decided upon only afterwards. */
    @Test
    void theTaskWaitsForAStateThatALaterLogMayChange() throws Exception {
        openReleasing(0, MUCH);
        agreed = Optional.of(Set.of("v"));
        replay(
                verified(
                        values(),
                        oneValue()
                                .state(1, "w", Type.VALUE, LONGS, LONGS)
                                .change(SET, 1, 1, 10, number(3))));

        assertThat(released).isZero();
        assertThat(readOn).isEqualTo(1);
        assertThat(fixture.state(VALUE, 1, 10).value()).isEqualTo(1L);
    }

    /** The delegate has to know its values' types once the task goes on. */
    @Test
    void asksForTheDelegateAgainForASubclassThatComesLater() throws Exception {
        ValueStateDescriptor<Cargo> descriptor =
                new ValueStateDescriptor<>("p", Cargo.TYPE.serializer());
        openReleasing(0, MUCH);
        replay(verified(cargo(1), cargo(Cargo.LIVE), cargo(2)));

        assertThat(released).isEqualTo(1);
        assertThat(reclaimed).isEqualTo(1);
        assertThat(fixture.state(descriptor, 1, 10).value()).hasToString("Cargo 1");
        assertThat(fixture.state(descriptor, Cargo.LIVE, 10).value())
                .hasToString("LiveCargo " + Cargo.LIVE);
        assertThat(fixture.state(descriptor, 2, 10).value()).hasToString("Cargo 2");
    }

    /** Of an attempt that has met no other value. */
    private static HandWrittenLog cargo(int number) throws IOException {
        TypeSerializer<Cargo> values = Cargo.TYPE.serializer();
        Cargo value = Cargo.TYPE.value(number);
        values.serialize(value, new DataOutputSerializer(64));
        return new HandWrittenLog()
                .state(0, "p", Type.VALUE, LONGS, values)
                .change(SET, 0, number, 10, out -> values.serialize(value, out));
    }

    @Test
    void theTaskIsKeptWaiting() throws Exception {
        openReleasing(0, MUCH);
        target.keepTaskWaiting();
        assertThat(readOn).isEqualTo(1);
        replay(verified(oneValue(), oneValue()));

        assertThat(released).isZero();
        assertThat(fixture.state(VALUE, 1, 10).value()).isEqualTo(1L);
    }

    @Test
    void asksForTheDelegateAgainForAQueueThatComesLater() throws Exception {
        openReleasing(0, MUCH);
        replay(
                verified(
                        oneValue(),
                        new HandWrittenLog()
                                .queue(1, "q", TIMERS)
                                .queueChange(ADD_ELEMENT, 1, keyGroup(1), timers(1, 5))));

        assertThat(released).isEqualTo(1);
        assertThat(reclaimed).isEqualTo(1);
        assertThat(content("q")).hasSize(1);
    }

    @Test
    void asksForTheDelegateAgainForAMergeOfLists() throws Exception {
        openReleasing(0, MUCH);
        replay(
                verified(
                        lists().change(SET, 0, 1, 10, longs(1))
                                .change(SET, 0, 1, 11, longs(2))
                                .change(MERGE_NS, 0, 1, 10, merge(10, 11))));

        assertThat(released).isEqualTo(1);
        assertThat(reclaimed).isEqualTo(1);
        assertThat(content("l")).as("one list, of both namespaces").hasSize(1);
    }

    /** Its function may have been registered by now. */
    @Test
    void refusesAMergeOfStockWhileTheTaskRuns() throws Exception {
        openReleasing(0, MUCH);
        HandWrittenLog ofStock =
                sums().change(SET_INTERNAL, 0, 1, 10, number(1))
                        .change(MERGE_NS, 0, 1, 10, merge(10, 11));

        assertThatThrownBy(() -> replay(verified(ofStock)))
                .hasStackTraceContaining("MERGE_NS")
                .hasStackTraceContaining(BACKGROUND_ENABLED.key());
    }

    /** Also where the replay has the delegate again, for another reason. */
    @Test
    void refusesAMergeOfStockOnceTheTaskHasRun() throws Exception {
        openReleasing(0, MUCH);
        HandWrittenLog ofStock =
                lists().state(1, "r", Type.REDUCING, LONGS, LONGS)
                        .change(SET, 0, 1, 10, longs(1))
                        .change(SET_INTERNAL, 1, 1, 10, number(1))
                        .change(SET_INTERNAL, 1, 1, 11, number(2))
                        .change(MERGE_NS, 0, 1, 10, merge(10, 11))
                        .change(MERGE_NS, 1, 1, 10, merge(10, 11));

        assertThatThrownBy(() -> replay(verified(ofStock)))
                .hasStackTraceContaining("MERGE_NS")
                .hasStackTraceContaining(BACKGROUND_ENABLED.key());
        assertThat(reclaimed).isEqualTo(1);
    }

    /** Merges of Flink's own backend on dstl's storage wait for their function, as in a restore. */
    @Test
    void theTaskWaitsForTheLogOfAnotherBackend() throws Exception {
        openReleasing(NEVER, MUCH);
        fixture.segments.ungrouped();
        replay(
                verified(
                        sums().change(SET_INTERNAL, 0, 1, 10, number(1))
                                .change(SET_INTERNAL, 0, 1, 11, number(2))
                                .change(MERGE_NS, 0, 1, 10, merge(10, 11))));

        assertThat(released).isZero();
        assertThat(readOn).isPositive();
        assertThat(fixture.target.leftovers().statesWithDeferredMerges()).containsExactly("r");
    }

    /** As it is before each wait for the delegate. */
    @Test
    void leavesTheSameBytesHoweverOftenItIsSorted() throws Exception {
        for (long seed = 1; seed <= RUNS; seed++) {
            ChangelogStateBackendHandle log = randomLog(seed, 40);
            List<String> expected = contentAfter(log);
            int[] asked = {0};

            open(NEVER, MUCH);
            whileAsked =
                    () -> {
                        if (asked[0]++ % 10 == 0) {
                            early.sort();
                        }
                    };
            replay(log);

            assertThat(content()).as("seed %s", seed).containsExactlyElementsOf(expected);
            close();
        }
    }

    @Test
    void writesNothingBeforeTheEndIfThereIsRoom() throws Exception {
        open(NEVER, MUCH);
        replay(verified(oneValue().change(SET, 0, 1, 10, number(2))));

        assertThat(awaited).isEqualTo(1);
        assertThat(target.tally().changes()).isEqualTo(2);
        assertThat(target.tally().survivors()).isEqualTo(1);
        assertThat(fixture.bulk.tally().changes()).isZero();
        assertThat(fixture.state(VALUE, 1, 10).value()).isEqualTo(2L);
    }

    /** The processors are the base's, as the task waits for nothing else. */
    @Test
    void takesNothingInBesideABaseThatTheTaskGoesOnWith() throws Exception {
        openReleasing(NEVER, MUCH);
        replay(verified(oneValue(), oneValue()));

        assertThat(released).isEqualTo(1);
        assertThat(target.tally().changes()).isZero();
        assertThat(fixture.bulk.tally().changes()).isEqualTo(2);
        assertThat(fixture.state(VALUE, 1, 10).value()).isEqualTo(1L);
    }

    @Test
    void goesOnWithTheDelegateFromAChangeSetThatIsNotVerified() throws Exception {
        HandWrittenLog first = oneValue().change(SET, 0, 2, 10, number(1));
        HandWrittenLog ofStock = new HandWrittenLog().change(SET, 0, 1, 10, number(2));

        open(NEVER, MUCH);
        replay(handle(segment(VERIFIED, first), segment(OF_STOCK, ofStock)));

        assertThat(target.tally().changes()).isEqualTo(2);
        assertThat(fixture.bulk.tally().changes()).isZero();
        assertThat(fixture.state(VALUE, 1, 10).value()).isEqualTo(2L);
        assertThat(fixture.state(VALUE, 2, 10).value()).isEqualTo(1L);
    }

    @Test
    void goesOnWithTheDelegateFromAChangeThatReads() throws Exception {
        open(NEVER, MUCH);
        replay(
                verified(
                        lists().state(1, "v", Type.VALUE, LONGS, LONGS)
                                .change(SET, 1, 1, 10, number(7))
                                .change(SET, 0, 1, 10, longs(1))
                                .change(SET, 0, 1, 11, longs(2))
                                .change(MERGE_NS, 0, 1, 10, merge(10, 11))
                                .change(ADD_ELEMENT, 0, 1, 10, number(3)),
                        new HandWrittenLog().change(SET, 1, 1, 10, number(8))));

        assertThat(fixture.bulk.leftOut()).containsOnlyKeys("l");
        assertThat(fixture.bulk.tally().changes()).as("of the value").isEqualTo(1);
        assertThat(content("l")).as("one list, of both namespaces").hasSize(1);
        assertThat(fixture.state(VALUE, 1, 10).value()).isEqualTo(8L);
    }

    private static HandWrittenLog textsInPlaceOfValues() throws IOException {
        return new HandWrittenLog().state(0, "v", Type.VALUE, LONGS, STRINGS);
    }

    /** What one schema wrote has to be there before the next one is registered. */
    @Test
    void goesOnWithTheDelegateFromAnotherSchemaOfAState() throws Exception {
        open(NEVER, MUCH);

        assertThatThrownBy(() -> replay(verified(oneValue(), textsInPlaceOfValues())))
                .hasMessageContaining("State 'v' cannot be restored");

        assertThat(target.tally().survivors()).isEqualTo(1);
    }

    /** The delegate comes after the question of the second change, for which there is no room. */
    @Test
    void tellsOfAnotherTypeThatIsMetWhenTheTableIsFull() throws Exception {
        HandWrittenLog.Data large = out -> out.write(new byte[1 << 20]);
        open(3, LITTLE);
        fixture.state(new ValueStateDescriptor<>("v", STRINGS), 1, 10);

        assertThatThrownBy(
                        () ->
                                replay(
                                        verified(
                                                values().change(SET, 0, 1, 10, large)
                                                        .change(SET, 0, 2, 10, large))))
                .hasMessageContaining("State 'v' cannot be restored")
                .satisfies(EarlyTargetFixture::asksForNoOtherReplay);
    }

    /** As the log of a job on the heap would be, if it were begun early. */
    @Test
    void writesNothingWhereTheDelegateKeepsAStateOtherwise() throws Exception {
        open(DelegateKind.HEAP, NEVER, MUCH);

        assertThatThrownBy(() -> replay(verified(oneValue())))
                .satisfies(EarlyTargetFixture::asksForAnotherReplay)
                .hasStackTraceContaining("'v': it is a")
                .hasStackTraceContaining("Heap");

        assertThat(fixture.state(VALUE, 1, 10).value()).isNull();
    }

    /** Keys of the same bytes, which only equality tells from Flink's. */
    @Test
    void writesNothingWhereTheDelegateHasAnotherKeySerializer() throws Exception {
        open(DelegateKind.ROCKSDB, NEVER, MUCH, OneThreadSerializer.around(INTS));

        assertThatThrownBy(() -> replay(verified(oneValue())))
                .satisfies(EarlyTargetFixture::asksForAnotherReplay)
                .hasStackTraceContaining("it is kept under other keys than it was logged with");

        assertThat(content("v")).isEmpty();
    }

    @Test
    void findsAKeyOfAnotherKeyGroupBeforeTheDelegateIsThere() throws Exception {
        int other = (HandWrittenLog.keyGroup(1) + 1) % DelegateKind.KEY_GROUPS;
        open(NEVER, MUCH);

        assertThatThrownBy(() -> replay(verified(values().raw(other, ReplayTest::writeValue))))
                .hasMessageContaining("the key belongs to key group")
                .satisfies(EarlyTargetFixture::asksForAnotherReplay);

        assertThat(awaited).isZero();
    }

    /** The rate says how long a log takes, whatever the delegate took. */
    @Test
    void countsNoWaitForTheDelegate() throws Exception {
        Duration base = Duration.ofHours(1);
        open(NEVER, MUCH);
        whileAwaited = () -> fixture.clock.advanceTime(base);

        replay(verified(oneValue()));

        assertThat(target.waitedMillis()).isEqualTo(base.toMillis());
        assertThat(replay.workMillis()).isZero();
    }

    @Test
    void countsNoRestAsWork() throws Exception {
        Duration rest = Duration.ofMillis(300);
        whileReleased = () -> fixture.clock.advanceTime(rest);
        openReleasing(0, MUCH);
        replay(verified(oneValue()));

        assertThat(target.waitedMillis()).isEqualTo(rest.toMillis());
        assertThat(replay.workMillis()).isZero();
    }
}
