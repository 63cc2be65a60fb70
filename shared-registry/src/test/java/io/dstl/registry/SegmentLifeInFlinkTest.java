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
package io.dstl.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.util.OptionalLong;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The life of segments between our registry and Flink's own {@code SharedStateRegistryImpl} and
 * completed-checkpoint store: after each step, the bucket holds what is referred to, and nothing
 * else.
 */
class SegmentLifeInFlinkTest {

    @TempDir File directory;

    private SimulatedJob job;

    @BeforeEach
    void start() throws Exception {
        job = new SimulatedJob(directory, 1, 1);
        job.start(2);
    }

    @Test
    void theOldLogIsGoneOnceItsCheckpointIsSubsumed() throws Exception {
        String shared = job.store(0, 1);
        job.checkpoint();
        String own = job.store(0);
        job.checkpoint();
        assertBucketHolds(shared, own);

        job.tasks.get(0).materialize();
        assertBucketHolds(shared, own, "materialized-2");

        job.checkpoint();
        assertThat(job.coordinator.latestState().get(0).getNonMaterializedStateHandles())
                .allSatisfy(log -> assertThat(Bucket.objectsOf(log)).isEmpty());
        assertBucketHolds(shared, "materialized-2");

        job.tasks.get(1).materialize();
        job.checkpoint();
        assertBucketHolds("materialized-2", "materialized-3");
    }

    @Test
    void theOldLogStaysWhileACheckpointWithItIsRetained() throws Exception {
        job = new SimulatedJob(directory, 2, 1);
        job.start(2);
        String shared = job.store(0, 1);
        job.checkpoint();
        job.tasks.forEach(SimulatedTask::materialize);
        job.checkpoint();
        assertBucketHolds(shared, "materialized-1", "materialized-2");

        job.checkpoint();
        assertBucketHolds("materialized-1", "materialized-2");
    }

    @Test
    void aSharedSegmentOutlivesARescaleUntilTheLastTaskHasMaterialized() throws Exception {
        String shared = job.store(0, 1);
        job.checkpoint();
        String lost = job.store(0, 1);
        job.stop();
        assertThat(job.listing()).doesNotContain(lost);
        job.start(3);
        assertBucketHolds(shared);

        String afterwards = job.store(0, 1, 2);
        job.checkpoint();
        assertBucketHolds(shared, afterwards);

        job.tasks.get(0).materialize();
        job.tasks.get(1).materialize();
        job.checkpoint();
        assertBucketHolds(shared, afterwards, "materialized-3", "materialized-4");

        job.tasks.get(2).materialize();
        job.checkpoint();
        assertBucketHolds("materialized-3", "materialized-4", "materialized-5");

        job.stop();
        job.start(1);
        assertBucketHolds("materialized-3", "materialized-4", "materialized-5");
        job.checkpoint();
        job.tasks.get(0).materialize();
        job.checkpoint();
        assertBucketHolds("materialized-6");
    }

    @Test
    void truncationSparesWhatACheckpointInFlightLists() throws Exception {
        String first = job.store(0, 1);
        job.checkpoint();
        String second = job.store(0, 1);
        long inFlight = job.triggerAndAcknowledge();
        job.tasks.forEach(SimulatedTask::materialize);
        assertBucketHolds(first, second, "materialized-2", "materialized-3");

        OptionalLong subsumed = job.complete(inFlight);
        assertBucketHolds(first, second, "materialized-2", "materialized-3");

        job.tasks.forEach(task -> task.confirmed(inFlight, subsumed));
        assertBucketHolds(first, second, "materialized-2", "materialized-3");

        job.checkpoint();
        assertBucketHolds("materialized-2", "materialized-3");
    }

    @Test
    void whatOnlyAnAbortedCheckpointListedStaysUntilALaterOneIsSubsumed() throws Exception {
        job.checkpoint();
        String segment = job.store(0, 1);
        long aborted = job.coordinator.trigger(2);
        job.tasks.forEach(task -> task.snapshot(aborted));
        job.tasks.forEach(SimulatedTask::loseAcknowledgements);
        job.coordinator.abort(aborted);
        job.tasks.forEach(task -> task.aborted(aborted));
        job.tasks.forEach(SimulatedTask::materialize);
        assertThat(job.listing()).contains(segment);

        job.checkpoint();
        assertThat(job.listing()).contains(segment);
        job.checkpoint();
        assertBucketHolds("materialized-1", "materialized-2");
    }

