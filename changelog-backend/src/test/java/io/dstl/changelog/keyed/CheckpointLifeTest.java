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
import static org.apache.flink.runtime.checkpoint.CheckpointType.FULL_CHECKPOINT;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The life of segments and materialized files, from the task that writes them to the JobManager
 * that deletes them: after each step, the store holds what the retained checkpoint refers to, and
 * nothing else.
 */
class CheckpointLifeTest {

    private static final int KEYS = 40;

    /** For change sets that are sent again ahead of the checkpoint that will need them. */
    private static final Duration SHORT_DELAY = Duration.ofMillis(10);

    @TempDir Path directory;

    enum Delegate {
        ROCKSDB,
        ROCKSDB_TIMERS_ON_HEAP,
        HASHMAP;

        StateBackend create() {
            if (this == HASHMAP) {
                return new HashMapStateBackend();
            }
            EmbeddedRocksDBStateBackend rocksdb = new EmbeddedRocksDBStateBackend(true);
            rocksdb.setPriorityQueueStateType(
                    this == ROCKSDB ? PriorityQueueStateType.ROCKSDB : PriorityQueueStateType.HEAP);
            return rocksdb;
        }
    }

    @ParameterizedTest
    @EnumSource
    void tasksShareASegmentWhichGoesWithTheLastCheckpointThatListsIt(Delegate delegate)
            throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory)) {
            job.start(3);
            job.put(1, KEYS, "a");
            job.checkpoint(1);

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
    }

    @ParameterizedTest
    @EnumSource
    void aSegmentStaysWhileOneOfItsTasksNeedsIt(Delegate delegate) throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory)) {
            job.start(2);
            job.put(1, KEYS, "a");
            job.checkpoint(1);

            job.subtasks().get(0).materialize();
            job.checkpoint(2);
            assertThat(job.segmentsOf(2)).containsAll(job.segmentsOf(1));
            job.assertStoredIsReferenced(2);

            job.subtasks().get(1).materialize();
            job.checkpoint(3);
            assertThat(job.segmentsOf(3)).doesNotContainAnyElementsOf(job.segmentsOf(1));
            job.assertStoredIsReferenced(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void stateAndFilesSurviveRescalingUpAndDown(Delegate delegate) throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory)) {
            job.start(2);
            job.put(1, KEYS, "a");
            job.checkpoint(1);
            job.materialize();
            job.put(1, KEYS / 2, "b");
            job.checkpoint(2);
            assertRestores(job, 5);
            job.put(KEYS / 2, KEYS, "c");
            job.checkpoint(3);
            job.assertStoredIsReferenced(3);
            assertRestores(job, 1);
            job.put(1, 3, "d");
            job.checkpoint(4);
            job.assertStoredIsReferenced(4);

            Set<String> restoredSegments = job.segmentsOf(3);
            job.materialize();
            job.checkpoint(5);
            assertThat(job.segmentsOf(5)).doesNotContainAnyElementsOf(restoredSegments);
            job.assertStoredIsReferenced(5);
            assertRestores(job, 4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAbortedCheckpointCostsNothingThatALaterOneNeeds(Delegate delegate) throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory)) {
            job.start(2);
            job.put(1, KEYS, "a");
            job.acknowledge(1, CHECKPOINT);
            job.notifyAborted(1);
            job.put(1, KEYS, "b");
            job.checkpoint(2);

            assertThat(job.segmentsOf(2)).hasSize(2).containsAll(job.segmentsOf(1));
            job.assertStoredIsReferenced(2);
            assertRestores(job, 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCheckpointThatCompletesAfterItsTasksEndedCanBeRestored(Delegate delegate)
            throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory)) {
            job.start(2);
            job.put(1, KEYS, "a");
            job.checkpoint(1);
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
    }

    @ParameterizedTest
    @EnumSource
    void aMaterializationBetweenTwoCheckpointsInFlightTakesNothingFromTheFirst(Delegate delegate)
            throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory)) {
            job.start(2);
            job.put(1, KEYS, "a");
            job.checkpoint(1);
            job.put(1, KEYS, "b");
            job.acknowledge(2, CHECKPOINT);
            Map<Integer, String> atTwo = job.read(1, KEYS);
            job.materialize();
            job.put(1, KEYS, "c");
            job.acknowledge(3, CHECKPOINT);
            job.complete(2);
            job.notifyComplete(2);
            job.notifyAborted(3);
            job.stop();

            job.start(2);
            assertThat(job.read(1, KEYS)).isEqualTo(atTwo);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFullCheckpointRefersToNothingBeforeIt(Delegate delegate) throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory)) {
            job.start(2);
            job.put(1, KEYS, "a");
            job.checkpoint(1);
            job.materialize();
            job.put(1, KEYS, "b");
            job.checkpoint(2);
            job.stop();

            job.start(2);
            job.put(1, 3, "c");
            job.checkpoint(3, FULL_CHECKPOINT);
            assertThat(job.segmentsOf(3)).doesNotContainAnyElementsOf(job.segmentsOf(2));
            assertThat(job.materializedFilesOf(3))
                    .doesNotContainAnyElementsOf(job.materializedFilesOf(2));
            job.assertStoredIsReferenced(3);

            job.put(4, 6, "d");
            job.checkpoint(4);
            job.materialize();
            job.checkpoint(5);
            job.assertStoredIsReferenced(5);
            assertRestores(job, 3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCheckpointTriggeredWhileAFullOneIsWrittenStartsFromTheSameFiles(Delegate delegate)
            throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory)) {
            job.start(2);
            job.put(1, KEYS, "a");
            job.checkpoint(1);
            job.materialize();
            job.checkpoint(2);

            job.trigger(3, FULL_CHECKPOINT);
            job.put(1, KEYS, "b");
            job.materialize();
            job.trigger(4, CHECKPOINT);
            job.acknowledge(3);
            job.complete(3);
            job.notifyComplete(3);
            job.acknowledge(4);
            job.complete(4);
            job.notifyComplete(4);

            assertThat(job.materializedFilesOf(4)).isEqualTo(job.materializedFilesOf(3));
            job.assertStoredIsReferenced(4);
            assertRestores(job, 3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCompletionThatOvertakesTheMailOfItsFullBaseTakesNothingFromTheRestoredOne(
            Delegate delegate) throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory)) {
            job.start(2);
            job.put(1, KEYS, "a");
            job.checkpoint(1);
            job.materialize();
            job.checkpoint(2);
            Set<String> restored = job.materializedFilesOf(2);
            job.stop();
            job.start(2);

            job.holdMails();
            job.acknowledge(3, FULL_CHECKPOINT);
            job.notifyComplete(3);
            job.deliverMails();
            job.stop();

            assertThat(job.storedMaterializedFiles())
                    .as("the JobManager still retains the checkpoint restored from")
                    .containsAll(restored);
        }
    }

    /**
     * The files of checkpoint 2's base are given to nobody, as its log is never stored. With timers
     * on the heap the log of checkpoint 3 would not be empty, and not be stored either.
     */
    @ParameterizedTest
    @EnumSource(
            value = Delegate.class,
            names = {"ROCKSDB", "HASHMAP"})
    void aBaseThatAFullCheckpointReplacedGoesWithTheOldCheckpointInFlight(Delegate delegate)
            throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory, SHORT_DELAY)) {
            job.start(2);
            job.put(1, KEYS, "a");
            job.checkpoint(1);
            job.materialize();
            Set<String> notGiven = new TreeSet<>(job.storedMaterializedFiles());
            notGiven.removeAll(job.materializedFilesOf(1));

            Path log = directory.resolve("log");
            Path away = Files.move(log, directory.resolve("away"));
            Files.createFile(log);
            job.put(1, KEYS, "b");
            job.trigger(2, CHECKPOINT);
            job.trigger(3, FULL_CHECKPOINT);
            job.acknowledge(3);
            job.notifyAborted(2);
            Files.delete(log);
            moveInto(away, log);
            job.complete(3);
            job.notifyComplete(3);

            job.assertStoredIsReferenced(3);
            assertThat(job.materializedFilesOf(3)).doesNotContainAnyElementsOf(notGiven);
            assertRestores(job, 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBarrierAheadOfTheMailOfAFullBaseThatFailedStartsFromTheOneBefore(Delegate delegate)
            throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory)) {
            job.start(2);
            job.put(1, KEYS, "a");
            job.checkpoint(1);
            job.put(1, KEYS, "b");

            job.holdMails();
            job.trigger(2, FULL_CHECKPOINT);
            job.cancelSnapshots(2);
            job.notifyAborted(2);
            job.trigger(3, CHECKPOINT);
            job.acknowledge(3);
            job.deliverMails();
            job.complete(3);
            job.notifyComplete(3);

            assertThat(job.segmentsOf(3)).containsAll(job.segmentsOf(1));
            job.checkpoint(4, FULL_CHECKPOINT);
            job.checkpoint(5);
            job.assertStoredIsReferenced(5);
            assertRestores(job, 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aStoreThatIsDownHoldsCheckpointsUpAndFailsNone(Delegate delegate) throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory, SHORT_DELAY)) {
            job.start(2);
            job.put(1, KEYS, "a");
            job.checkpoint(1);

            Path log = directory.resolve("log");
            Path away = Files.move(log, directory.resolve("away"));
            Files.createFile(log);
            job.put(1, KEYS, "b");
            job.trigger(2, CHECKPOINT);
            job.notifyAborted(2);
            job.put(1, KEYS, "c");
            job.trigger(3, CHECKPOINT);

            Files.delete(log);
            moveInto(away, log);
            job.acknowledge(3);
            job.complete(3);
            job.notifyComplete(3);
            job.assertStoredIsReferenced(3);
            assertRestores(job, 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aJobThatEndsLeavesNoFileThatNoCheckpointWasGiven(Delegate delegate) throws Exception {
        TestJob job = new TestJob(delegate.create(), directory);
        job.start(2);
        job.put(1, KEYS, "a");
        job.checkpoint(1);
        job.put(1, KEYS, "b");
        job.materialize();
        job.close();

        job.assertStoredIsReferenced(1);
    }

    /**
     * The write of checkpoint 2 to the high-availability store succeeds and its answer is lost: the
     * JobManager sends the abort and restarts the job, and then another one takes over.
     */
    @ParameterizedTest
    @EnumSource
    void aCheckpointThatIsSaidToHaveFailedCanBeRestored(Delegate delegate) throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory)) {
            job.start(2);
            job.put(1, KEYS, "a");
            job.checkpoint(1);
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
    }

    @ParameterizedTest
    @EnumSource
    void whatOnlyAnAbortedCheckpointListedGoesOnceItIsSubsumed(Delegate delegate) throws Exception {
        try (TestJob job = new TestJob(delegate.create(), directory)) {
            job.start(2);
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

    /** File by file, as the next upload makes the directory again the moment that it can. */
    private static void moveInto(Path from, Path to) throws Exception {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path file : all.filter(Files::isRegularFile).collect(Collectors.toList())) {
                Path target = to.resolve(from.relativize(file));
                Files.createDirectories(target.getParent());
                Files.move(file, target);
            }
        }
    }

    /** Ends the job and restores it from its latest checkpoint: no value is another one. */
    private static void assertRestores(TestJob job, int parallelism) throws Exception {
        Map<Integer, String> before = job.read(1, KEYS);
        job.stop();
        job.start(parallelism);
        assertThat(job.read(1, KEYS)).isEqualTo(before);
    }
}
