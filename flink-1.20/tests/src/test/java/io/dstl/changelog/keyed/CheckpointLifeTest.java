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

import static org.apache.flink.runtime.checkpoint.CheckpointType.CHECKPOINT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.ForEachValue;
import io.dstl.changelog.testing.HeldCompactions;
import io.dstl.changelog.testing.OnEachDelegate;
import io.dstl.materializer.LogSize;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeoutException;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The life of segments and materialized files, from the task that writes them to the JobManager
 * that deletes them: after each step, the store holds what the retained checkpoint refers to, and
 * nothing else.
 */
class CheckpointLifeTest extends CheckpointLifeFixture {
    @ForEachValue
    void tasksShareASegmentWhichGoesWithTheLastCheckpointThatListsIt(Delegate delegate)
            throws Exception {
        startAndCheckpoint(delegate, 3);

        assertThat(job.segmentsOf(1)).hasSize(1);
        assertThat(job.segmentsPerSubtask(1))
                .as("one file for three subtasks")
                .containsOnly(job.segmentsOf(1));
        job.assertStoredIsReferenced(1);

        job.put(1, KEYS, "b");
        job.checkpoint(2);
        assertThat(job.segmentsOf(2)).hasSize(2).containsAll(job.segmentsOf(1));
        job.assertStoredIsReferenced(2);

        job.materialize();
        job.put(1, KEYS, "c");
        job.checkpoint(3);
        assertThat(job.segmentsOf(3))
                .as("the log before the materialization is listed no more")
                .doesNotContainAnyElementsOf(job.segmentsOf(2));
        job.assertStoredIsReferenced(3);
    }

    /** As with Flink's default of execution.checkpointing.incremental. */
    @Test
    void fullSnapshotsOfRocksDbAreMaterializedAndDeletedToo() throws Exception {
        job = new TestJob(Delegate.rocksDb(directory, false), directory);
        job.start(2);
        job.put(1, KEYS, "a");
        job.materialize();
        job.checkpoint(1);
        Set<String> first = job.materializedFilesOf(1);
        assertThat(first).isNotEmpty();

        job.put(1, KEYS / 2, "b");
        job.materialize();
        job.checkpoint(2);
        assertThat(job.materializedFilesOf(2))
                .as("nothing is shared")
                .isNotEmpty()
                .doesNotContainAnyElementsOf(first);
        job.assertStoredIsReferenced(2);
        job.put(1, 3, "c");
        job.checkpoint(3);
        assertRestores(3);
    }

    /** Else the task thread would wait for the disk, and barriers for the task thread. */
    @Test
    void rocksDbIsFlushedElsewhereBeforeTheTaskThreadTakesTheSnapshot() throws Exception {
        startAndCheckpoint(Delegate.ROCKSDB, 1);
        TestSubtask subtask = job.subtasks().get(0);
        assertThat(subtask.entriesInMemory()).isPositive();

        job.holdMails();
        job.materialize();
        subtask.mailbox().deliverOne();
        assertThat(subtask.mailbox().next()).isEqualTo("Prepare a materialization");
        subtask.mailbox().deliverOne();
        assertThat(subtask.mailbox().next()).isEqualTo("Begin a materialization");
        assertThat(subtask.entriesInMemory()).isZero();

        job.deliverMails();
        job.checkpoint(2);
        assertThat(job.materializedFilesOf(2)).isNotEmpty();
    }

    /** An operator that caches its state writes much at once, at each checkpoint. */
    @Test
    void whatIsWrittenMeanwhileIsFlushedElsewhereTooIfItIsMuch() throws Exception {
        startAndCheckpoint(Delegate.ROCKSDB, 1);
        TestSubtask subtask = job.subtasks().get(0);
        job.holdMails();
        job.materialize();
        subtask.mailbox().deliverOne();
        subtask.mailbox().deliverOne();

        for (int i = 0; i < 2_000; i++) {
            subtask.put(1, "much");
        }
        subtask.mailbox().deliverOne();
        assertThat(subtask.mailbox().next()).isEqualTo("Begin a materialization");
        assertThat(subtask.entriesInMemory()).isZero();

        subtask.put(1, "little");
        subtask.mailbox().deliverOne();
        assertThat(subtask.mailbox().next()).isNotEqualTo("Begin a materialization");
        job.deliverMails();
        job.checkpoint(2);
        assertThat(job.materializedFilesOf(2)).isNotEmpty();
    }

