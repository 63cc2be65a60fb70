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

import static java.util.Objects.requireNonNull;

import io.dstl.materializer.Materialization.MaterializationId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendLocalHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;

/**
 * What the next checkpoint refers to beside this writer's own log: the last materialization, the
 * logs restored on top of it, and the position in our log from which changes have to follow.
 *
 * <p>Immutable, except for the owner of the files and the backup, which can be taken once. This
 * task owns the files until it has made a handle with them. From then on the JobManager may know
 * the files, and may have put them into a completed checkpoint, whatever the task is notified of.
 * So the files are either given or abandoned, whichever comes first.
 *
 * <p>Thread-safe.
 */
final class MaterializedBase {
    private enum Origin {
        SNAPSHOT,
        RESTORED,
        /** Restored, and deleted with the checkpoint that it was restored from. */
        CHECKPOINT_WITHOUT_LOG,
        /** Restored, and no checkpoint can list it. */
        UNLISTABLE
    }

    private enum Files {
        OURS,
        GIVEN,
        ABANDONED
    }

    private final MaterializationId id;
    private final Handles remote;
    private volatile Optional<Handles> backup;
    private final SequenceNumber logStart;
    private final long bytesWritten;
    private final AtomicReference<Files> files;

    /** Computed once, as there may be many files and each checkpoint asks. */
    private final Origin origin;

    private MaterializedBase(
            MaterializationId id,
            Handles remote,
            Optional<Handles> backup,
            SequenceNumber logStart,
            long bytesWritten,
            Origin origin) {
        this.id = requireNonNull(id);
        this.remote = requireNonNull(remote);
        this.backup = requireNonNull(backup);
        this.logStart = requireNonNull(logStart);
        this.bytesWritten = bytesWritten;
        this.origin = origin;
        this.files = new AtomicReference<>(origin == Origin.SNAPSHOT ? Files.OURS : Files.GIVEN);
    }

    /**
     * The base of a restored checkpoint.
     *
     * @param id of the checkpoint's materialization; 0 if there was none
     * @param remote its logs come before our own
     * @param backup the handles on the local disk, and those of {@code remote} for the rest
     * @param job that runs now: the checkpoint may be one of another job
     */
    static MaterializedBase restored(
            MaterializationId id,
            Handles remote,
            Optional<Handles> backup,
            SequenceNumber logStart,
            JobID job) {
        return new MaterializedBase(
                id, remote, backup, logStart, 0, origin(remote.materialized(), job));
    }

    private static Origin origin(List<KeyedStateHandle> files, JobID job) {
        if (files.stream().anyMatch(RestoredFiles::cannotBeListed)) {
            return Origin.UNLISTABLE;
        }
        return files.stream().anyMatch(file -> RestoredFiles.isOfCheckpoint(file, job))
                ? Origin.CHECKPOINT_WITHOUT_LOG
                : Origin.RESTORED;
    }

    /**
     * The base that a durable snapshot of the delegate makes.
     *
     * @param snapshot may be empty, as the delegate may hold no state
     * @param upTo the end of the part of our log that the snapshot covers, exclusive
     */
    static MaterializedBase snapshotted(
            MaterializationId id, SnapshotResult<KeyedStateHandle> snapshot, SequenceNumber upTo) {
        KeyedStateHandle handle = snapshot.getJobManagerOwnedSnapshot();
        return new MaterializedBase(
                id,
                new Handles(handle == null ? List.of() : List.of(handle), List.of()),
                Optional.ofNullable(snapshot.getTaskLocalSnapshot())
                        .map(local -> new Handles(List.of(local), List.of())),
                upTo,
                handle == null ? 0 : handle.getCheckpointedSize(),
                Origin.SNAPSHOT);
    }

    /**
     * Gives the files away. Call it before a handle with the files leaves the task.
     *
     * @throws CancellationException if the files have been abandoned
     */
    void give() {
        if (!files.compareAndSet(Files.OURS, Files.GIVEN) && files.get() == Files.ABANDONED) {
            throw new CancellationException("Materialization " + id + " has been given up");
        }
    }

    /** Abandons the files and returns true, unless they were given away or abandoned before. */
    boolean abandon() {
        return files.compareAndSet(Files.OURS, Files.ABANDONED);
    }

    MaterializationId id() {
        return id;
    }

    /** The handles that the JobManager knows or will know. */
    Handles remote() {
        return remote;
    }

    /** The handles for a task that restarts on this TaskManager, if its local disk holds a part. */
    Optional<Handles> backup() {
        return backup;
    }

    /**
     * Checkpoints list the files in the store alone from now on.
     *
     * @return the backup until now
     */
    Optional<Handles> takeBackup() {
        Optional<Handles> taken = backup;
        backup = Optional.empty();
        return taken;
    }

    /** The first position of our log to replay, inclusive. */
    SequenceNumber logStart() {
        return logStart;
    }

    /** The bytes written for this base: less than its size if the snapshot reused files. */
    long bytesWritten() {
        return bytesWritten;
    }

    /** Whether the base was restored and {@link RestoredFiles#cannotBeListed can't be listed}. */
    boolean cannotBeListed() {
        return origin == Origin.UNLISTABLE;
    }

    /** Whether the base was restored and is {@link RestoredFiles#isOfCheckpoint a checkpoint's}. */
    boolean isOfCheckpoint() {
        return origin == Origin.CHECKPOINT_WITHOUT_LOG;
    }

    /**
     * The options of the snapshot that will replace this base.
     *
     * @param options if that snapshot may share files with this base
     */
    CheckpointOptions forNext(CheckpointOptions options) {
        return cannotBeListed() ? sharingNothing(options) : options;
    }

