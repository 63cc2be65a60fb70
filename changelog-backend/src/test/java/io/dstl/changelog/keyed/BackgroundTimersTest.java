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

import static io.dstl.changelog.keyed.HeldReplay.KEYS;
import static io.dstl.changelog.keyed.HeldReplay.WHILE_RUNNING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Timers of a log that is replayed while the task runs. */
@Timeout(120)
class BackgroundTimersTest {
    private static final TimerSerializer<Integer, Long> OF_LONGS =
            new TimerSerializer<>(IntSerializer.INSTANCE, LongSerializer.INSTANCE);

    @TempDir private Path directory;

    private final ManualTimers time = new ManualTimers();
    private final Fired fired = new Fired();
    private HeldReplay replay;
    private TestJob job;

    @BeforeEach
    void open() throws Exception {
        replay = new HeldReplay(directory);
        job = replay.job();
    }

    @AfterEach
    void stop() throws Exception {
        replay.close();
    }

    private InternalTimerService<VoidNamespace> service(InternalTimeServiceManager<Integer> all) {
        return all.getInternalTimerService(
                "user-timers", IntSerializer.INSTANCE, VoidNamespaceSerializer.INSTANCE, fired);
    }

    /** With a timer of each key at its number, which the last change set says of the first ones. */
    private void writeTimers() throws Exception {
        job.start(1);
        InternalTimerService<VoidNamespace> timers = service(timerServices());
        job.put(1, KEYS, "v1");
        register(timers, 11, KEYS);
        job.checkpoint(1);
        job.put(1, KEYS, "v2");
        job.checkpoint(2);
        register(timers, 1, 10);
        job.checkpoint(3);
        replay.stopTheWriter();
        time.forget();
    }

    private InternalTimeServiceManager<Integer> timerServices() throws Exception {
        return replay.subtask().timerServices(time);
    }

    private void register(InternalTimerService<VoidNamespace> timers, int first, int last)
            throws Exception {
        for (int key = first; key <= last; key++) {
            replay.subtask().read(key);
            timers.registerProcessingTimeTimer(VoidNamespace.INSTANCE, key);
            timers.registerEventTimeTimer(VoidNamespace.INSTANCE, key);
        }
    }

    private static List<Integer> keys(int first, int last) {
        return IntStream.rangeClosed(first, last).boxed().collect(Collectors.toList());
    }

    /** It looks for its first timer without waiting, until that is known. */
    @Test
    void aTimerServiceIsMadeAtOnceAndCalledForTheTimersOfTheWholeLog() throws Exception {
        writeTimers();
        replay.startInTheMiddle();

        service(timerServices());
        time.callNext();
        time.callNext();

        assertThat(replay.view().isHolding()).isTrue();
        assertThat(fired.processingTime).isEmpty();
        replay.view().letGo();
        HeldReplay.expectNoThreads();
        time.callNext();
        assertThat(fired.processingTime).isEqualTo(keys(1, KEYS));
        assertThat(time.isIdle()).isTrue();
    }

    @Test
    void aTimerThatIsSetMeanwhileIsCalledForInItsTurn() throws Exception {
        writeTimers();
        replay.startInTheMiddle();
        InternalTimerService<VoidNamespace> timers = service(timerServices());

        replay.whileHeld(WHILE_RUNNING, () -> replay.subtask().read(7));
        timers.registerProcessingTimeTimer(VoidNamespace.INSTANCE, 0);

        time.advance(0);
        assertThat(fired.processingTime).containsExactly(7);
        time.advance(3);
        assertThat(fired.processingTime).containsExactly(7, 1, 2, 3);
        time.advance(KEYS);
        assertThat(fired.processingTime).hasSize(KEYS + 1);
    }

    @Test
    void aWatermarkWaits() throws Exception {
        writeTimers();
        replay.startInTheMiddle();
        InternalTimeServiceManager<Integer> all = timerServices();
        service(all);

        replay.whileHeld(WHILE_RUNNING, () -> all.advanceWatermark(new Watermark(3)));

        assertThat(fired.eventTime).isEqualTo(keys(1, 3));
    }