    @Test
    void aLostConfirmationCostsNoRetainedCheckpointItsSegments() throws Exception {
        job = new SimulatedJob(directory, 2, 1);
        job.start(2);
        String segment = job.store(0, 1);
        long unconfirmed = job.triggerAndAcknowledge();
        job.complete(unconfirmed);
        job.tasks.forEach(SimulatedTask::materialize);
        job.checkpoint();
        assertBucketHolds(segment, "materialized-1", "materialized-2");

        job.checkpoint();
        assertBucketHolds("materialized-1", "materialized-2");
    }

    @Test
    void whatWasInFlightWhenTheJobFailedGoesWithTheCheckpointsAfterTheRestore() throws Exception {
        String kept = job.store(0, 1);
        job.checkpoint();
        String inFlight = job.store(0, 1);
        long failed = job.coordinator.trigger(2);
        job.tasks.forEach(task -> task.snapshot(failed));
        job.stop();

        job.start(2);
        assertThat(job.listing()).containsExactlyInAnyOrder(kept, inFlight);
        job.checkpoint();
        assertThat(job.listing()).containsExactlyInAnyOrder(kept, inFlight);
        job.checkpoint();
        assertBucketHolds(kept);
    }

    @Test
    void aCheckpointInDoubtIsWhatTheNextLeaderRestores() throws Exception {
        String before = job.store(0, 1);
        job.checkpoint();
        String segment = job.store(0, 1);
        long inDoubt = job.triggerAndAcknowledge();
        job.coordinator.completeInDoubt(inDoubt);
        job.tasks.forEach(task -> task.aborted(inDoubt));
        job.stop();
        job.start(2);
        job.stop();
        assertBucketHolds(before, segment);

        job.coordinator.failOver();
        assertThat(job.coordinator.latest()).hasValue(inDoubt);
        job.start(3);
        job.checkpoint();
        job.checkpoint();
        assertBucketHolds(before, segment);
    }

    @Test
    void aCheckpointInDoubtIsAsGoodAsAnyWhileOneBelowItIsRetained() throws Exception {
        job = new SimulatedJob(directory, 3, 1);
        job.start(2);
        job.checkpoint();
        String segment = job.store(0, 1);
        long inDoubt = job.triggerAndAcknowledge();
        job.coordinator.completeInDoubt(inDoubt);
        job.tasks.forEach(task -> task.aborted(inDoubt));
        job.tasks.forEach(SimulatedTask::materialize);
        job.checkpoint();
        job.checkpoint();
        assertThat(job.needed()).contains(segment);
        assertThat(job.listing()).isEqualTo(job.needed());

        job.checkpoint();
        assertThat(job.listing()).doesNotContain(segment);
    }

    @Test
    void leavingTheTaskManagerKeepsTheRetainedCheckpointOnly() throws Exception {
        String kept = job.store(0, 1);
        job.checkpoint();
        job.store(0, 1);
        job.stop();
        job.leave();

        assertBucketHolds(kept);
    }

    @Test
    void aSegmentThatTheJobManagerHasDeletedMeanwhileIsRefused() throws Exception {
        String ofTwoEpochs = job.store(0, 1);
        long first = job.coordinator.trigger(2);
        long second = job.coordinator.trigger(2);
        // Task 1 has passed both barriers before its change set, task 0 none: what one epoch
        // forbids.
        job.tasks.get(0).snapshot(first);
        job.tasks.get(0).acknowledge(job.coordinator, 0);
        job.tasks.get(0).materialize();
        job.tasks.get(0).snapshot(second);
        job.tasks.get(0).acknowledge(job.coordinator, 0);
        job.coordinator.acknowledgeEmpty(second, 1, KeyGroupRange.of(6, 11));
        OptionalLong subsumed = job.complete(second);
        job.tasks.get(0).confirmed(second, subsumed);

        assertThat(job.listing()).doesNotContain(ofTwoEpochs);
        assertThatThrownBy(() -> job.tasks.get(1).snapshot(second + 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(ofTwoEpochs)
                .hasMessageContaining("epoch");
    }

    private void assertBucketHolds(String... objects) {
        assertThat(job.listing()).containsExactlyInAnyOrder(objects);
        assertThat(job.needed()).containsExactlyInAnyOrder(objects);
    }
}