    /** The flush ahead writes the file with which RocksDB slows writes down. */
    @Test
    @Timeout(60)
    void aSnapshotThatWouldWaitForCompactionsIsPutOffToTheNextCheckpoint() throws Exception {
        EmbeddedRocksDBStateBackend rocksDb = Delegate.rocksDb(directory, true);
        HeldCompactions compactions = new HeldCompactions();
        rocksDb.setRocksDBOptions(compactions);
        job = new TestJob(rocksDb, directory);
        job.start(1);
        for (int file = 1; file < HeldCompactions.TRIGGER; file++) {
            job.put(1, KEYS, "file " + file);
            job.materialize();
            job.checkpoint(file);
        }
        job.put(1, KEYS, "one more");
        job.materialize();
        compactions.close();
        job.checkpoint(HeldCompactions.TRIGGER);
        Set<String> before = job.materializedFilesOf(HeldCompactions.TRIGGER - 1);
        assertThat(job.materializedFilesOf(HeldCompactions.TRIGGER)).isEqualTo(before);

        job.checkpoint(HeldCompactions.TRIGGER + 1);
        assertThat(job.materializedFilesOf(HeldCompactions.TRIGGER + 1)).isNotEqualTo(before);
        assertRestores(1);
    }

    @ForEachValue
    void whatIsDueBeforeTheBaseIsConfirmedIsMaterializedOnceItIs(Delegate delegate)
            throws Exception {
        startAndCheckpoint(delegate, 2);
        job.materialize();
        job.put(1, KEYS, "b");
        job.materialize();
        job.checkpoint(2);
        job.checkpoint(3);
        assertThat(job.segmentsOf(3)).doesNotContainAnyElementsOf(job.segmentsOf(2));
        assertThat(job.materializedFilesOf(3)).isNotEqualTo(job.materializedFilesOf(2));
        job.assertStoredIsReferenced(3);
        assertRestores(2);
    }

    @OnEachDelegate
    void thePolicyHearsTheSizeOfCheckpointsWithTheLastBase(Delegate delegate) throws Exception {
        start(delegate, 1);
        List<LogSize> sizes = job.subtasks().get(0).sizes();
        job.put(1, KEYS, "a");
        job.checkpoint(1);
        assertThat(sizes).singleElement().matches(size -> size.log() > 0);
        assertThat(sizes.get(0).materialized()).isZero();

        job.put(1, KEYS, "b");
        job.acknowledge(2, CHECKPOINT);
        job.materialize();
        job.completeAndNotify(2);
        assertThat(sizes).as("2 has the base before").hasSize(1);

        job.checkpoint(3);
        assertThat(sizes).hasSize(2);
        assertThat(sizes.get(1).log()).isZero();
        assertThat(sizes.get(1).materialized()).isPositive();
    }

    @ForEachValue
    void aSegmentStaysWhileOneOfItsTasksNeedsIt(Delegate delegate) throws Exception {
        startAndCheckpoint(delegate, 2);

        job.subtasks().get(0).materialize();
        job.checkpoint(2);
        assertThat(job.segmentsOf(2)).containsAll(job.segmentsOf(1));
        job.assertStoredIsReferenced(2);

        job.subtasks().get(1).materialize();
        job.checkpoint(3);
        assertThat(job.segmentsOf(3)).doesNotContainAnyElementsOf(job.segmentsOf(1));
        job.assertStoredIsReferenced(3);
    }

    /** As in Flink's own backend: the heap's list is handed out as it is. */
    @Test
    void whatTheIteratorOfAListRemovesOnTheHeapIsNotLogged() throws Exception {
        start(Delegate.HEAP, 1);
        job.put(1, 1, "a");
        job.put(1, 1, "b");
        job.ownerOf(1).removeFromList(1, "a");
        assertThat(job.ownerOf(1).read(1)).isEqualTo("b of [b] timed");
        job.checkpoint(1);

        job.stop();
        job.start(1);
        assertThat(job.ownerOf(1).read(1)).isEqualTo("b of [a, b] timed");
    }

    @ForEachValue
    void stateAndFilesSurviveRescalingUpAndDown(Delegate delegate) throws Exception {
        startAndCheckpoint(delegate, 2);
        job.materialize();
        job.put(1, KEYS / 2, "b");
        job.checkpoint(2);
        assertRestores(5);
        job.put(KEYS / 2, KEYS, "c");
        job.checkpoint(3);
        job.assertStoredIsReferenced(3);
        assertRestores(1);
        job.put(1, 3, "d");
        job.checkpoint(4);
        job.assertStoredIsReferenced(4);

        Set<String> segments = job.segmentsOf(4);
        job.materialize();
        job.checkpoint(5);
        assertThat(job.segmentsOf(5)).doesNotContainAnyElementsOf(segments);
        job.assertStoredIsReferenced(5);
        assertRestores(4);
    }

    @ForEachValue
    void anAbortedCheckpointCostsNothingThatALaterOneNeeds(Delegate delegate) throws Exception {
        start(delegate, 2);
        job.put(1, KEYS, "a");
        job.acknowledge(1, CHECKPOINT);
        job.notifyAborted(1);
        job.put(1, KEYS, "b");
        job.checkpoint(2);

        assertThat(job.segmentsOf(2)).hasSize(2).containsAll(job.segmentsOf(1));
        job.assertStoredIsReferenced(2);
        assertRestores(2);
    }

