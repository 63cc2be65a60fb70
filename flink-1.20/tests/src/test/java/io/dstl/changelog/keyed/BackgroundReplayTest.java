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
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.option.ReplayOptions;
import io.dstl.changelog.replay.LogReplayException;
import java.time.Duration;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.util.StateMigrationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A task runs before its log is replayed, and uses its state as if it had been all the time. */
@Timeout(120)
class BackgroundReplayTest extends HeldReplay {
    private static final String WAITS_FOR_SNAPSHOT = "get";
    private static final String ALL_OF_IT = "v3 of [v1, v2, v3] timed";

    private void writeALogAndStart() throws Exception {
        writeALog();
        startInTheMiddle();
    }

    private void expectAll() throws Exception {
        assertThat(job.read(1, KEYS).values()).containsOnly(ALL_OF_IT);
        expectNoThreads();
    }

    @Test
    void isReplayedWithoutBeingAskedFor() throws Exception {
        writeALogAndStart();

        view.letGo();

        expectNoThreads();
        expectAll();
    }

    private void startWithoutMails() throws Exception {
        writeALog();
        job.leaveOut("mails");
        job.start(1);
        expectRest();
        expectNothingRead();
        view.letGo();
    }

    @Test
    void restsUntilTheFirstMail() throws Exception {
        startWithoutMails();

        job.deliverMails();

        expectAll();
    }

    @Test
    void aRestEndsWhenTheStateIsUsed() throws Exception {
        startWithoutMails();

        assertThat(job.subtasks().get(0).read(1)).isEqualTo(ALL_OF_IT);

        job.deliverMails();
        expectAll();
    }

    @Test
    void aRestEndsWithTheTask() throws Exception {
        startWithoutMails();

        job.subtasks().get(0).cancel();

        expectNoThreads();
    }

    @Test
    void theFirstKeyWaits() throws Exception {
        writeALogAndStart();

        whileHeld(WHILE_RUNNING, this::expectAll);
    }

    @Test
    void goingThroughTheKeysWaits() throws Exception {
        writeALogAndStart();

        whileHeld(WHILE_RUNNING, () -> assertThat(job.subtasks().get(0).keys()).hasSize(KEYS));

        expectAll();
    }

    /** It has the log that is being replayed, and takes no earlier one's place before that is. */
    @Test
    void aBarrierDoesNotWaitButItsCheckpointDoes() throws Exception {
        writeALogAndStart();

        job.trigger(4, CheckpointType.CHECKPOINT);

        assertThat(view.isHolding()).isTrue();
        whileHeld(WAITS_FOR_SNAPSHOT, () -> job.acknowledge(4));
        job.completeAndNotify(4);
        assertThat(job.segmentsOf(4)).isEqualTo(job.segmentsOf(3));
        job.put(1, KEYS, "v4");
        job.checkpoint(5);
        job.stop();
        job.start(1);
        assertThat(job.read(1, KEYS).values()).containsOnly("v4 of [v1, v2, v3, v4] timed");
    }

    @Test
    void noCheckpointOfALogThatCannotBeReadCompletes() throws Exception {
        writeALogAndStart();
        TestSubtask subtask = job.subtasks().get(0);
        subtask.expectFailure(LogReplayException.class);
        job.trigger(4, CheckpointType.CHECKPOINT);

        view.fail("unreachable");

        assertThatThrownBy(() -> job.acknowledge(4)).hasRootCauseMessage("unreachable");
        await().atMost(LONG).until(() -> subtask.failure().isPresent());
    }

    @Test
    void isKilledInTheMiddle() throws Exception {
        writeALogAndStart();
        job.trigger(4, CheckpointType.CHECKPOINT);

        job.stop();

        expectNoThreads();
        view.letGo();
        job.start(1);
        expectAll();
    }

    @Test
    void isRescaledInTheMiddle() throws Exception {
        writeALogAndStart();
        job.stop();
        view.letGo();

        job.start(2);

        expectAll();
        job.put(1, KEYS, "v4");
        job.checkpoint(5);
        job.stop();
        job.start(1);
        assertThat(job.read(1, KEYS).values()).containsOnly("v4 of [v1, v2, v3, v4] timed");
    }

    static Stream<SnapshotType> snapshots() {
        return Stream.of(
                CheckpointType.FULL_CHECKPOINT,
                SavepointType.savepoint(SavepointFormatType.NATIVE),
                SavepointType.savepoint(SavepointFormatType.CANONICAL));
    }

