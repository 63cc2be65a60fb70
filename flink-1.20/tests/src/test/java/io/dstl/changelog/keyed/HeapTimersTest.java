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

import io.dstl.changelog.testing.Delegate;
import io.dstl.materializer.LogSize;
import io.dstl.testkit.ManualMailbox;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * RocksDB leaves timers on the heap out of its snapshots, so each materialization writes them into
 * the new log: part by part, with other mails, checkpoints and changes in between.
 */
class HeapTimersTest extends CheckpointLifeFixture {
    /** Of what one mail may write, three times, and a little. */
    private static final int TIMERS = 3 * 1024 + 100;

    private static final int NEW_KEYS = 300;

    @BeforeEach
    void fill() throws Exception {
        start(Delegate.ROCKSDB_WITH_HEAP_TIMERS, 1);
        job.put(1, 40, "a");
        for (int key = 1; key <= TIMERS; key++) {
            job.subtasks().get(0).addTimer(key);
        }
        job.checkpoint(1);
    }

    @Test
    void areWrittenInSeveralMails() throws Exception {
        job.holdMails();
        job.materialize();
        int mails = 0;
        while (mailbox().size() > 0) {
            mailbox().deliverOne();
            mails++;
        }

        assertThat(mails)
                .as("due, its turn, begin, and one for each part")
                .isGreaterThanOrEqualTo(3 + 4);
        job.checkpoint(2);
        assertThat(job.materializedFilesOf(2)).isNotEmpty();
        job.assertStoredIsReferenced(2);
        assertRestoresExactly();
    }

    /** Else a log that is nothing but timers would be due again as soon as it is written. */
    @Test
    void areTheLogThatTheNextLimitAllowsFor() throws Exception {
        List<LogSize> sizes = job.subtasks().get(0).sizes();
        assertThat(sizes).singleElement().matches(size -> size.leastLog() == 0);
        job.materialize();
        job.checkpoint(2);
        change();
        job.checkpoint(3);

        long timers = sizes.get(1).log();
        assertThat(timers).isPositive();
        assertThat(sizes).extracting(LogSize::leastLog).containsExactly(0L, timers, timers);
        assertThat(sizes.get(2).log()).isGreaterThan(timers);
    }

    @Test
    void aCheckpointBetweenTwoPartsIsExact() throws Exception {
        beginToWriteTimers();
        change();
        job.checkpoint(2);
        assertThat(job.segmentsOf(2))
                .as("the old log, until the new one has all timers")
                .containsAll(job.segmentsOf(1));
        assertRestoresExactly();
        job.assertStoredIsReferenced(2);
    }

    @Test
    void changesBetweenTwoPartsAreInTheNewLog() throws Exception {
        beginToWriteTimers();
        change();
        job.acknowledge(2, CheckpointType.CHECKPOINT);
        while (mailbox().size() > 1) {
            mailbox().deliverOne();
        }
        change();
        job.deliverMails();
        job.completeAndNotify(2);

        job.checkpoint(3);
        assertThat(job.segmentsOf(3)).doesNotContainAnyElementsOf(job.segmentsOf(1));
        job.assertStoredIsReferenced(3);
        assertRestoresExactly();
    }

    @Test
    void anAbortBetweenTwoPartsTakesNothingFromTheNextCheckpoint() throws Exception {
        beginToWriteTimers();
        change();
        job.acknowledge(2, CheckpointType.CHECKPOINT);
        mailbox().deliverOne();
        job.notifyAborted(2);
        change();
        job.deliverMails();

        job.checkpoint(3);
        job.assertStoredIsReferenced(3);
        assertRestoresExactly();
    }

    @Test
    void aFullCheckpointBetweenTwoPartsIsExactAndTakesTheirPlace() throws Exception {
        beginToWriteTimers();
        change();
        job.checkpoint(2, CheckpointType.FULL_CHECKPOINT);
        assertThat(job.segmentsOf(2)).doesNotContainAnyElementsOf(job.segmentsOf(1));
        change();
        job.deliverMails();
        job.checkpoint(3);

        assertThat(job.materializedFilesOf(3)).isEqualTo(job.materializedFilesOf(2));
        job.assertStoredIsReferenced(3);
        assertRestoresExactly();
    }

    @Test
    void aTaskThatEndsBetweenTwoPartsLeavesNoFile() throws Exception {
        beginToWriteTimers();
        change();
        job.stop();
        job.assertStoredIsReferenced(1);
        job.deliverMails();

        job.start(1);
        assertThat(job.subtasks().get(0).timers()).isEqualTo(TIMERS);
    }

    /** A native savepoint has no log. */
    @Test
    void areInTheLogAloneIfTheJobDoesNotCreateTheirService() throws Exception {
        job.stop();
        job.leaveOut("timers");
        job.start(1);
        job.materialize();
        job.checkpoint(2);
        job.stop();
        job.start(1);
        job.checkpoint(3, SavepointType.savepoint(SavepointFormatType.NATIVE));
        assertThat(job.subtasks().get(0).queue("timers").size()).isEqualTo(TIMERS);

        job.stop();
        job.start(1);
        assertThat(job.subtasks().get(0).queue("timers").isEmpty()).isTrue();
    }

    /** Up to the mail that writes the first part, and no further. */
    private void beginToWriteTimers() throws Exception {
        job.holdMails();
        job.materialize();
        while (!mailbox().next().startsWith("Write the log")) {
            mailbox().deliverOne();
        }
        assertThat(mailbox().size()).as("the next part").isOne();
    }

    /** Of keys all over the key groups: timers go, come back, and are new. */
    private void change() throws Exception {
        TestSubtask subtask = job.subtasks().get(0);
        for (int key = 1; key <= TIMERS; key += 3) {
            subtask.removeTimer(key);
        }
        for (int key = 1; key <= TIMERS; key += 6) {
            subtask.addTimer(key);
        }
        for (int key = TIMERS + 1; key <= TIMERS + NEW_KEYS; key++) {
            subtask.addTimer(key);
        }
        job.put(20, 60, "b");
    }

    private void assertRestoresExactly() throws Exception {
        int lastKey = TIMERS + NEW_KEYS;
        Map<Integer, String> before = job.read(1, lastKey);
        int timers = job.subtasks().get(0).timers();
        job.stop();
        job.start(1);
        assertThat(job.subtasks().get(0).timers()).isEqualTo(timers);
        assertThat(job.read(1, lastKey)).isEqualTo(before);
    }

    private ManualMailbox mailbox() {
        return job.subtasks().get(0).mailbox();
    }
}
