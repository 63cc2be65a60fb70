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
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A job whose log is replayed as far as the test lets it, after the first change set. */
abstract class HeldReplay {
    static final int KEYS = 40;
    static final Duration LONG = Duration.ofMinutes(1);

    /** Methods of ours in which a task waits for the replay. */
    static final String WHILE_RUNNING = "awaitEnd";

    static final String WHILE_STARTING = "finish";

    private final String threadName = Thread.currentThread().getName();
    final GatedRocksDb delegate = new GatedRocksDb();
    final HeldView view = new HeldView(1);
    TestJob job;

    @TempDir Path directory;

    @BeforeEach
    final void open() throws Exception {
        job = new TestJob(delegate, directory);
    }

    @AfterEach
    final void close() throws Exception {
        Thread.currentThread().setName(threadName);
        view.letGo();
        job.close();
    }

    final TestSubtask subtask() {
        return job.subtasks().get(0);
    }

    /** Three change sets of one attempt, which is over. */
    final void writeALog() throws Exception {
        job.writeALog(1, KEYS, 3);
        stopTheWriter();
    }

    final void stopTheWriter() throws Exception {
        job.stop();
        job.readThrough(view);
        Thread.currentThread().setName("restore");
    }

    /** Runs, and has the first change set. */
    final void startInTheMiddle() throws Exception {
        job.start(1);
        await().atMost(LONG).until(view::isHolding);
    }

    /** All of the log is read beside the base, and the start waits for it. */
    final void startAsBefore(HeldView held) throws Exception {
        delegate.whenRestored(() -> await().atMost(LONG).until(held::isHolding));
        duringWait(WHILE_STARTING, held::letGo, () -> job.start(1));
    }

    /** What is called waits for the replay, and goes on when that may. */
    final void whileHeld(String method, ThrowingRunnable<Exception> called) throws Exception {
        duringWait(method, view::letGo, called);
    }

    static void duringWait(String method, Runnable then, ThrowingRunnable<Exception> called)
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

    static void expectNoThreads() {
        await().atMost(LONG).untilAsserted(() -> assertThat(replays()).isEmpty());
    }

    /** The task's operators are not open yet. */
    static void expectRest() {
        await().atMost(LONG)
                .until(() -> replays().stream().anyMatch(thread -> isIn(thread, "runBeside")));
    }

    private static List<Thread> replays() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("restore re"))
                .collect(Collectors.toList());
    }
}