    @Test
    void aServiceWithoutATimerIsCalledForNone() throws Exception {
        replay.writeALog();
        replay.startInTheMiddle();

        service(timerServices());

        replay.view().letGo();
        HeldReplay.expectNoThreads();
        time.callNext();
        assertThat(fired.processingTime).isEmpty();
        assertThat(time.isIdle()).isTrue();
    }

    /** What it was told of them, it keeps: they are the ones that it was restored with. */
    @Test
    void theyAreInTheNextSnapshotThoughNobodyLookedAtThem() throws Exception {
        writeTimers();
        replay.startInTheMiddle();
        service(timerServices());

        replay.whileHeld(WHILE_RUNNING, job::materialize);

        job.checkpoint(4);
        assertThat(job.segmentsOf(4)).isEmpty();
        job.stop();
        time.forget();
        job.start(1);
        service(timerServices());
        time.advance(KEYS);
        assertThat(fired.processingTime).isEqualTo(keys(1, KEYS));
    }

    /** In RocksDB, or on the heap, where they are in the log alone. */
    @ParameterizedTest
    @EnumSource(PriorityQueueStateType.class)
    void aQueueMayComeLate(PriorityQueueStateType type) throws Exception {
        replay.delegate().claims(type, type);
        job.leaveOut("timers");
        job.start(1);
        job.put(1, KEYS, "v1");
        job.checkpoint(1);
        job.put(1, KEYS, "v2");
        job.checkpoint(2);
        replay.subtask().queue("late").add(TestSubtask.timer(5));
        job.checkpoint(3);
        replay.stopTheWriter();
        replay.startInTheMiddle();
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> late =
                replay.subtask().queue("late");

        replay.whileHeld(WHILE_RUNNING, () -> assertThat(late.size()).isEqualTo(1));

        assertThat(late.peek()).isEqualTo(TestSubtask.timer(5));
        job.materialize();
        job.checkpoint(4);
        job.stop();
        job.start(1);
        assertThat(replay.subtask().queue("late").poll()).isEqualTo(TestSubtask.timer(5));
    }

    @Test
    void whateverIsDoneWithAQueueWaits() throws Exception {
        replay.writeALog();
        job.leaveOut("timers");
        replay.startInTheMiddle();
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> timers =
                replay.subtask().queue("timers");

        replay.whileHeld(
                WHILE_RUNNING, () -> assertThat(timers.poll()).isEqualTo(TestSubtask.timer(1)));

        assertThat(timers.isEmpty()).isFalse();
        assertThat(timers.remove(TestSubtask.timer(2))).isTrue();
        assertThat(timers.add(TestSubtask.timer(1))).isTrue();
        timers.addAll(List.of(TestSubtask.timer(2)));
        assertThat(timers.size()).isEqualTo(KEYS);
        try (CloseableIterator<TimerHeapInternalTimer<Integer, VoidNamespace>> each =
                timers.iterator()) {
            assertThat((Iterator<?>) each).toIterable().hasSize(KEYS);
        }
    }

    @Test
    void aQueueOfOtherElementsWaitsAndIsRefused() throws Exception {
        replay.writeALog();
        job.leaveOut("timers");
        replay.startInTheMiddle();

        replay.whileHeld(
                WHILE_RUNNING,
                () ->
                        assertThatThrownBy(() -> replay.subtask().queue("timers", OF_LONGS))
                                .hasMessageContaining("must not be incompatible"));
    }

    private static final class Fired implements Triggerable<Integer, VoidNamespace> {
        private final List<Integer> processingTime = new ArrayList<>();
        private final List<Integer> eventTime = new ArrayList<>();

        @Override
        public void onEventTime(InternalTimer<Integer, VoidNamespace> timer) {
            eventTime.add(timer.getKey());
        }

        @Override
        public void onProcessingTime(InternalTimer<Integer, VoidNamespace> timer) {
            processingTime.add(timer.getKey());
        }
    }
}
