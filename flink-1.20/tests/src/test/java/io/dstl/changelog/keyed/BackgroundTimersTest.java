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

import static io.dstl.changelog.testing.Awaiting.await;
import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.testkit.ManualMailbox;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.runtime.checkpoint.CheckpointType;
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
import org.apache.flink.streaming.runtime.tasks.TestProcessingTimeService;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Timers of a log that is replayed while the task runs. */
@Timeout(120)
class BackgroundTimersTest extends HeldReplay {
    private static final TimerSerializer<Integer, Long> OF_LONGS =
            new TimerSerializer<>(INTS, LONGS);

    private final Fired fired = new Fired();
    private TestProcessingTimeService time = new TestProcessingTimeService();

    private InternalTimerService<VoidNamespace> service(InternalTimeServiceManager<Integer> all) {
        return all.getInternalTimerService(
                "user-timers", INTS, VoidNamespaceSerializer.INSTANCE, fired);
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
        stopTheWriter();
        time = new TestProcessingTimeService();
    }

    private InternalTimeServiceManager<Integer> timerServices() throws Exception {
        return subtask().timerServices(time);
    }

    private void register(InternalTimerService<VoidNamespace> timers, int first, int last)
            throws Exception {
        for (int key = first; key <= last; key++) {
            subtask().read(key);
            timers.registerProcessingTimeTimer(VoidNamespace.INSTANCE, key);
            timers.registerEventTimeTimer(VoidNamespace.INSTANCE, key);
        }
    }

    /** Of what the timer services are to be called for, for the first, whenever that is. */
    private void callNext() throws Exception {
        time.setCurrentTime(Collections.min(time.getActiveTimerTimestamps()));
    }

    private static List<Integer> keys(int first, int last) {
        return IntStream.rangeClosed(first, last).boxed().collect(Collectors.toList());
    }

    /** It looks for its first timer without waiting, until that is known. */
    @Test
    void aTimerServiceIsMadeAtOnceAndCalledForTheTimersOfTheWholeLog() throws Exception {
        writeTimers();
        startInTheMiddle();

        service(timerServices());
        callNext();
        callNext();

        assertThat(view.isHolding()).isTrue();
        assertThat(fired.processingTime).isEmpty();
        view.letGo();
        expectNoThreads();
        callNext();
        assertThat(fired.processingTime).isEqualTo(keys(1, KEYS));
        assertThat(time.getNumActiveTimers()).isZero();
    }

    @Test
    void aTimerThatIsSetMeanwhileIsCalledForInItsTurn() throws Exception {
        writeTimers();
        startInTheMiddle();
        InternalTimerService<VoidNamespace> timers = service(timerServices());

        whileHeld(WHILE_RUNNING, () -> subtask().read(7));
        timers.registerProcessingTimeTimer(VoidNamespace.INSTANCE, 0);

        time.setCurrentTime(0);
        assertThat(fired.processingTime).containsExactly(7);
        time.setCurrentTime(3);
        assertThat(fired.processingTime).containsExactly(7, 1, 2, 3);
        time.setCurrentTime(KEYS);
        assertThat(fired.processingTime).hasSize(KEYS + 1);
    }

    @Test
    void aWatermarkWaits() throws Exception {
        writeTimers();
        startInTheMiddle();
        InternalTimeServiceManager<Integer> all = timerServices();
        service(all);

        whileHeld(WHILE_RUNNING, () -> all.advanceWatermark(new Watermark(3)));

        assertThat(fired.eventTime).isEqualTo(keys(1, 3));
    }

    @Test
    void aServiceWithoutATimerIsCalledForNone() throws Exception {
        writeALog();
        startInTheMiddle();

        service(timerServices());

        view.letGo();
        expectNoThreads();
        callNext();
        assertThat(fired.processingTime).isEmpty();
        assertThat(time.getNumActiveTimers()).isZero();
    }

    @Test
    void theyAreInTheNextSnapshotThoughNobodyLookedAtThem() throws Exception {
        writeTimers();
        startInTheMiddle();
        service(timerServices());

        job.materialize();
        view.letGo();
        job.checkpoint(4);
        job.checkpoint(5);
        assertThat(job.segmentsOf(5)).isEmpty();
        job.stop();
        time = new TestProcessingTimeService();
        job.start(1);
        service(timerServices());
        time.setCurrentTime(KEYS);
        assertThat(fired.processingTime).isEqualTo(keys(1, KEYS));
    }

