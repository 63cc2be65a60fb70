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
package io.dstl.fs.log;

import io.dstl.fs.batch.Epoch;
import io.dstl.fs.batch.SegmentLocation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;

/**
 * A checkpoint that waits until its part of a log is stored.
 *
 * <p>Guarded by the lock of its {@link SealedLog}, but for the future and {@link #tell}.
 */
final class PendingPersist {

    private final long checkpointId;
    private final Epoch epoch;
    private final List<LoggedSet> sets;
    private long missing;
    private final CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> result =
            new CompletableFuture<>();

    /** Completes the future. */
    private Runnable outcome;

    /**
     * @param epoch that the checkpoint ends
     * @param sets needed by the checkpoint, in the order of the log and without a gap
     */
    PendingPersist(long checkpointId, Epoch epoch, Collection<LoggedSet> sets) {
        this.checkpointId = checkpointId;
        this.epoch = epoch;
        this.sets = List.copyOf(sets);
        this.missing = this.sets.stream().filter(set -> !set.isStored()).count();
    }

    long checkpointId() {
        return checkpointId;
    }

    List<LoggedSet> sets() {
        return sets;
    }

    CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> result() {
        return result;
    }

    boolean needs(LoggedSet set) {
        return !sets.isEmpty()
                && set.number().compareTo(sets.get(0).number()) >= 0
                && set.number().compareTo(sets.get(sets.size() - 1).number()) <= 0;
    }

    /** One of the needed change sets has been stored. */
    void oneStored() {
        missing--;
    }

    boolean isComplete() {
        return missing == 0;
    }

    /** The segments of all change sets; only when complete. */
    List<StreamStateHandle> segments() {
        List<StreamStateHandle> segments = new ArrayList<>(sets.size());
        sets.forEach(set -> segments.add(set.location().segment()));
        return segments;
    }

    /**
     * Ends with the handle; only when complete. If there are backups, the result has a local handle
     * too, which lists the backups, and segments for change sets without one.
     */
    void succeed(KeyGroupRange keyGroups) {
        long newBytes = takeNewBytes();
        ChangelogStateHandleStreamImpl stored = list(LoggedSet::location, keyGroups, newBytes);
        boolean backups = sets.stream().anyMatch(set -> set.backup().isPresent());
        SnapshotResult<ChangelogStateHandleStreamImpl> handle =
                backups
                        ? SnapshotResult.withLocalState(
                                stored, list(LoggedSet::nearest, keyGroups, newBytes))
                        : SnapshotResult.of(stored);
        outcome = () -> result.complete(handle);
    }

    void fail(Throwable cause) {
        outcome = () -> result.completeExceptionally(cause);
    }

    /** Completes the future as it has ended; by the thread that ended it, outside the lock. */
    void tell() {
        outcome.run();
    }

    /** Only bytes that no earlier handle has reported count. */
    private long takeNewBytes() {
        return sets.stream()
                .filter(LoggedSet::markReported)
                .mapToLong(LoggedSet::contentBytes)
                .sum();
    }

    private ChangelogStateHandleStreamImpl list(
            Function<LoggedSet, SegmentLocation> where, KeyGroupRange keyGroups, long newBytes) {
        List<Tuple2<StreamStateHandle, Long>> locations = new ArrayList<>(sets.size());
        long bytes = 0;
        for (LoggedSet set : sets) {
            SegmentLocation location = where.apply(set);
            locations.add(Tuple2.of(location.segment(), location.offset()));
            bytes += set.contentBytes();
        }
        return new ChangelogStateHandleStreamImpl(
                locations, keyGroups, bytes, newBytes, StorageIdentifier.FILESYSTEM);
    }

    @Override
    public String toString() {
        return "persist for checkpoint " + checkpointId;
    }

    /**
     * The persists of one log that are under way. Each list is a snapshot in the order of the
     * calls, so that persists may end during an iteration.
     *
     * <p>Guarded by the lock of its {@link SealedLog}.
     */
    static final class PendingPersists {

        private final List<PendingPersist> persists = new ArrayList<>();

        void add(PendingPersist persist) {
            persists.add(persist);
        }

        void remove(PendingPersist persist) {
            persists.remove(persist);
        }

        List<PendingPersist> all() {
            return List.copyOf(persists);
        }

        List<PendingPersist> waitingFor(LoggedSet set) {
            return select(persist -> persist.needs(set));
        }

        /**
         * The epoch of the first checkpoint whose handle will list the set: one that waits for the
         * set, or the next one. Sets of different epochs must not share a segment.
         */
        Epoch epochOf(LoggedSet set, Epoch next) {
            return waitingFor(set).stream().findFirst().map(first -> first.epoch).orElse(next);
        }

        List<PendingPersist> of(long checkpointId) {
            return select(persist -> persist.checkpointId() == checkpointId);
        }

        private List<PendingPersist> select(Predicate<PendingPersist> which) {
            return persists.stream().filter(which).collect(Collectors.toUnmodifiableList());
        }
    }
}