    @ParameterizedTest
    @MethodSource("snapshots")
    void aSnapshotWaits(SnapshotType type) throws Exception {
        writeALogAndStart();

        whileHeld(WHILE_RUNNING, () -> job.checkpoint(4, type));

        job.stop();
        job.start(1);
        expectAll();
    }

    /** A task with nothing to do takes mails meanwhile: barriers, timers of other operators. */
    @Test
    void aMaterializationIsPutOff() throws Exception {
        writeALogAndStart();

        job.materialize();

        assertThat(view.isHolding()).isTrue();
        view.letGo();
        job.checkpoint(4);
        assertThat(job.segmentsOf(4)).isEqualTo(job.segmentsOf(3));
        job.checkpoint(5);
        assertThat(job.segmentsOf(5)).isEmpty();
        job.stop();
        job.start(1);
        expectAll();
    }

    /** The start of the log names it, though it has no change of it. */
    @Test
    void aStateThatChangesLateDoesNotWait() throws Exception {
        job.start(1);
        TestSubtask subtask = job.subtasks().get(0);
        subtask.addTimer(1);
        job.checkpoint(1);
        for (long checkpoint = 2; checkpoint <= 3; checkpoint++) {
            job.put(1, KEYS, "v" + checkpoint);
            job.checkpoint(checkpoint);
        }
        stopTheWriter();

        startInTheMiddle();

        view.letGo();
        assertThat(job.read(1, KEYS).values()).containsOnly("v3 of [v2, v3] timed");
    }

    @Test
    void aStateThatTheLogDoesNotKnowWaits() throws Exception {
        writeALogAndStart();

        whileHeld(
                WHILE_RUNNING,
                () -> job.subtasks().get(0).register(new ValueStateDescriptor<>("other", STRINGS)));

        expectAll();
    }

    @Test
    void aStateOfAnotherTypeWaits() throws Exception {
        writeALog();
        job.leaveOut("all");
        startInTheMiddle();

        ListStateDescriptor<Long> other = new ListStateDescriptor<>("all", LONGS);
        TestSubtask subtask = job.subtasks().get(0);
        whileHeld(
                WHILE_RUNNING,
                () ->
                        assertThatThrownBy(() -> subtask.register(other))
                                .isInstanceOf(StateMigrationException.class));
    }

    @Test
    void failsATaskThatRuns() throws Exception {
        writeALogAndStart();
        TestSubtask subtask = job.subtasks().get(0);
        subtask.expectFailure(LogReplayException.class);

        view.fail("unreachable");

        await().atMost(LONG).until(() -> subtask.failure().isPresent());
        assertThat(subtask.failure().get())
                .isInstanceOf(LogReplayException.class)
                .hasMessageContaining("Cannot read the change set at offset")
                .hasRootCauseMessage("unreachable");
        assertThatThrownBy(() -> subtask.read(1)).hasRootCauseMessage("unreachable");
        assertThatThrownBy(() -> subtask.read(1)).as("again").hasRootCauseMessage("unreachable");
        expectNoThreads();
    }

    @Test
    void endsWithATaskThatIsCancelled() throws Exception {
        writeALogAndStart();
        TestSubtask subtask = job.subtasks().get(0);

        duringWait(
                WHILE_RUNNING,
                () -> cancel(subtask),
                () ->
                        assertThatThrownBy(() -> subtask.read(1))
                                .isInstanceOf(CancelTaskException.class));

        assertThat(subtask.failure()).isEmpty();
    }

    private static void cancel(TestSubtask subtask) {
        try {
            subtask.cancel();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void canBeTurnedOff() throws Exception {
        writeALog();
        job.options().set(ReplayOptions.BACKGROUND_ENABLED, false);

        startAsBefore(view);

        expectNoThreads();
        expectAll();
    }

    /** From then on more time is left for one. */
    @Test
    void hearsOfTheFirstCompletedCheckpoint() throws Exception {
        assertThat(SystemScheduler.backgroundLoad().isProven(job.id())).isFalse();

        writeALog();

        assertThat(SystemScheduler.backgroundLoad().isProven(job.id())).isTrue();
    }

    /** Flink tells of the restored one before it tells that the first one is aborted. */
    @Test
    void hearsNothingOfCheckpointsOfFormerAttempts() throws Exception {
        job.start(1);
        job.notifyComplete(7);
        job.notifyAborted(8);
        assertThat(SystemScheduler.backgroundLoad().isProven(job.id())).isFalse();

        job.put(1, KEYS, "v");
        job.checkpoint(9);
        assertThat(SystemScheduler.backgroundLoad().isProven(job.id())).isTrue();
    }

    /** The first checkpoint waits for the replay, and the job restarts if it expires. */
    @Test
    void isNotDoneIfACheckpointWouldExpireMeanwhile() throws Exception {
        writeALog();
        job.options().set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, Duration.ZERO);

        startAsBefore(view);

        expectNoThreads();
        expectAll();
    }

    /** The job would restart for the same reason without end. */
    @Test
    void isNotDoneAgainAfterOneForWhichACheckpointMayHaveExpired() throws Exception {
        Duration timeout = Duration.ofMillis(200);
        job.options().set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, timeout);
        writeALogAndStart();
        long expired = SystemScheduler.clock().relativeTimeMillis() + timeout.toMillis();
        await().atMost(LONG).until(() -> SystemScheduler.clock().relativeTimeMillis() >= expired);

        job.stop();
        expectNoThreads();

        startAsBefore(holdAgain());
        expectAll();
    }

