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
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.option.CapturedLog;
import io.dstl.testkit.PathsBelow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A log is replayed while RocksDB restores what is materialized. */
@Timeout(120)
class EarlyRestoreTest extends HeldReplay {
    @BeforeEach
    void writeALogOfTwoTasks() throws Exception {
        job.writeALog(2, KEYS, 2);
        Thread.currentThread().setName("restore");
    }

    private void assertRestoresBesideTheLog() throws Exception {
        delegate.whenRestored(EarlyRestoreTest::awaitWaiting);

        job.start(1);

        assertThat(job.read(1, KEYS).values()).containsOnly("v2 of [v1, v2] timed");
        assertThat(delegate.restored()).as("two of the first start, and one").isEqualTo(3);
        expectNoThreads();
    }

    @Test
    void hasTakenTheWholeLogInWhenTheDelegateComes() throws Exception {
        assertRestoresBesideTheLog();

        assertThat(replayedOneByOne()).isZero();
    }

    @Test
    void replaysAgainWhereTheDelegateKeepsAStateOtherwise() throws Exception {
        delegate.claims(PriorityQueueStateType.HEAP, PriorityQueueStateType.ROCKSDB);

        assertRestoresBesideTheLog();

        assertThat(replayedOneByOne()).as("timers").isPositive();
    }

    @Test
    void replaysOneByOneWhereOtherRestoresHaveTheHeap() throws Exception {
        List<AutoCloseable> others = new ArrayList<>();
        try (CapturedLog heard = new CapturedLog(DelegateRestore.class.getName())) {
            Optional<AutoCloseable> other = BulkReplay.admit(0);
            while (other.isPresent()) {
                others.add(other.get());
                other = BulkReplay.admit(0);
            }

            job.start(1);

            assertThat(job.read(1, KEYS).values()).containsOnly("v2 of [v1, v2] timed");
            assertThat(heard.messages())
                    .anyMatch(message -> message.contains("is replayed one by one"))
                    .anyMatch(message -> message.contains(" 0 were replayed in bulk"));
            assertThat(replayedOneByOne()).isPositive();
        } finally {
            for (AutoCloseable admitted : others) {
                admitted.close();
            }
        }
    }

    @Test
    void leavesNothingWhenTheDelegateFails() {
        delegate.whenRestored(
                () -> {
                    awaitWaiting();
                    throw new IOException("the base is missing");
                });

        assertThatThrownBy(() -> job.start(1)).hasRootCauseMessage("the base is missing");

        assertThat(replayThreads()).isEmpty();
    }

    @Test
    void leavesNothingWhenTheTaskIsInterruptedWhileTheLogIsReplayed() {
        delegate.onceRestored(() -> Thread.currentThread().interrupt());

        assertThatThrownBy(() -> job.start(1)).satisfies(EarlyRestoreTest::isCancellation);

        assertThat(Thread.interrupted()).as("interrupted still").isTrue();
        assertThat(replayThreads()).isEmpty();
    }

    @Test
    void namesWhatCannotBeReplayed() throws Exception {
        for (Path segment : PathsBelow.files(directory.resolve("log"))) {
            byte[] bytes = Files.readAllBytes(segment);
            Arrays.fill(bytes, bytes.length / 3, bytes.length / 2, (byte) 7);
            Files.write(segment, bytes);
        }

        assertThatThrownBy(() -> job.start(1)).hasStackTraceContaining("LogReplayException");

        assertThat(replayThreads()).isEmpty();
    }

    private static void isCancellation(Throwable failure) {
        assertThat(ExceptionUtils.findThrowable(failure, CancelTaskException.class)).isPresent();
    }

    private long replayedOneByOne() {
        return subtask().gauge(ChangelogBackendMetrics.REPLAYED_ONE_BY_ONE);
    }

    private static void awaitWaiting() {
        await().atMost(LONG)
                .until(() -> replayThreads().stream().anyMatch(EarlyRestoreTest::isWaiting));
    }

    private static boolean isWaiting(Thread replay) {
        return Arrays.stream(replay.getStackTrace())
                .filter(frame -> frame.getMethodName().equals("await"))
                .anyMatch(frame -> frame.getClassName().contains("EarlyReplay"));
    }

    private static List<Thread> replayThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("restore replays"))
                .collect(Collectors.toList());
    }
}
