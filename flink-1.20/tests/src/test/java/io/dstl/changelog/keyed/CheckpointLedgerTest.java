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

import io.dstl.materializer.Materialization.MaterializationId;
import io.dstl.registry.DeletionSchedule;
import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;
import org.apache.flink.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the log's writer hears of checkpoints. */
class CheckpointLedgerTest {
    private static final KeyGroupRange KEY_GROUPS = new KeyGroupRange(0, 9);
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    private final HeardWriter writer = new HeardWriter();
    private final ManualTimer timer = new ManualTimer();
    private final CheckpointLedger ledger =
            new CheckpointLedger(
                    writer,
                    new CheckpointHandles(
                            KEY_GROUPS,
                            false,
                            new ChangelogBackendMetrics(
                                    new UnregisteredMetricsGroup(), new SimpleCounter(), () -> 0)),
                    MaterializedBase.restored(
                            new MaterializationId(0),
                            new MaterializedBase.Handles(List.of(), List.of()),
                            Optional.empty(),
                            SequenceNumber.of(0),
                            new JobID(1, 2)),
                    new AbandonedFiles(Executors.directExecutor(), DeletionSchedule.none(), true),
                    TIMEOUT,
                    timer);

    /**
     * A checkpoint that has completed subsumes those in flight below it. Flink's task hears of the
     * completion first, as each abort comes with the latest that has completed.
     */
    @Test
    void anAbortReachesTheWriterAlsoBehindTheCompletionOfAHigherCheckpoint() {
        ledger.persist(1, false);
        ledger.persist(2, false);
        ledger.persist(3, false);

        ledger.complete(2);
        ledger.abort(1);
        assertThat(writer.heard).containsExactly("confirm 2", "reset 1");

        ledger.abort(1);
        ledger.complete(3);
        ledger.abort(2);
        assertThat(writer.heard).containsExactly("confirm 2", "reset 1", "confirm 3");
    }