    /** Another attempt, with one change set, and its end. */
    private void goOn(int checkpoint) throws Exception {
        job.put(1, KEYS, "v" + checkpoint);
        job.checkpoint(checkpoint);
        job.stop();
    }

    @Test
    void isDoneWithTheLogsOfThreeAttempts() throws Exception {
        writeALogAndStart();
        view.letGo();
        goOn(4);
        job.start(1);
        goOn(5);
        HeldView ofThree = holdAgain();

        startInTheMiddle(1, ofThree);

        duringWait(
                WHILE_RUNNING,
                ofThree::letGo,
                () ->
                        assertThat(job.read(1, KEYS).values())
                                .containsOnly("v5 of [v1, v2, v3, v4, v5] timed"));
        expectNoThreads();
    }

    /** Its next change may describe the state otherwise, which the task has registered then. */
    @Test
    void isNotDoneIfALaterAttemptDoesNotBeginWithAState() throws Exception {
        writeALogAndStart();
        view.letGo();
        job.stop();
        job.leaveOut("timers");
        job.start(1);
        goOn(4);
        HeldView ofTwo = holdAgain();

        startAsBefore(ofTwo);

        assertThat(job.read(1, KEYS).values()).allMatch(text -> text.startsWith("v4 of "));
    }

    /** Its own replay says what is wrong. */
    @Test
    void isNotDoneIfTheBeginningOfALaterAttemptCannotBeRead() throws Exception {
        writeALogAndStart();
        view.letGo();
        goOn(4);
        HeldView ofTwo = holdAgain();
        ofTwo.hideBeginnings();

        startAsBefore(ofTwo);

        assertThat(job.read(1, KEYS).values()).containsOnly("v4 of [v1, v2, v3, v4] timed");
    }

    @Test
    void isDoneAfterScalingIn() throws Exception {
        job.writeALog(2, KEYS, 3);
        HeldView held = holdAgain();

        startInTheMiddle(1, held);

        duringWait(WHILE_RUNNING, held::letGo, this::expectAll);
        job.put(1, KEYS, "v4");
        job.checkpoint(4);
        job.stop();
        job.start(2);
        assertThat(job.read(1, KEYS).values()).containsOnly("v4 of [v1, v2, v3, v4] timed");
    }

    @Test
    void isDoneAfterScalingOutAndIn() throws Exception {
        job.writeALog(1, KEYS, 3);
        job.start(3);
        // A full one.
        job.checkpoint(4);
        job.put(1, KEYS, "v4");
        job.checkpoint(5);
        job.stop();
        HeldView held = holdAgain();

        startInTheMiddle(1, held);

        duringWait(
                WHILE_RUNNING,
                held::letGo,
                () -> job.checkpoint(6, CheckpointType.FULL_CHECKPOINT));
        assertThat(job.read(1, KEYS).values()).containsOnly("v4 of [v1, v2, v3, v4] timed");
        job.stop();
        job.start(2);
        assertThat(job.read(1, KEYS).values()).containsOnly("v4 of [v1, v2, v3, v4] timed");
    }

    /** In the memory of one thread, which is less than the log. */
    @Test
    void writesALogOfManyKeys() throws Exception {
        int many = 20_000;
        String text = "x".repeat(200);
        job.options().set(ReplayOptions.BULK_MAX_MEMORY, MemorySize.ofMebiBytes(1));
        job.leaveOut("timers");
        job.start(1);
        job.put(1, many, text);
        job.checkpoint(1);
        job.put(1, many / 2, "v2");
        job.checkpoint(2);
        stopTheWriter();
        startInTheMiddle();

        view.letGo();

        assertThat(job.read(1, many / 2).values()).containsOnly("v2 of [" + text + ", v2]");
        assertThat(job.read(many / 2 + 1, many).values()).containsOnly(text + " of [" + text + "]");
    }
}
