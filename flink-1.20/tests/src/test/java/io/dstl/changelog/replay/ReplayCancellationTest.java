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
import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Iterators are closed on every path, and a cancelled task stops replaying. */
class ReplayCancellationTest extends ReplayTest {
    private ChangelogStateBackendHandle handle;

    @BeforeEach
    void open() throws Exception {
        open(DelegateKind.HEAP);
        HandWrittenLog first = oneValue().change(SET, 0, 1, 10, number(2));
        HandWrittenLog second = new HandWrittenLog().change(SET, 0, 1, 10, number(3));
        handle = handle(segment("segment", first, second));
    }

    @AfterEach
    @Override
    void close() throws Exception {
        assertThat(fixture.segments.open()).as("iterators left open").isZero();
        super.close();
    }

    @Test
    void closesWhatItHasRead() throws Exception {
        fixture.replay(handle);

        assertThat(fixture.segments.opened()).isEqualTo(2);
        assertThat(fixture.cancellation.getNumberOfRegisteredCloseables()).isZero();
    }

    @Test
    void closesAfterAReadError() {
        LogSource broken =
                (log, keyGroups) -> {
                    CloseableIterator<StateChange> changes = fixture.segments.open(log, keyGroups);
                    return failingAfter(2, changes, () -> {});
                };

        assertThatThrownBy(() -> fixture.replayFrom(broken).replay(List.of(handle)))
                .isInstanceOf(LogReplayException.class)
                .hasMessageContaining("Cannot read the change set at offset 0")
                .hasMessageContaining("after 2 changes")
                .hasRootCauseMessage("truncated");
        assertThat(fixture.cancellation.getNumberOfRegisteredCloseables()).isZero();
    }

    @Test
    void stopsWhenTheRegistryIsClosed() {
        LogSource cancelledMeanwhile =
                (log, keyGroups) ->
                        failingAfter(
                                2,
                                fixture.segments.open(log, keyGroups),
                                () -> fixture.cancellation.close());

        assertThatThrownBy(() -> fixture.replayFrom(cancelledMeanwhile).replay(List.of(handle)))
                .isInstanceOf(CancelTaskException.class);
    }

    @Test
    void takesAnEarlyEndForCancellationOnceCancelled() throws Exception {
        LogSource endsWhenClosed =
                (log, keyGroups) -> {
                    CloseableIterator<StateChange> changes = fixture.segments.open(log, keyGroups);
                    return endingAfter(2, changes, () -> fixture.cancellation.close());
                };

        assertThatThrownBy(() -> fixture.replayFrom(endsWhenClosed).replay(List.of(handle)))
                .isInstanceOf(CancelTaskException.class);
    }

    @Test
    void opensNothingWhenCancelledBefore() throws Exception {
        fixture.cancellation.close();

        assertThatThrownBy(() -> fixture.replay(handle)).isInstanceOf(CancelTaskException.class);
        assertThat(fixture.segments.opened()).isZero();
    }

    @Test
    void stopsWhenInterrupted() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> fixture.replay(handle))
                    .isInstanceOf(CancelTaskException.class);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    void doesNotFailForAFileItCannotCloseAfterReading() throws Exception {
        AtomicInteger closes = new AtomicInteger();
        LogSource uncloseable =
                (log, keyGroups) -> {
                    CloseableIterator<StateChange> changes = fixture.segments.open(log, keyGroups);
                    return CloseableIterator.adapterForIterator(
                            changes,
                            () -> {
                                changes.close();
                                closes.incrementAndGet();
                                throw new IOException("connection reset");
                            });
                };

        assertThatCode(() -> fixture.replayFrom(uncloseable).replay(List.of(handle)))
                .doesNotThrowAnyException();
        assertThat(closes).hasValue(2);
        assertThat(fixture.state(new ValueStateDescriptor<>("v", LONGS), 1, 10).value())
                .isEqualTo(3L);
    }

    @Test
    void leavesNoCurrentKey() throws Exception {
        fixture.replay(handle);

        assertThat(fixture.delegate.getCurrentKey()).isNull();
    }

    private interface Action {
        void run() throws Exception;
    }

    private static CloseableIterator<StateChange> failingAfter(
            int count, CloseableIterator<StateChange> changes, Action before) {
        return interrupted(
                count,
                changes,
                () -> {
                    before.run();
                    throw new IllegalStateException("truncated");
                });
    }

    private static CloseableIterator<StateChange> endingAfter(
            int count, CloseableIterator<StateChange> changes, Action before) {
        return interrupted(count, changes, before);
    }

    /** Runs the action after some changes, and ends if that does not throw. */
    private static CloseableIterator<StateChange> interrupted(
            int count, CloseableIterator<StateChange> changes, Action action) {
        Iterator<StateChange> iterator =
                new Iterator<>() {
                    private int left = count;

                    @Override
                    public boolean hasNext() {
                        if (left == 0) {
                            runUnchecked(action);
                            return false;
                        }
                        return changes.hasNext();
                    }

                    @Override
                    public StateChange next() {
                        if (left-- == 0) {
                            throw new NoSuchElementException();
                        }
                        return changes.next();
                    }
                };
        return CloseableIterator.adapterForIterator(iterator, changes);
    }

    private static void runUnchecked(Action action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
