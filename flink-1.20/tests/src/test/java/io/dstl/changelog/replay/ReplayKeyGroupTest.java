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

import static io.dstl.changelog.replay.HandWrittenLog.ADD_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.REMOVE_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.keyGroup;
import static io.dstl.changelog.replay.HandWrittenLog.number;
import static io.dstl.changelog.replay.HandWrittenLog.timer;
import static io.dstl.changelog.replay.HandWrittenLog.timers;
import static io.dstl.changelog.replay.ReplayFixture.OF_STOCK;
import static io.dstl.changelog.replay.ReplayFixture.VERIFIED;
import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.testing.ForEachValue;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A subtask applies the changes of its key groups, each once, however the job was rescaled. */
class ReplayKeyGroupTest extends ReplayTest {
    private static final KeyGroupRange LOWER = KeyGroupRange.of(0, 7);
    private static final KeyGroupRange UPPER = KeyGroupRange.of(8, 15);
    private static final int KEYS = 40;

    private List<Tuple2<StreamStateHandle, Long>> segment;

    /** A change per key, so that all key groups have some; adding one twice would show. */
    @BeforeEach
    void writeSegment() throws Exception {
        HandWrittenLog log = lists();
        for (int key = 0; key < KEYS; key++) {
            log.change(ADD_ELEMENT, 0, key, 10, number(key));
        }
        segment = segment(VERIFIED, log);
    }

    @ForEachValue
    void scaledOut(DelegateKind kind) throws Exception {
        ChangelogStateBackendHandle whole = handle(segment);

        open(kind, UPPER);
        fixture.replay((ChangelogStateBackendHandle) whole.getIntersection(UPPER));

        assertThat(keys()).containsExactlyElementsOf(keysIn(UPPER));
        assertEachOnce(keysIn(UPPER));
    }

    @Test
    void whatOtherSubtasksReplayDoesNotMakeThisOneFaster() throws Exception {
        ChangelogStateBackendHandle whole = handle(segment);
        double ofAll = rate(DelegateKind.ALL, whole);
        double ofHalf = rate(UPPER, (ChangelogStateBackendHandle) whole.getIntersection(UPPER));

        assertThat(ofAll).isPositive().isLessThanOrEqualTo(bytesStored(whole));
        assertThat(ofHalf).isPositive().isLessThan(ofAll);
    }

    private static double bytesStored(ChangelogStateBackendHandle handle) {
        return handle.getNonMaterializedStateHandles().get(0).getStateSize();
    }

    /** Of a replay that takes a second. */
    private double rate(KeyGroupRange keyGroups, ChangelogStateBackendHandle handle)
            throws Exception {
        try (ReplayFixture fixture = ReplayFixture.of(DelegateKind.HEAP, directory, keyGroups)) {
            fixture.replayFrom(
                            (log, needed) -> {
                                fixture.clock.advanceTime(Duration.ofSeconds(1));
                                return fixture.segments.open(log, needed);
                            })
                    .replay(List.of(handle));
            return fixture.rate.bytesPerSecond().orElseThrow();
        }
    }

    @ForEachValue
    void scaledOutAndIn(DelegateKind kind) throws Exception {
        ChangelogStateBackendHandle whole = handle(segment);

        open(kind);
        fixture.replay(
                (ChangelogStateBackendHandle) whole.getIntersection(LOWER),
                (ChangelogStateBackendHandle) whole.getIntersection(UPPER));

        assertThat(keys()).containsExactlyElementsOf(keysIn(DelegateKind.ALL));
        assertEachOnce(keysIn(DelegateKind.ALL));
    }

    @ForEachValue
    void severalRangesInOneHandle(DelegateKind kind) throws Exception {
        open(kind);
        fixture.replay(handle(DelegateKind.ALL, log(LOWER, segment), log(UPPER, segment)));

        assertEachOnce(keysIn(DelegateKind.ALL));
    }

    @ForEachValue
    void registersStatesOfOtherSubtasks(DelegateKind kind) throws Exception {
        open(kind, UPPER);
        fixture.replay(handle(LOWER, log(LOWER, segment)));

        assertThat(keys()).isEmpty();
        HandWrittenLog otherKind = new HandWrittenLog().state(0, "l", Type.VALUE, LONGS, LONGS);
        assertThatThrownBy(() -> fixture.replay(otherKind))
                .hasMessageContaining("Was [LIST], registered with [VALUE]");
    }

    /** Flink's own backend logs a timer under the key group that happens to be current. */
    @ForEachValue
    void timersLoggedUnderAnotherKeyGroup(DelegateKind kind) throws Exception {
        TimerSerializer<Integer, Long> serializer = new TimerSerializer<>(INTS, LONGS);
        int lowerKey = keysIn(LOWER).get(0);
        int upperKey = keysIn(UPPER).get(0);
        HandWrittenLog changes =
                new HandWrittenLog()
                        .queue(0, "timers", serializer)
                        .queueChange(ADD_ELEMENT, 0, 0, timers(upperKey, 100, 200, 300))
                        .queueChange(ADD_ELEMENT, 0, 0, timers(lowerKey, 150))
                        .queueChange(REMOVE_ELEMENT, 0, 0, timer(upperKey, 200));
        ChangelogStateBackendHandle whole = handle(segment(OF_STOCK, changes));

        open(kind, UPPER);
        fixture.replay((ChangelogStateBackendHandle) whole.getIntersection(UPPER));

        assertThat(times(fixture.delegate.create("timers", serializer)))
                .containsExactly(100L, 300L);
    }

    private List<Integer> keys() {
        try (Stream<Integer> keys = fixture.delegate.getKeys("l", 10L)) {
            return keys.sorted().collect(toList());
        }
    }

    private static List<Integer> keysIn(KeyGroupRange range) {
        return IntStream.range(0, KEYS)
                .filter(key -> range.contains(keyGroup(key)))
                .boxed()
                .collect(toList());
    }

    private void assertEachOnce(List<Integer> keys) throws Exception {
        for (int key : keys) {
            assertThat(listAt(key, 10)).as("list of key " + key).containsExactly((long) key);
        }
    }
}
