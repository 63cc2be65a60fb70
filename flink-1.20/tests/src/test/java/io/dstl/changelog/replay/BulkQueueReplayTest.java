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
import static io.dstl.changelog.replay.HandWrittenLog.NOTHING;
import static io.dstl.changelog.replay.HandWrittenLog.REMOVE_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.keyGroup;
import static io.dstl.changelog.replay.HandWrittenLog.timer;
import static io.dstl.changelog.replay.HandWrittenLog.timers;
import static io.dstl.changelog.replay.ReplayFixture.OF_STOCK;
import static io.dstl.changelog.replay.ReplayFixture.VERIFIED;
import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static io.dstl.changelog.replay.ReplayFixture.verified;
import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.bulk.BulkSettings;
import java.util.List;
import java.util.Set;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.junit.jupiter.api.Test;

/** Timers in RocksDB are replayed in bulk, and the queues that are handed out see them. */
class BulkQueueReplayTest extends ReplayTest {
    private static final TimerSerializer<Integer, Long> TIMERS = new TimerSerializer<>(INTS, LONGS);

    private static final TimerSerializer<Integer, String> OTHERS =
            new TimerSerializer<>(INTS, STRINGS);

    @Test
    void writesTheLastChangeOfEachElement() throws Exception {
        HandWrittenLog first =
                timersLog()
                        .queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1, 100))
                        .queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1, 200))
                        .queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1, 100))
                        .queueChange(ADD_ELEMENT, 0, keyGroup(2), timers(2, 150, 250, 350))
                        .queueChange(ADD_ELEMENT, 0, keyGroup(2), timers(2));
        HandWrittenLog second =
                timersLog()
                        .queueChange(REMOVE_ELEMENT, 0, keyGroup(1), timer(1, 100))
                        .queueChange(REMOVE_ELEMENT, 0, keyGroup(2), timer(2, 250))
                        .queueChange(ADD_ELEMENT, 0, keyGroup(2), timers(2, 250));

        inBulk();
        fixture.replay(verified(first, second));

        assertThat(fixture.bulk.leftOut()).isEmpty();
        assertThat(fixture.bulk.tally().changes()).isEqualTo(8);
        assertThat(fixture.bulk.tally().survivors()).isEqualTo(5);
        assertThat(restoredTimes()).containsExactly(150L, 200L, 250L, 350L);
    }

    /** What a queue wrote before stays in its batch, and would come behind what is in bulk. */
    @Test
    void goesOnThroughTheQueueOnceThatWasNeeded() throws Exception {
        HandWrittenLog first =
                timersLog()
                        .queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1, 100))
                        .queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1, 400));
        HandWrittenLog ofStock =
                timersLog()
                        .queueChange(REMOVE_ELEMENT, 0, keyGroup(1), timer(1, 100))
                        .queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1, 200));
        HandWrittenLog last =
                timersLog()
                        .queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1, 100))
                        .queueChange(REMOVE_ELEMENT, 0, keyGroup(1), timer(1, 200));

        inBulk();
        fixture.replay(
                handle(
                        segment(VERIFIED, first),
                        segment(OF_STOCK, ofStock),
                        segment(VERIFIED, last)));

        assertThat(fixture.bulk.leftOut())
                .containsEntry(
                        "timers",
                        "a part of its log was not verified, or not written by dstl's backend");
        assertThat(fixture.bulk.tally().changes()).isEqualTo(2);
        assertThat(restoredTimes()).containsExactly(100L, 400L);
    }

    /**
     * Flink's own backend on dstl's storage: the segments are verified, and a timer is under the
     * key group that happened to be current. So asynchronous timers of Flink 2 are removed.
     */
    @Test
    void takesNoKeyGroupOnTrustThatAnotherBackendWrote() throws Exception {
        assertThat(keyGroup(1)).isNotEqualTo(keyGroup(2));
        HandWrittenLog added =
                timersLog()
                        .queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1, 100))
                        .queueChange(ADD_ELEMENT, 0, keyGroup(2), timers(2, 300));
        HandWrittenLog removed =
                timersLog()
                        .queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1, 200))
                        .queueChange(REMOVE_ELEMENT, 0, keyGroup(1), timer(2, 300));

        inBulk();
        fixture.segments.ungrouped();
        fixture.replay(verified(added, removed));

        assertThat(restoredTimes()).containsExactly(100L, 200L);
    }

    /** One handle after the other: the queue that saw the first one is not what is handed out. */
    @Test
    void seesWhatSeveralHandlesLeave() throws Exception {
        inBulk();
        fixture.replay(timersLog().queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1, 200)));
        assertThat(restoredTimes()).containsExactly(200L);
        fixture.replay(timersLog().queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1, 100)));

        assertThat(restoredTimes()).containsExactly(100L);
    }

    /** Unless the delegate has to refuse the task's. */
    @Test
    void leavesItToTheTaskToCreateAQueueThatRocksDbHas() throws Exception {
        inBulk();
        replayOthers();

        assertThat(fixture.bulk.tally().changes()).isEqualTo(1);
        fixture.target.leftovers().beforeQueue("timers", OTHERS);
        assertThatThrownBy(() -> fixture.target.leftovers().beforeQueue("timers", TIMERS))
                .hasMessageContaining("must not be incompatible");
    }

    @Test
    void tellsTheDelegateOfAQueueThatTheTaskHasNot() throws Exception {
        inBulk();
        replayOthers();

        fixture.target.leftovers().settleQueues(Set.of("timers"));
        assertThatThrownBy(() -> fixture.target.leftovers().settleQueues(Set.of()))
                .hasMessageContaining("must not be incompatible");
    }

    /** With another schema than RocksDB has, which it sees when it creates the queue. */
    private void replayOthers() throws Exception {
        fixture.delegate.create("timers", TIMERS, true);
        fixture.replay(
                new HandWrittenLog()
                        .queue(0, "timers", OTHERS)
                        .queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1)));
    }

    @Test
    void namesAKeyThatIsOfAnotherKeyGroup() throws Exception {
        int other = (keyGroup(1) + 1) % DelegateKind.KEY_GROUPS;

        inBulk();
        HandWrittenLog log = timersLog().queueChange(ADD_ELEMENT, 0, other, timers(1, 7));
        assertThatThrownBy(() -> fixture.replay(log))
                .isInstanceOf(LogReplayException.class)
                .hasMessageContaining("the key belongs to key group " + keyGroup(1));
    }

    @Test
    void failsOnAnElementThatIsNotThere() throws Exception {
        inBulk();
        HandWrittenLog log =
                timersLog()
                        .queueChange(ADD_ELEMENT, 0, keyGroup(1), timers(1))
                        .queueChange(REMOVE_ELEMENT, 0, keyGroup(1), NOTHING);
        assertThatThrownBy(() -> fixture.replay(log))
                .isInstanceOf(LogReplayException.class)
                .hasMessageContaining("unexpected end");
    }

    private static HandWrittenLog timersLog() throws Exception {
        return new HandWrittenLog().queue(0, "timers", TIMERS);
    }

    /** Takes them out of the queue. */
    private List<Long> restoredTimes() {
        return times(fixture.target.leftovers().queues().get("timers").content());
    }

    private void inBulk() throws Exception {
        openInBulk(BulkSettings.of(2, 1 << 22));
    }
}
