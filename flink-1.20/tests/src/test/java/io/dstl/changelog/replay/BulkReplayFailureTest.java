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

import static io.dstl.changelog.replay.HandWrittenLog.ADD;
import static io.dstl.changelog.replay.HandWrittenLog.ADD_OR_UPDATE_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.CLEAR;
import static io.dstl.changelog.replay.HandWrittenLog.NOTHING;
import static io.dstl.changelog.replay.HandWrittenLog.REMOVE_ELEMENT;
import static io.dstl.changelog.replay.HandWrittenLog.SET;
import static io.dstl.changelog.replay.HandWrittenLog.keyGroup;
import static io.dstl.changelog.replay.HandWrittenLog.longs;
import static io.dstl.changelog.replay.HandWrittenLog.number;
import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.verified;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.bulk.Bytes;
import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.delegate.DelegateSupport;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A replay in bulk ends where one through the states does: with what it cannot replay, and soon
 * after the task is cancelled.
 */
class BulkReplayFailureTest extends ReplayTest {
    private static final ValueStateDescriptor<Long> VALUE = new ValueStateDescriptor<>("v", LONGS);
    private static final long MUCH = 1 << 22;

    /** Damage that no checksum tells, and a job with another key serializer. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "key group",
                "operation",
                "end",
                "elements",
                "entries",
                "removed",
                "cleared"
            })
    void failsAsAReplayThroughTheStatesDoes(String fault) throws Exception {
        HandWrittenLog log = oneValue();
        switch (fault) {
            case "key group":
                log.raw((keyGroup(1) + 1) % DelegateKind.KEY_GROUPS, ReplayTest::writeValue);
                break;
            case "elements":
                log.state(1, "l", Type.LIST, LONGS, new ListSerializer<>(LONGS))
                        .change(ADD, 1, 1, 10, withRest(longs(1, 2)));
                break;
            case "entries":
                log.state(1, "m", Type.MAP, LONGS, new MapSerializer<>(LONGS, LONGS))
                        .change(ADD, 1, 1, 10, withRest(out -> out.writeInt(0)));
                break;
            case "removed":
                log.state(1, "m", Type.MAP, LONGS, new MapSerializer<>(LONGS, LONGS))
                        .change(REMOVE_ELEMENT, 1, 1, 10, withRest(number(1)));
                break;
            case "cleared":
                log.change(CLEAR, 0, 1, 10, withRest(NOTHING));
                break;
            case "operation":
                log.change(ADD, 0, 1, 10, longs(1));
                break;
            default:
                log.raw(
                        keyGroup(1),
                        out -> {
                            out.writeByte(SET);
                            out.writeShort(0);
                            out.writeInt(1);
                        });
        }
        ChangelogStateBackendHandle handle = verified(log);

        Throwable throughStates = failureOf(handle, BulkSettings.off());
        Throwable inBulk = failureOf(handle, BulkSettings.of(1, MUCH));

        assertThat(inBulk).isInstanceOf(LogReplayException.class);
        assertThat(inBulk).hasMessage(throughStates.getMessage());
    }

    private static HandWrittenLog.Data withRest(HandWrittenLog.Data data) {
        return out -> {
            data.accept(out);
            out.write(new byte[3]);
        };
    }

    private Throwable failureOf(ChangelogStateBackendHandle handle, BulkSettings settings)
            throws Exception {
        try (ReplayFixture fixture = ReplayFixture.inBulk(emptyDirectory(), settings)) {
            return catchThrowable(() -> fixture.replay(handle));
        }
    }

    /** On another thread a failure is found later, and ends the replay all the same. */
    @Test
    void failsForWhatAnotherThreadCannotReplay() throws Exception {
        HandWrittenLog set =
                new HandWrittenLog()
                        .state(0, "m", Type.MAP, LONGS, new MapSerializer<>(STRINGS, LONGS))
                        .change(ADD_OR_UPDATE_ELEMENT, 0, 1, 10, out -> out.writeByte(200));

        assertThat(failureOf(verified(set), BulkSettings.of(2, MUCH)))
                .isInstanceOf(LogReplayException.class)
                .hasMessageContaining("Cannot replay the last changes of the log")
                .hasMessageContaining("unexpected end");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void writesNothingOnceCancelled(int threads) throws Exception {
        HandWrittenLog set = oneValue();

        fixture = ReplayFixture.inBulk(directory, BulkSettings.of(threads, MUCH));
        LogSource cancelledAtTheEnd =
                (log, keyGroups) -> {
                    CloseableIterator<StateChange> changes = fixture.segments.open(log, keyGroups);
                    return CloseableIterator.adapterForIterator(
                            changes,
                            () -> {
                                changes.close();
                                fixture.cancellation.close();
                            });
                };

        assertThatThrownBy(
                        () -> fixture.replayFrom(cancelledAtTheEnd).replay(List.of(verified(set))))
                .isInstanceOf(CancelTaskException.class);
        assertThat(fixture.state(VALUE, 1, 10).value()).isNull();
    }

    /** A map may have millions of entries. */
    @Test
    void stopsClearingAMapWhenTheTaskIsCancelled() throws Exception {
        MapStateDescriptor<Long, Long> map = new MapStateDescriptor<>("m", LONGS, LONGS);
        inBulk();
        MapState<Long, Long> state = fixture.state(map, 1, 10);
        for (long i = 0; i < 5_000; i++) {
            state.put(i, i);
        }
        RawState raw =
                DelegateSupport.get().rawState((InternalKvState<?, ?, ?>) state).orElseThrow();
        byte[] ofKeyGroup = {(byte) keyGroup(1)};
        AtomicInteger asked = new AtomicInteger();
        try (RawState.RawWriter writer = raw.newWriter(() -> asked.incrementAndGet() == 3)) {
            assertThatThrownBy(() -> writer.deleteBelow(raw, new Bytes().set(ofKeyGroup, 0, 1)))
                    .isInstanceOf(CancelTaskException.class);
        }

        assertThat(asked).hasValue(3);
        assertThat(state.contains(4_999L)).isTrue();
    }

    private void inBulk() throws Exception {
        openInBulk(BulkSettings.of(1, MUCH));
    }
}