    @ForEachValue
    void aCheckpointThatCompletesAfterItsTasksEndedCanBeRestored(Delegate delegate)
            throws Exception {
        startAndCheckpoint(delegate, 2);
        job.materialize();
        job.put(1, KEYS, "b");
        job.acknowledge(2, CHECKPOINT);
        Map<Integer, String> before = job.read(1, KEYS);
        job.stop();
        job.complete(2);

        job.start(3);
        assertThat(job.read(1, KEYS)).isEqualTo(before);
        job.checkpoint(3);
        job.assertStoredIsReferenced(3);
    }

    @ForEachValue
    void aMaterializationBetweenTwoCheckpointsInFlightTakesNothingFromTheFirst(Delegate delegate)
            throws Exception {
        startAndCheckpoint(delegate, 2);
        job.put(1, KEYS, "b");
        job.acknowledge(2, CHECKPOINT);
        Map<Integer, String> atTwo = job.read(1, KEYS);
        job.materialize();
        job.put(1, KEYS, "c");
        job.acknowledge(3, CHECKPOINT);
        job.completeAndNotify(2);
        job.notifyAborted(3);
        job.stop();

        job.start(2);
        assertThat(job.read(1, KEYS)).isEqualTo(atTwo);
    }

    @ForEachValue
    void aStoreThatIsDownHoldsCheckpointsUpAndFailsNone(Delegate delegate) throws Exception {
        create(delegate, SHORT_DELAY);
        job.start(2);
        job.put(1, KEYS, "a");
        job.checkpoint(1);

        breakLog();
        job.put(1, KEYS, "b");
        job.trigger(2, CHECKPOINT);
        job.notifyAborted(2);
        job.put(1, KEYS, "c");
        job.trigger(3, CHECKPOINT);

        mendLog();
        job.acknowledge(3);
        job.completeAndNotify(3);
        job.assertStoredIsReferenced(3);
        assertRestores(2);
    }

    /** As of a task that has read all its input, which waits for it and takes no abort any more. */
    @ForEachValue
    void aCheckpointThatNobodyAbortsEndsSomeTimeAfterItsTimeout(Delegate delegate)
            throws Exception {
        create(delegate, SHORT_DELAY);
        job.options().set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, Duration.ofSeconds(5));
        job.start(1);
        job.put(1, KEYS, "a");
        job.checkpoint(1);
        TestSubtask subtask = job.subtasks().get(0);

        breakLog();
        job.put(1, KEYS, "b");
        RunnableFuture<?> second = subtask.snapshot(2, CHECKPOINT);
        assertThat(second).isNotDone();
        subtask.letTimePass(Duration.ofSeconds(65));
        assertThat(second).isDone();
        assertThatThrownBy(second::get).hasCauseInstanceOf(TimeoutException.class);

        mendLog();
        job.checkpoint(3);
        assertRestores(1);
    }

    @ForEachValue
    void aJobThatEndsLeavesNoFileThatNoCheckpointWasGiven(Delegate delegate) throws Exception {
        TestJob ended = new TestJob(delegate.backend(directory), directory);
        ended.start(2);
        ended.put(1, KEYS, "a");
        ended.checkpoint(1);
        ended.put(1, KEYS, "b");
        ended.materialize();
        ended.close();

        ended.assertStoredIsReferenced(1);
    }

    /**
     * The write of checkpoint 2 to the high-availability store succeeds and its answer is lost: the
     * JobManager sends the abort and restarts the job, and then another one takes over.
     */
    @ForEachValue
    void aCheckpointThatIsSaidToHaveFailedCanBeRestored(Delegate delegate) throws Exception {
        startAndCheckpoint(delegate, 2);
        job.put(1, KEYS, "b");
        job.acknowledge(2, CHECKPOINT);
        Map<Integer, String> atTwo = job.read(1, KEYS);
        job.notifyAborted(2);
        job.materialize();
        job.stop();
        job.start(2);
        job.put(1, KEYS, "c");
        job.stop();

        job.complete(2);
        job.start(3);
        assertThat(job.read(1, KEYS)).isEqualTo(atTwo);
        job.checkpoint(4);
        job.assertStoredIsReferenced(4);
    }

    @ForEachValue
    void whatOnlyAnAbortedCheckpointListedGoesOnceItIsSubsumed(Delegate delegate) throws Exception {
        start(delegate, 2);
        job.checkpoint(1);
        job.put(1, KEYS, "a");
        job.trigger(2, CHECKPOINT);
        job.notifyAborted(2);
        job.materialize();
        job.checkpoint(3);
        job.checkpoint(4);

        job.assertStoredIsReferenced(4);
    }
}
