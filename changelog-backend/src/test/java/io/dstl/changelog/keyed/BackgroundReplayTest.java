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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dstl.changelog.option.ReplayOptions;
import io.dstl.changelog.replay.LogReplayException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.util.StateMigrationException;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A task runs before its log is replayed, and uses its state as if it had been all the time. */
@Timeout(120)
class BackgroundReplayTest {
    private static final int KEYS = 40;
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final String WHILE_RUNNING = "awaitEnd";
    private static final String WHILE_STARTING = "finish";
    private static final String WAITS_FOR_SNAPSHOT = "get";

    @TempDir private Path directory;

    private final String threadName = Thread.currentThread().getName();
    private final HeldView view = new HeldView(1);
    private final GatedRocksDb delegate = new GatedRocksDb();
    private TestJob job;

    @BeforeEach
    void open() throws Exception {
        job = new TestJob(delegate, directory);
        job.leaveOut("timers");
    }

    private void writeALog() throws Exception {
        job.start(1);
        for (long checkpoint = 1; checkpoint <= 3; checkpoint++) {
            job.put(1, KEYS, "v" + checkpoint);
            job.checkpoint(checkpoint);
        }
        job.stop();
        job.readThrough(view);
        Thread.currentThread().setName("restore");
    }

    @AfterEach
    void stop() throws Exception {
        Thread.currentThread().setName(threadName);
        view.letGo();
        job.close();
    }

    private void expectAll() throws Exception {
        assertThat(job.read(1, KEYS).values()).containsOnly("v3 of [v1, v2, v3]");
        expectNoThreads();
    }

    private static void expectNoThreads() {
        await().atMost(LONG).untilAsserted(() -> assertThat(replays()).isEmpty());
    }

    private void startInTheMiddle() throws Exception {
        writeALog();
        job.start(1);
        await().atMost(LONG).until(view::isHolding);
    }

    /** What is called waits for the replay, and goes on when that may. */
    private void whileHeld(String method, ThrowingRunnable<Exception> called) throws Exception {
        duringWait(method, view::letGo, called);
    }