    /**
     * The thread that uploads the base may fail at any moment, also between the question whether to
     * join it and the checkpoint itself.
     */
    @Test
    void aCheckpointThatJoinsAFullBaseStartsFromNoOther() {
        MaterializedBase.Pending full =
                new MaterializedBase.Pending(new MaterializationId(1), SequenceNumber.of(0));
        ledger.expect(full, false);
        ledger.persist(1, true);
        ledger.abort(1);
        assertThat(ledger.joinFull()).isTrue();

        full.made().completeExceptionally(new IllegalStateException("the store is full"));

        assertThat(ledger.persist(2, true)).isCompletedExceptionally();
        assertThat(ledger.joinFull()).isFalse();
        assertThat(ledger.persist(3, false)).isCompleted();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBaseThatMayHaveFilesOfAnEarlierOneIsNotFull(boolean reuses) {
        MaterializationId id = new MaterializationId(1);
        MaterializedBase.Pending next = new MaterializedBase.Pending(id, SequenceNumber.of(0));
        ledger.expect(next, reuses);
        assertThat(ledger.expectsReuse()).isEqualTo(reuses);
        next.made()
                .complete(
                        MaterializedBase.snapshotted(
                                id, SnapshotResult.empty(), SequenceNumber.of(0)));
        ledger.settle(next);

        assertThat(ledger.expectsReuse()).isFalse();
        assertThat(ledger.joinFull()).isEqualTo(!reuses);
    }

    /** The JobManager aborts it before, and the abort may not arrive. */
    @Test
    void aCheckpointThatIsLateFails() {
        ledger.expect(
                new MaterializedBase.Pending(new MaterializationId(1), SequenceNumber.of(0)),
                false);
        CompletableFuture<SnapshotResult<KeyedStateHandle>> late = ledger.persist(1, true);

        timer.advance(TIMEOUT);
        assertThat(late).isNotDone();
        timer.advance(Duration.ofMinutes(1));
        assertThat(late).isDone();
        assertThatThrownBy(late::get)
                .hasCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining("Checkpoint 1 is not persisted");
    }

    /** Its upload may go on for hours. */
    @Test
    void aBaseIsNotAwaitedOnceWhatNeedsItIsLate() {
        ledger.expect(
                new MaterializedBase.Pending(new MaterializationId(1), SequenceNumber.of(0)),
                false);
        ledger.persist(1, true);
        timer.advance(Duration.ofMinutes(1));
        CompletableFuture<SnapshotResult<KeyedStateHandle>> joined = ledger.persist(2, false);
        assertThat(ledger.decideToAwaitBase()).isTrue();

        timer.advance(TIMEOUT);

        assertThat(joined).isNotDone();
        assertThat(ledger.decideToAwaitBase()).isFalse();
        assertThat(joined).isCompletedExceptionally();
        assertThat(ledger.persist(3, false)).isCompleted();
        assertThat(ledger.abort(1)).as("an upload that nothing waits for").isTrue();
        assertThat(ledger.abort(2)).isFalse();
        assertThat(writer.heard).containsExactly("reset 2", "reset 1");
    }

    /** Its base has failed, and its log waits for the store. */
    @Test
    void aFullCheckpointOfAnotherBaseKeepsNoneWaiting() {
        MaterializedBase.Pending failed =
                new MaterializedBase.Pending(new MaterializationId(1), SequenceNumber.of(0));
        ledger.expect(failed, false);
        writer.stored = new CompletableFuture<>();
        ledger.persist(1, true);
        failed.made().completeExceptionally(new IllegalStateException("the store is full"));
        ledger.expect(
                new MaterializedBase.Pending(new MaterializationId(2), SequenceNumber.of(0)),
                false);
        ledger.persist(2, true);

        assertThat(ledger.abort(2)).as("an upload that nothing waits for").isTrue();

        assertThat(ledger.decideToAwaitBase()).isFalse();
    }

    /** A handle that has the base may be on its way to the JobManager. */
    @Test
    void aBaseThatIsMadeBeforeTheAbortIsTheNextOne() {
        MaterializationId id = new MaterializationId(1);
        MaterializedBase.Pending full = new MaterializedBase.Pending(id, SequenceNumber.of(0));
        ledger.expect(full, false);
        ledger.persist(1, true);
        CompletableFuture<SnapshotResult<KeyedStateHandle>> joined = ledger.persist(2, false);
        full.made()
                .complete(
                        MaterializedBase.snapshotted(
                                id, SnapshotResult.empty(), SequenceNumber.of(0)));

        assertThat(ledger.abort(1)).isFalse();

        assertThat(joined).isCompleted();
        assertThat(ledger.base().id()).isEqualTo(id);
        assertThat(writer.heard).containsExactly("reset 1");
    }

    /** The mail that tells of the base comes after this abort. */
    @Test
    void theAbortOfACheckpointOfTheBaseBeforeFailsNoneThatJoinedABaseThatIsMade() {
        MaterializationId id = new MaterializationId(1);
        MaterializedBase.Pending full = new MaterializedBase.Pending(id, SequenceNumber.of(0));
        ledger.persist(1, false);
        ledger.expect(full, false);
        ledger.persist(2, true);
        CompletableFuture<SnapshotResult<ChangelogStateHandle>> log = new CompletableFuture<>();
        writer.stored = log;
        CompletableFuture<SnapshotResult<KeyedStateHandle>> joined = ledger.persist(3, false);
        full.made()
                .complete(
                        MaterializedBase.snapshotted(
                                id, SnapshotResult.empty(), SequenceNumber.of(0)));

        assertThat(ledger.abort(1)).isFalse();
        assertThat(joined).isNotDone();

        log.complete(SnapshotResult.empty());
        assertThat(joined).isCompleted();
        assertThat(ledger.base().id()).isEqualTo(id);
    }

    @Test
    void oneThatIsNotLateLeavesNothingOnTheTimer() {
        ledger.persist(1, false);
        assertThat(timer.size()).isZero();
    }

    /** Stores nothing. */
    private static final class HeardWriter implements StateChangelogWriter<ChangelogStateHandle> {
        private final List<String> heard = new ArrayList<>();

        /** Whether the log of the next checkpoint is. */
        private CompletableFuture<SnapshotResult<ChangelogStateHandle>> stored =
                CompletableFuture.completedFuture(SnapshotResult.empty());

        @Override
        public SequenceNumber initialSequenceNumber() {
            return SequenceNumber.of(0);
        }

        @Override
        public SequenceNumber nextSequenceNumber() {
            return SequenceNumber.of(0);
        }

        @Override
        public void appendMeta(byte[] value) {}

        @Override
        public void append(int keyGroup, byte[] value) {}

        @Override
        public CompletableFuture<SnapshotResult<ChangelogStateHandle>> persist(
                SequenceNumber from, long checkpointId) {
            return stored;
        }

        @Override
        public void truncate(SequenceNumber to) {}

        @Override
        public void confirm(SequenceNumber from, SequenceNumber to, long checkpointId) {
            heard.add("confirm " + checkpointId);
        }

        @Override
        public void reset(SequenceNumber from, SequenceNumber to, long checkpointId) {
            heard.add("reset " + checkpointId);
        }

        @Override
        public void truncateAndClose(SequenceNumber from) {}

        @Override
        public void close() {}
    }
}
