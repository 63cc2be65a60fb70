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

import static io.dstl.changelog.replay.HandWrittenLog.SET;
import static io.dstl.changelog.replay.HandWrittenLog.number;
import static io.dstl.changelog.replay.ReplayFixture.verified;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.testing.ForEachValue;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;

/**
 * A value that gains or loses its time-to-live between two runs, which Flink allows from 2.1 on,
 * with a heap delegate from 2.2 on, and whose log has it both ways.
 */
class TtlSwitchTest extends ReplayTest {
    private static final KeyGroupRange LOW = new KeyGroupRange(0, DelegateKind.KEY_GROUPS / 2 - 1);
    private static final KeyGroupRange HIGH =
            new KeyGroupRange(DelegateKind.KEY_GROUPS / 2, DelegateKind.KEY_GROUPS - 1);
    private static final int LOW_KEY = ReplayFixture.key(LOW, 0);
    private static final int HIGH_KEY = ReplayFixture.key(HIGH, 0);

    @ForEachValue
    void gained(DelegateKind kind) throws Exception {
        open(kind);
        fixture.replay(verified(plain(1, 6), timed(2, 7)));

        assertThat(value(withTtl(), 1)).isEqualTo(6L);
        assertThat(value(withTtl(), 2)).isEqualTo(7L);
        fixture.ttlClock.advanceTime(Duration.ofHours(1));
        assertThat(value(withTtl(), 1)).isNull();
    }

    @ForEachValue
    void lost(DelegateKind kind) throws Exception {
        open(kind);
        fixture.replay(verified(timed(1, 6), plain(2, 7)));

        assertValues(descriptor(), 6, 7);
    }

    /** The job with time-to-live was rolled back. */
    @ForEachValue
    void gainedAndLostAgain(DelegateKind kind) throws Exception {
        open(kind);
        fixture.replay(verified(plain(1, 6), timed(2, 7), plain(3, 8)));

        assertValues(descriptor(), 6, 7, 8);
    }

    @ForEachValue
    void lostAndGainedAgain(DelegateKind kind) throws Exception {
        open(kind);
        fixture.replay(verified(timed(1, 6), plain(2, 7), timed(3, 8)));

        assertValues(withTtl(), 6, 7, 8);
    }

    /** The first log has the roll-back behind it, the second has not. */
    @ForEachValue
    void gainedAndLostAgainInOneOfSeveralLogs(DelegateKind kind) throws Exception {
        open(kind);
        fixture.replay(
                verified(LOW, plain(LOW_KEY, 6), timed(LOW_KEY, 7), plain(LOW_KEY, 8)),
                verified(HIGH, plain(HIGH_KEY, 9)));

        assertThat(value(descriptor(), LOW_KEY)).isEqualTo(8L);
        assertThat(value(descriptor(), HIGH_KEY)).isEqualTo(9L);
    }