    /** The options of a snapshot to the same place that reuses no file. */
    static CheckpointOptions sharingNothing(CheckpointOptions options) {
        return CheckpointOptions.alignedNoTimeout(
                CheckpointType.FULL_CHECKPOINT, options.getTargetLocation());
    }

    /**
     * Whether a file or a log has key groups beyond the given ones, as after a restore at another
     * parallelism.
     *
     * <p>RocksDB's incremental handles keep the range of the task that wrote them. A later restore
     * that takes other key groups into the same task would trust that range, and find old entries
     * of those key groups that have long been removed.
     *
     * <p>A log is in the checkpoints of all tasks that it was divided among. Flink's own backend
     * restores a task from two of them, after another change of parallelism, by replaying both
     * whole: the log of before the first change, which the second has too, over what followed it in
     * the first.
     */
    boolean reachesBeyond(KeyGroupRange keyGroups) {
        return remote.reachBeyond(keyGroups);
    }

    /**
     * Whether nothing has changed between this base and the given end of our log, exclusive. Not if
     * it has files, and a state was registered since: the delegate may have migrated the state to
     * another schema, which a base is to have soon in each task ({@link RestoredSchemas}).
     *
     * @param hasAllStates whether no state was registered since the snapshot that made this base
     */
    boolean covers(SequenceNumber logEnd, boolean hasAllStates) {
        return remote.logs().isEmpty()
                && logStart.compareTo(logEnd) >= 0
                && (hasAllStates || remote.materialized().isEmpty());
    }

    /**
     * The two parts of a base: handles of the delegate, and of the logs to replay on top of them.
     */
    static final class Handles {
        private final List<KeyedStateHandle> materialized;
        private final List<ChangelogStateHandle> logs;

        /**
         * @param logs replayed in this order
         */
        Handles(List<KeyedStateHandle> materialized, List<ChangelogStateHandle> logs) {
            this.materialized = List.copyOf(materialized);
            this.logs = List.copyOf(logs);
        }

        /**
         * The handles that a restore reads: those of backups on the local disk, if there are any.
         */
        static Handles read(List<ChangelogStateBackendHandle> restored) {
            return new Handles(
                    concat(restored, handle -> handle.getMaterializedStateHandles().stream()),
                    concat(restored, handle -> handle.getNonMaterializedStateHandles().stream()));
        }

        /** The handles that the JobManager knows. Later checkpoints send them to it again. */
        static Handles remote(List<ChangelogStateBackendHandle> restored) {
            return new Handles(
                    concat(
                            restored,
                            handle ->
                                    isLocal(handle)
                                            ? local(handle)
                                                    .getRemoteMaterializedStateHandles()
                                                    .stream()
                                            : handle.getMaterializedStateHandles().stream()),
                    concat(
                            restored,
                            handle ->
                                    isLocal(handle)
                                            ? local(handle)
                                                    .getRemoteNonMaterializedStateHandles()
                                                    .stream()
                                            : handle.getNonMaterializedStateHandles().stream()));
        }

        /**
         * Flink gives no size to the part of a log that it gives to a task. Whether other tasks
         * have parts of it, nothing tells: its range is that of the part.
         */
        private static boolean isPart(ChangelogStateHandle log) {
            return log instanceof ChangelogStateHandleStreamImpl
                    && !((ChangelogStateHandleStreamImpl) log).getHandlesAndOffsets().isEmpty()
                    && log.getStateSize() == 0;
        }

        /** See {@link MaterializedBase#reachesBeyond}. */
        boolean reachBeyond(KeyGroupRange keyGroups) {
            return logs.stream().anyMatch(Handles::isPart)
                    || Stream.concat(materialized.stream(), logs.stream())
                            .map(KeyedStateHandle::getKeyGroupRange)
                            .anyMatch(
                                    range ->
                                            !keyGroups.contains(range.getStartKeyGroup())
                                                    || !keyGroups.contains(range.getEndKeyGroup()));
        }

        static boolean isLocal(ChangelogStateBackendHandle handle) {
            return handle instanceof ChangelogStateBackendLocalHandle;
        }

        private static ChangelogStateBackendLocalHandle local(ChangelogStateBackendHandle handle) {
            return (ChangelogStateBackendLocalHandle) handle;
        }

        private static <T> List<T> concat(
                List<ChangelogStateBackendHandle> handles,
                Function<ChangelogStateBackendHandle, Stream<T>> part) {
            return handles.stream().flatMap(part).collect(Collectors.toList());
        }

        /** The same handles with a log on top, if there is one. */
        Handles with(Optional<ChangelogStateHandle> log) {
            List<ChangelogStateHandle> all = new ArrayList<>(logs);
            log.ifPresent(all::add);
            return new Handles(materialized, all);
        }

        List<KeyedStateHandle> materialized() {
            return materialized;
        }

        List<ChangelogStateHandle> logs() {
            return logs;
        }
    }

    /**
     * A base whose files are still being written, for a checkpoint that waits for them. Later
     * checkpoints start from it as well, as long as one waits: a checkpoint that started from the
     * previous base would complete without these files, and the JobManager would delete them.
     */
    static final class Pending {
        private final MaterializationId id;
        private final SequenceNumber logStart;
        private final CompletableFuture<MaterializedBase> made = new CompletableFuture<>();

        Pending(MaterializationId id, SequenceNumber logStart) {
            this.id = requireNonNull(id);
            this.logStart = requireNonNull(logStart);
        }

        MaterializationId id() {
            return id;
        }

        /** The first position of our log to replay, inclusive. */
        SequenceNumber logStart() {
            return logStart;
        }

        /**
         * Completed by the thread that writes the files; exceptionally if it cannot or must not.
         */
        CompletableFuture<MaterializedBase> made() {
            return made;
        }
    }
}
