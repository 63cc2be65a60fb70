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

import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.ForEachValue;
import io.dstl.changelog.testing.OnEachDelegate;
import java.util.Set;
import java.util.TreeSet;

/**
 * The life of files around full checkpoints, whose base is being made while later checkpoints begin
 * and earlier ones are in flight.
 */
class FullCheckpointLifeTest extends CheckpointLifeFixture {
    @ForEachValue
    void aFullCheckpointRefersToNothingBeforeIt(Delegate delegate) throws Exception {
        startAndCheckpoint(delegate, 2);
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
        assertRestores(3);
    }

    @ForEachValue
    void aCheckpointTriggeredWhileAFullOneIsWrittenStartsFromTheSameFiles(Delegate delegate)
            throws Exception {
        startAndCheckpoint(delegate, 2);
        job.materialize();
        job.checkpoint(2);

        job.trigger(3, FULL_CHECKPOINT);
        job.put(1, KEYS, "b");
        job.materialize();
        job.trigger(4, CHECKPOINT);
        job.acknowledge(3);
        job.completeAndNotify(3);
        job.acknowledge(4);
        job.completeAndNotify(4);

        assertThat(job.materializedFilesOf(4)).isEqualTo(job.materializedFilesOf(3));
        // What was due while the full one was written has begun as that completed.
        job.checkpoint(5);
        job.assertStoredIsReferenced(5);
        assertRestores(3);
    }

    @ForEachValue
    void aCompletionThatOvertakesTheMailOfItsFullBaseTakesNothingFromTheRestoredOne(
            Delegate delegate) throws Exception {
        startAndCheckpoint(delegate, 2);
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

    @OnEachDelegate
    void aBaseThatAFullCheckpointReplacedGoesWithTheOldCheckpointInFlight(Delegate delegate)
            throws Exception {
        create(delegate, SHORT_DELAY);
        Set<String> notGiven = takeAFullCheckpointBesideOneWithoutItsLog();
        job.notifyAborted(2);
        assertThat(job.storedMaterializedFiles()).doesNotContainAnyElementsOf(notGiven);

        mendLog();
        job.completeAndNotify(3);
        job.assertStoredIsReferenced(3);
        assertThat(job.materializedFilesOf(3)).doesNotContainAnyElementsOf(notGiven);
        assertRestores(2);
    }

    /** Nothing is heard of checkpoint 2. */
    @OnEachDelegate
    void aBaseThatAFullCheckpointReplacedGoesOnceThatOneCompletes(Delegate delegate)
            throws Exception {
        create(delegate, SHORT_DELAY);
        Set<String> notGiven = takeAFullCheckpointBesideOneWithoutItsLog();
        job.completeAndNotify(3);
        assertThat(job.storedMaterializedFiles()).doesNotContainAnyElementsOf(notGiven);
    }

    /**
     * Up to the acknowledgement of checkpoint 3. With timers on the heap its log would not be
     * empty, and not be stored either.
     *
     * @return the files of checkpoint 2's base, given to nobody as its log is never stored
     */
    private Set<String> takeAFullCheckpointBesideOneWithoutItsLog() throws Exception {
        job.start(2);
        job.put(1, KEYS, "a");
        job.checkpoint(1);
        job.materialize();
        Set<String> notGiven = new TreeSet<>(job.storedMaterializedFiles());
        notGiven.removeAll(job.materializedFilesOf(1));

        breakLog();
        job.put(1, KEYS, "b");
        job.trigger(2, CHECKPOINT);
        job.trigger(3, FULL_CHECKPOINT);
        job.acknowledge(3);
        assertThat(notGiven).isNotEmpty();
        assertThat(job.storedMaterializedFiles())
                .as("checkpoint 2 may be given them yet")
                .containsAll(notGiven);
        return notGiven;
    }

    @ForEachValue
    void aBarrierAheadOfTheMailOfAFullBaseThatFailedStartsFromTheOneBefore(Delegate delegate)
            throws Exception {
        startAndCheckpoint(delegate, 2);
        job.put(1, KEYS, "b");

        job.holdMails();
        job.trigger(2, FULL_CHECKPOINT);
        job.cancelSnapshots(2);
        job.notifyAborted(2);
        job.trigger(3, CHECKPOINT);
        job.acknowledge(3);
        job.deliverMails();
        job.completeAndNotify(3);

        assertThat(job.segmentsOf(3)).containsAll(job.segmentsOf(1));
        job.checkpoint(4, FULL_CHECKPOINT);
        job.checkpoint(5);
        job.assertStoredIsReferenced(5);
        assertRestores(2);
    }

    @ForEachValue
    void aFullCheckpointAheadOfTheMailOfOneThatFailedRefersToNothingBeforeIt(Delegate delegate)
            throws Exception {
        startAndCheckpoint(delegate, 2);
        job.materialize();
        job.put(1, KEYS, "b");
        job.checkpoint(2);

        job.holdMails();
        job.trigger(3, FULL_CHECKPOINT);
        job.cancelSnapshots(3);
        job.notifyAborted(3);
        job.trigger(4, FULL_CHECKPOINT);
        job.acknowledge(4);
        job.deliverMails();
        job.completeAndNotify(4);

        assertThat(job.materializedFilesOf(4))
                .isNotEmpty()
                .doesNotContainAnyElementsOf(job.materializedFilesOf(2));
        assertThat(job.segmentsOf(4)).doesNotContainAnyElementsOf(job.segmentsOf(2));
        // With this one 4 is subsumed, and so what 3 may have stored of its log can go.
        job.checkpoint(5);
        job.assertStoredIsReferenced(5);
        assertRestores(2);
    }
}
