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
package io.dstl.changelog.keyed;

import static io.dstl.changelog.testing.Serializers.INTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a timer service is shown of timers that are not known yet. */
class AwaitedQueueTest {
    private long nowMillis = 1_000;

    private AwaitedQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> queue(String name) {
        return new AwaitedQueue<>(
                name,
                new TimerSerializer<>(INTS, VoidNamespaceSerializer.INSTANCE),
                new AwaitedQueue.Replay() {
                    @Override
                    public boolean isOver() {
                        return false;
                    }

                    @Override
                    public void await() {
                        throw new IllegalStateException("waits");
                    }

                    @Override
                    public long nowMillis() {
                        return nowMillis;
                    }
                },
                () -> {
                    throw new AssertionError("created before the replay is over");
                });
    }

    /** Else it would take it for one that is due, and for the user's. */
    @Test
    void aTimerServiceNeverFindsDueWhatItIsShown() {
        AwaitedQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> timers =
                queue("_timer_state/processing_user-timers");
        long first = timers.peek().getTimestamp();
        long inTheSameMillisecond = timers.peek().getTimestamp();
        nowMillis = 10;
        long withTheClockSetBack = timers.peek().getTimestamp();
        nowMillis = 5_000;
        long later = timers.peek().getTimestamp();

        assertThat(first).isGreaterThan(1_000);
        assertThat(inTheSameMillisecond).isGreaterThan(first);
        assertThat(withTheClockSetBack).isGreaterThan(inTheSameMillisecond);
        assertThat(later).isGreaterThan(5_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"_timer_state/event_user-timers", "queue"})
    void nothingIsShownOfAnotherQueue(String name) {
        assertThatThrownBy(queue(name)::peek).hasMessage("waits");
    }
}