    private void writeWithoutTimers() throws Exception {
        job.leaveOut("timers");
        job.start(1);
        job.put(1, KEYS, "v1");
        job.checkpoint(1);
        job.put(1, KEYS, "v2");
        job.checkpoint(2);
    }

    private void writeALateQueue() throws Exception {
        writeWithoutTimers();
        subtask().queue("late").add(TestSubtask.timer(5));
        job.checkpoint(3);
        stopTheWriter();
    }

    /** In RocksDB, or on the heap, where they are in the log alone. */
    @ParameterizedTest
    @EnumSource(PriorityQueueStateType.class)
    void aQueueMayComeLate(PriorityQueueStateType type) throws Exception {
        delegate.claims(type, type);
        writeALateQueue();
        startInTheMiddle();
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> late =
                subtask().queue("late");

        whileHeld(WHILE_RUNNING, () -> assertThat(late.size()).isEqualTo(1));

        assertThat(late.peek()).isEqualTo(TestSubtask.timer(5));
        job.materialize();
        job.checkpoint(4);
        job.stop();
        job.start(1);
        assertThat(subtask().queue("late").poll()).isEqualTo(TestSubtask.timer(5));
    }

    /** Nothing that it does would end the wait, and no checkpoint would complete. */
    @Test
    void aTaskWithNothingToDoWaitsForALateQueueInAMail() throws Exception {
        writeALateQueue();
        job.leaveOut("mails");
        job.start(1);
        job.trigger(4, CheckpointType.CHECKPOINT);
        ManualMailbox mailbox = subtask().mailbox();
        view.letGo();
        mailbox.deliverOne();

        await().atMost(LONG).until(() -> mailbox.size() > 0);
        assertThat(mailbox.next()).isEqualTo("wait for the log");
        mailbox.deliverOne();

        job.acknowledge(4);
        assertThat(job.segmentsOf(4)).isEqualTo(job.segmentsOf(3));
        expectNoThreads();
    }

    /** If it were named, the next restore could not run in the background. */
    @Test
    void anEmptyQueueOnTheHeapThatCameMeanwhileIsNotNamedInTheNextLog() throws Exception {
        delegate.claims(PriorityQueueStateType.HEAP, PriorityQueueStateType.HEAP);
        writeWithoutTimers();
        stopTheWriter();
        startInTheMiddle();
        subtask().queue("late");
        view.letGo();
        expectNoThreads();

        job.put(1, KEYS, "v3");
        job.materialize();
        job.checkpoint(3);
        job.put(1, KEYS, "v4");
        job.checkpoint(4);
        job.put(1, KEYS, "v5");
        job.checkpoint(5);
        job.stop();
        HeldView again = holdAgain();
        startInTheMiddle(1, again);

        again.letGo();
        assertThat(subtask().read(KEYS)).startsWith("v5 of");
    }

    @Test
    void whateverIsDoneWithAQueueWaits() throws Exception {
        writeALog();
        job.leaveOut("timers");
        startInTheMiddle();
        KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Integer, VoidNamespace>> timers =
                subtask().queue("timers");

        whileHeld(WHILE_RUNNING, () -> assertThat(timers.poll()).isEqualTo(TestSubtask.timer(1)));

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
        writeALog();
        job.leaveOut("timers");
        startInTheMiddle();

        whileHeld(
                WHILE_RUNNING,
                () ->
                        assertThatThrownBy(() -> subtask().queue("timers", OF_LONGS))
                                .hasMessageContaining("must not be incompatible"));
    }

    /** Whoever waits for the replay is told, and not only the first. */
    @Test
    void aLateQueueOfOtherElementsIsRefusedEachTime() throws Exception {
        writeALateQueue();
        startInTheMiddle();
        KeyGroupedInternalPriorityQueue<?> late = subtask().queue("late", OF_LONGS);

        whileHeld(
                WHILE_RUNNING,
                () ->
                        assertThatThrownBy(late::size)
                                .hasMessageContaining("must not be incompatible"));

        assertThatThrownBy(() -> subtask().read(1)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(late::size).isInstanceOf(RuntimeException.class);
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