    /** After a rescale: the second log starts before the switch, which the first has behind it. */
    @ForEachValue
    void gainedInSeveralLogs(DelegateKind kind) throws Exception {
        open(kind);

        assertThatThrownBy(
                        () ->
                                fixture.replay(
                                        verified(LOW, plain(LOW_KEY, 6), timed(LOW_KEY, 7)),
                                        verified(HIGH, plain(HIGH_KEY, 8), timed(HIGH_KEY, 9))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("State 's' has gained its time-to-live")
                .hasMessageContaining("Restore at the parallelism");
    }

    @ForEachValue
    void lostInSeveralLogs(DelegateKind kind) throws Exception {
        open(kind);
        ChangelogStateBackendHandle one = verified(LOW, timed(LOW_KEY, 6), plain(LOW_KEY, 7));
        ChangelogStateBackendHandle other = verified(HIGH, timed(HIGH_KEY, 8), plain(HIGH_KEY, 9));

        assertThatThrownBy(() -> fixture.replay(one, other))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("State 's' has lost its time-to-live");
    }

    /** Both logs are of the same task by now, which was scaled in and goes on with one of them. */
    @ForEachValue
    void gainedByTheTaskThatHasBothLogs(DelegateKind kind) throws Exception {
        open(kind);
        fixture.replay(
                verified(LOW, timed(LOW_KEY, 6)),
                verified(HIGH, plain(HIGH_KEY, 7)),
                verified(timed(LOW_KEY, 8)));

        assertThat(value(withTtl(), LOW_KEY)).isEqualTo(8L);
        assertThat(value(withTtl(), HIGH_KEY)).isEqualTo(7L);
    }

    /** A migration away and back would start the time-to-live of the first log's value anew. */
    @ForEachValue
    void lostByAnotherLogThanHadIt(DelegateKind kind) throws Exception {
        open(kind);
        ChangelogStateBackendHandle one = verified(LOW, timed(LOW_KEY, 6));
        ChangelogStateBackendHandle other = verified(HIGH, plain(HIGH_KEY, 8), timed(HIGH_KEY, 9));

        assertThatThrownBy(() -> fixture.replay(one, other))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("State 's' has lost its time-to-live");
    }

    @ForEachValue
    void lostAndGainedAgainInSeveralLogs(DelegateKind kind) throws Exception {
        open(kind);
        ChangelogStateBackendHandle one =
                verified(LOW, timed(LOW_KEY, 5), plain(LOW_KEY, 6), timed(LOW_KEY, 7));
        ChangelogStateBackendHandle other =
                verified(HIGH, timed(HIGH_KEY, 8), plain(HIGH_KEY, 9), timed(HIGH_KEY, 10));

        assertThatThrownBy(() -> fixture.replay(one, other))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("State 's' has gained its time-to-live");
    }

    /**
     * What is materialized does not tell whether it is from before or after the log: after a switch
     * in all tasks a restore has to migrate it.
     */
    @ForEachValue
    void gainedInWhatIsMaterializedAndThenInTheLogOfAnother(DelegateKind kind) throws Exception {
        open(kind);
        fixture.replay(verified(LOW, timed(LOW_KEY, 6)));
        fixture.ttlClock.advanceTime(Duration.ofMinutes(9));
        // Another replay does not know what the delegate has.
        new LogReplay(
                        new DelegateTarget<>(fixture.delegate, fixture.bulk),
                        fixture.segments,
                        getClass().getClassLoader(),
                        fixture.cancellation,
                        fixture.clock,
                        fixture.rate)
                .replay(List.of(verified(HIGH, plain(HIGH_KEY, 8), timed(HIGH_KEY, 9))));

        fixture.ttlClock.advanceTime(Duration.ofMinutes(9));
        assertThat(value(withTtl(), LOW_KEY)).as("its lifetime has begun anew").isEqualTo(6L);
        assertThat(value(withTtl(), HIGH_KEY)).isNull();
    }

    /**
     * @param ofKeys those of the keys 1, 2, and so on
     */
    private void assertValues(ValueStateDescriptor<Long> descriptor, long... ofKeys)
            throws Exception {
        for (int i = 0; i < ofKeys.length; i++) {
            assertThat(value(descriptor, i + 1)).as("of key %s", i + 1).isEqualTo(ofKeys[i]);
        }
    }

    private Long value(ValueStateDescriptor<Long> descriptor, int key) throws Exception {
        return fixture.state(descriptor, key, 10).value();
    }

    private static ValueStateDescriptor<Long> descriptor() {
        return new ValueStateDescriptor<>("s", LONGS);
    }

    private static ValueStateDescriptor<Long> withTtl() {
        ValueStateDescriptor<Long> descriptor = descriptor();
        descriptor.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofMinutes(10)).build());
        return descriptor;
    }

    private static HandWrittenLog plain(int key, long value) throws Exception {
        return new HandWrittenLog()
                .state(0, "s", Type.VALUE, LONGS, LONGS)
                .change(SET, 0, key, 10, number(value));
    }

    private static HandWrittenLog timed(int key, long value) throws Exception {
        TtlSerializer<Long> serializer = new TtlSerializer<>(LONGS, LONGS);
        return new HandWrittenLog()
                .state(0, "s", Type.VALUE, LONGS, serializer)
                .change(
                        SET,
                        0,
                        key,
                        10,
                        out -> serializer.serialize(new TtlValue<>(value, 0), out));
    }
}