    private static void duringWait(String method, Runnable then, ThrowingRunnable<Exception> called)
            throws Exception {
        Thread caller = Thread.currentThread();
        CompletableFuture<Void> letGo =
                CompletableFuture.runAsync(
                        () -> {
                            await().atMost(LONG).until(() -> isIn(caller, method));
                            then.run();
                        });
        called.run();
        letGo.get(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    private static boolean isIn(Thread thread, String method) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(
                        frame ->
                                frame.getMethodName().equals(method)
                                        && frame.getClassName().startsWith("io.dstl.changelog."));
    }

    private static List<Thread> replays() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("restore re"))
                .collect(Collectors.toList());
    }

    /** All of the log is read beside the base, and the start waits for it. */
    private void startAsBefore(HeldView held) throws Exception {
        delegate.whenRestored(() -> await().atMost(LONG).until(held::isHolding));
        duringWait(WHILE_STARTING, held::letGo, () -> job.start(1));
    }

    @Test
    void isReplayedWithoutBeingAskedFor() throws Exception {
        startInTheMiddle();

        view.letGo();

        expectNoThreads();
        expectAll();
    }

    @Test
    void theFirstKeyWaits() throws Exception {
        startInTheMiddle();

        whileHeld(WHILE_RUNNING, this::expectAll);
    }

    @Test
    void goingThroughTheKeysWaits() throws Exception {
        startInTheMiddle();

        whileHeld(WHILE_RUNNING, () -> assertThat(job.subtasks().get(0).keys()).hasSize(KEYS));

        expectAll();
    }

    /** It has the log that is being replayed, and takes no earlier one's place before that is. */
    @Test
    void aBarrierDoesNotWaitButItsCheckpointDoes() throws Exception {
        startInTheMiddle();

        job.trigger(4, CheckpointType.CHECKPOINT);

        assertThat(view.isHolding()).isTrue();
        whileHeld(WAITS_FOR_SNAPSHOT, () -> job.acknowledge(4));
        job.complete(4);
        job.notifyComplete(4);
        assertThat(job.segmentsOf(4)).isEqualTo(job.segmentsOf(3));
        job.put(1, KEYS, "v4");
        job.checkpoint(5);
        job.stop();
        job.start(1);
        assertThat(job.read(1, KEYS).values()).containsOnly("v4 of [v1, v2, v3, v4]");
    }

    @Test
    void noCheckpointOfALogThatCannotBeReadCompletes() throws Exception {
        startInTheMiddle();
        TestSubtask subtask = job.subtasks().get(0);
        subtask.expectFailure(LogReplayException.class);
        job.trigger(4, CheckpointType.CHECKPOINT);

        view.fail("unreachable");

        assertThatThrownBy(() -> job.acknowledge(4)).hasRootCauseMessage("unreachable");
        await().atMost(LONG).until(() -> subtask.failure().isPresent());
    }

    /** Every operator with a function has one, whether it uses it or not. */
    @Test
    void aTimerServiceDoesNotWait() throws Exception {
        startInTheMiddle();

        assertThat(job.subtasks().get(0).hasTimers("user timers")).isFalse();

        assertThat(view.isHolding()).isTrue();
        whileHeld(WHILE_RUNNING, this::expectAll);
    }

    @Test
    void isKilledInTheMiddle() throws Exception {
        startInTheMiddle();
        job.trigger(4, CheckpointType.CHECKPOINT);

        job.stop();

        expectNoThreads();
        view.letGo();
        job.start(1);
        expectAll();
    }

    @Test
    void isRescaledInTheMiddle() throws Exception {
        startInTheMiddle();
        job.stop();
        view.letGo();

        job.start(2);

        expectAll();
        job.put(1, KEYS, "v4");
        job.checkpoint(5);
        job.stop();
        job.start(1);
        assertThat(job.read(1, KEYS).values()).containsOnly("v4 of [v1, v2, v3, v4]");
    }

    static Stream<SnapshotType> snapshots() {
        return Stream.of(
                CheckpointType.FULL_CHECKPOINT,
                SavepointType.savepoint(SavepointFormatType.NATIVE));
    }

    @ParameterizedTest
    @MethodSource("snapshots")
    void aSnapshotWaits(SnapshotType type) throws Exception {
        startInTheMiddle();

        whileHeld(WHILE_RUNNING, () -> job.checkpoint(4, type));

        job.stop();
        job.start(1);
        expectAll();
    }

    @Test
    void aMaterializationWaits() throws Exception {
        startInTheMiddle();

        whileHeld(WHILE_RUNNING, job::materialize);

        job.checkpoint(4);
        assertThat(job.segmentsOf(4)).isEmpty();
        job.stop();
        job.start(1);
        expectAll();
    }

    @Test
    void aStateThatTheLogDoesNotKnowWaits() throws Exception {
        startInTheMiddle();

        whileHeld(
                WHILE_RUNNING,
                () ->
                        job.subtasks()
                                .get(0)
                                .register(
                                        new ValueStateDescriptor<>(
                                                "other", StringSerializer.INSTANCE)));

        expectAll();
    }

    @Test
    void aStateOfAnotherTypeWaits() throws Exception {
        writeALog();
        job.leaveOut("all");
        job.start(1);
        await().atMost(LONG).until(view::isHolding);

        whileHeld(
                WHILE_RUNNING,
                () ->
                        assertThatThrownBy(
                                        () ->
                                                job.subtasks()
                                                        .get(0)
                                                        .register(
                                                                new ListStateDescriptor<>(
                                                                        "all",
                                                                        LongSerializer.INSTANCE)))
                                .isInstanceOf(StateMigrationException.class));
    }

    @Test
    void failsATaskThatRuns() throws Exception {
        startInTheMiddle();
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
        startInTheMiddle();
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

    /** Which are complete before anyone looks at the first. */
    @Test
    void isNotDoneWithTimers() throws Exception {
        job.close();
        job = new TestJob(delegate, directory.resolve("timed"));
        writeALog();

        startAsBefore(view);

        assertThat(job.read(1, KEYS).values()).containsOnly("v3 of [v1, v2, v3] timed");
    }

    /** In between, the schema of a state may have changed. */
    @Test
    void isNotDoneWithTheLogsOfTwoAttempts() throws Exception {
        startInTheMiddle();
        whileHeld(WHILE_RUNNING, () -> job.put(1, KEYS, "v4"));
        job.checkpoint(4);
        job.stop();
        HeldView ofTwo = new HeldView(1);
        job.readThrough(ofTwo);

        startAsBefore(ofTwo);

        assertThat(job.read(1, KEYS).values()).containsOnly("v4 of [v1, v2, v3, v4]");
    }

    /** In the memory of one thread, which is less than the log. */
    @Test
    void writesALogOfManyKeys() throws Exception {
        int many = 20_000;
        String text = "x".repeat(200);
        job.options().set(ReplayOptions.BULK_MAX_MEMORY, MemorySize.ofMebiBytes(1));
        job.start(1);
        job.put(1, many, text);
        job.checkpoint(1);
        job.put(1, many / 2, "v2");
        job.checkpoint(2);
        job.stop();
        job.readThrough(view);
        job.start(1);
        await().atMost(LONG).until(view::isHolding);

        view.letGo();

        assertThat(job.read(1, many / 2).values()).containsOnly("v2 of [" + text + ", v2]");
        assertThat(job.read(many / 2 + 1, many).values()).containsOnly(text + " of [" + text + "]");
    }
}
