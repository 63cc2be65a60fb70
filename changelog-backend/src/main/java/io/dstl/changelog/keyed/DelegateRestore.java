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

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.option.ReplayOptions;
import io.dstl.changelog.replay.AnnouncedLogs;
import io.dstl.changelog.replay.BackgroundReplay;
import io.dstl.changelog.replay.DelegateTarget;
import io.dstl.changelog.replay.EarlyReplay;
import io.dstl.changelog.replay.LogBeginnings;
import io.dstl.changelog.replay.LogReplay;
import io.dstl.changelog.replay.LogSource;
import io.dstl.changelog.replay.ReadAhead;
import io.dstl.changelog.replay.ReplayTarget;
import io.dstl.changelog.replay.Replayed;
import io.dstl.changelog.replay.RestoreProgress;
import io.dstl.materializer.Materialization.MaterializationId;
import io.dstl.store.Closeables;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointBoundKeyedStateHandle;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores a delegate from a checkpoint, with or without a log. The delegate restores the
 * materialized part itself, while the logs are read. The replay then applies the logs on top.
 *
 * <p>Owns the delegate until it hands it out, and disposes of it if the replay fails.
 *
 * <p>Threading: the task thread, before the task runs. A {@link BackgroundReplay} hands its
 * resources over to the replaying thread.
 */
public final class DelegateRestore<K> {
    private static final Logger LOG = LoggerFactory.getLogger(DelegateRestore.class);

    private final StateBackend delegateBackend;
    private final KeyedStateBackendParameters<K> parameters;
    private final boolean leavingChangelog;

    /** Whether the task may run before its log is replayed to the end. */
    private final boolean inBackground;

    /** Ends the replay of the log soon after it is closed. */
    private final CloseableRegistry cancellation = new CloseableRegistry();

    private DelegateRestore(
            StateBackend delegateBackend,
            KeyedStateBackendParameters<K> parameters,
            boolean leavingChangelog) {
        this.delegateBackend = requireNonNull(delegateBackend);
        this.parameters = requireNonNull(parameters);
        this.leavingChangelog = leavingChangelog;
        this.inBackground = !leavingChangelog && ReplayOptions.isInBackground(parameters.getEnv());
    }

    /** Restores a delegate that stays under a changelog. */
    static <K> DelegateRestore<K> keepingChangelog(
            StateBackend delegateBackend, KeyedStateBackendParameters<K> parameters) {
        return new DelegateRestore<>(delegateBackend, parameters, false);
    }

    /**
     * Restores a delegate that goes on without a changelog. Its snapshots then carry checkpoint
     * ids, not materialization ids. So the restored handles get the id of their checkpoint:
     * otherwise the delegate would take newer checkpoints for older ones (FLINK-32908).
     */
    public static <K> DelegateRestore<K> leavingChangelog(
            StateBackend delegateBackend, KeyedStateBackendParameters<K> parameters) {
        return new DelegateRestore<>(delegateBackend, parameters, true);
    }

    public RestoredDelegate<K> restore() throws Exception {
        List<ChangelogStateBackendHandle> handles =
                parameters.getStateHandles().stream()
                        .filter(Objects::nonNull)
                        .map(this::asChangelogHandle)
                        .collect(Collectors.toList());
        RestoredRanges.check(
                handles, parameters.getKeyGroupRange(), parameters.getOperatorIdentifier());
        if (handles.stream().anyMatch(MaterializedBase.Handles::isLocal)) {
            LOG.info("Restoring {} from the local disk", parameters.getOperatorIdentifier());
        }
        RestoreProgress progress = new RestoreProgress(SystemScheduler.clock());
        Owned owned = new Owned();
        // Not the restore's own registry: Flink closes that as soon as the backend exists.
        parameters.getCancelStreamRegistry().registerCloseable(cancellation);
        try {
            RestoreWatch watch = owned.add(watch(progress));
            TaskLogSource logs = owned.add(new TaskLogSource(parameters.getEnv()));
            RestoredDelegate<K> restored =
                    EarlyReplay.suits(delegateBackend, handles, bulkSettings())
                            ? restoreBeside(handles, logs, progress, watch, owned)
                            : restoreBefore(
                                    handles, bulkSettings(), readAhead(logs, progress), progress);
            if (!restored.background().isPresent()) {
                watch.succeeded();
                owned.close();
            }
            return restored;
        } catch (Throwable t) {
            endAfter(t, owned::close);
            throw t;
        } finally {
            parameters.getCancelStreamRegistry().unregisterCloseable(cancellation);
        }
    }

    private RestoreWatch watch(RestoreProgress progress) {
        return RestoreWatch.begin(
                parameters.getOperatorIdentifier(),
                progress,
                parameters.getMetricGroup(),
                SystemScheduler.shared(),
                SystemScheduler.restoreTurns());
    }

    /** Restores the materialized part first, and reads the log ahead meanwhile. */
    private RestoredDelegate<K> restoreBefore(
            List<ChangelogStateBackendHandle> handles,
            BulkSettings settings,
            ReadAhead readAhead,
            RestoreProgress progress)
            throws Exception {
        // Begins before the delegate downloads its files, so that both downloads run at once.
        try (AnnouncedLogs announced = announce(handles, readAhead)) {
            AbstractKeyedStateBackend<K> delegate = restoreBase(handles, progress);
            try (BulkReplay bulk = bulkReplay(settings)) {
                DelegateTarget<K> target = new DelegateTarget<>(delegate, bulk);
                return replay(delegate, handles, target, bulk, announced, readAhead);
            } catch (Throwable t) {
                endAfter(t, delegate::dispose);
                throw t;
            }
        }
    }

    /** Replays the log while the delegate restores the materialized part, if there is heap. */
    private RestoredDelegate<K> restoreBeside(
            List<ChangelogStateBackendHandle> handles,
            LogSource logs,
            RestoreProgress progress,
            RestoreWatch watch,
            Owned owned)
            throws Exception {
        Optional<AutoCloseable> admitted = BulkReplay.admit(ReadAhead.MAX_BYTES);
        if (!admitted.isPresent()) {
            LOG.info(
                    "The log of {} is replayed one by one: other restores have all the heap that"
                            + " replays in bulk may take",
                    parameters.getOperatorIdentifier());
            ReadAhead sparing = ReadAhead.sparing(logs, cancellation, progress);
            return restoreBefore(handles, BulkSettings.off(), sparing, progress);
        }
        owned.add(admitted.get());
        BulkReplay bulk = owned.add(bulkReplay(bulkSettings()));
        Optional<BackgroundLoad.Admission> admittedBeside = admitBeside(handles, owned);
        boolean mayRunBeside = admittedBeside.isPresent();
        // If the rest can wait for the base, reads only the first part: it describes the states.
        ReadAhead readAhead =
                mayRunBeside
                        ? ReadAhead.holdingBack(logs, cancellation, progress)
                        : readAhead(logs, progress);
        AnnouncedLogs announced = owned.add(announce(handles, readAhead));
        AbstractKeyedStateBackend<K> delegate = null;
        Optional<LogBeginnings> beside =
                mayRunBeside ? Optional.of(beginnings(handles, owned)) : Optional.empty();
        EarlyReplay<K> early = beginReplay(readAhead, announced, beside);
        try {
            // Else it begins when the base is restored.
            if (!mayRunBeside) {
                progress.replayBegins();
            }
            delegate = restoreBase(handles, progress);
            DelegateTarget<K> target = new DelegateTarget<>(delegate, bulk);
            try {
                if (!early.finish(target)) {
                    LOG.info(
                            "{} goes on while the rest of its log is replayed, and waits for that"
                                    + " before it uses its state: {}",
                            parameters.getOperatorIdentifier(),
                            progress);
                    admittedBeside.ifPresent(BackgroundLoad.Admission::taskRuns);
                    return goOnBeside(
                            new RestInBackground(early, bulk, watch, owned),
                            delegate,
                            handles,
                            target);
                }
                early.close();
                return restored(delegate, handles, target, early.replayed(bulk));
            } catch (ReplayTarget.ReplayAgainException e) {
                LOG.info(
                        "Replaying the log of {} again, without what was taken in early: {}",
                        parameters.getOperatorIdentifier(),
                        e.getMessage());
            }
            early.close();
            announced.close();
            progress.replayAgain();
            ReadAhead again = readAhead(logs, progress);
            try (AnnouncedLogs announcedAgain = announce(handles, again)) {
                // The same target: it has registered states, and knows their schemas.
                return replay(delegate, handles, target, bulk, announcedAgain, again);
            }
        } catch (Throwable t) {
            endAfter(t, early::close);
            endAfter(t, bulk::close);
            if (delegate != null) {
                endAfter(t, delegate::dispose);
            }
            throw t;
        }
    }

    private Optional<BackgroundLoad.Admission> admitBeside(
            List<ChangelogStateBackendHandle> handles, Owned owned) {
        if (!inBackground || !BackgroundReplay.suits(handles)) {
            return Optional.empty();
        }
        Optional<BackgroundLoad.Admission> admitted =
                SystemScheduler.backgroundLoad()
                        .admit(
                                parameters,
                                handles,
                                SystemScheduler.replayRate(),
                                cancellation::isClosed);
        admitted.ifPresent(owned::add);
        return admitted;
    }

    /** Lets the task run while the rest of the log is replayed. */
    private RestoredDelegate<K> goOnBeside(
            RestInBackground rest,
            AbstractKeyedStateBackend<K> delegate,
            List<ChangelogStateBackendHandle> handles,
            DelegateTarget<K> target) {
        return new RestoredDelegate<>(
                delegate,
                target.leftovers(),
                lastId(handles),
                handles,
                rest.oneByOne::get,
                Optional.of(new BackgroundReplay(rest.early, cancellation, rest::over)));
    }

    /** They are read by another thread than the logs, so from a source of their own. */
    private LogBeginnings beginnings(List<ChangelogStateBackendHandle> handles, Owned owned) {
        return new LogBeginnings(
                parameters.getOperatorIdentifier(),
                handles,
                owned.add(new TaskLogSource(parameters.getEnv())),
                parameters.getEnv().getUserCodeClassLoader().asClassLoader(),
                cancellation);
    }

    private ReadAhead readAhead(LogSource logs, RestoreProgress progress) {
        return new ReadAhead(logs, cancellation, progress);
    }

    private AnnouncedLogs announce(List<ChangelogStateBackendHandle> handles, LogSource source) {
        return AnnouncedLogs.of(handles, parameters.getKeyGroupRange(), source);
    }

    private EarlyReplay<K> beginReplay(
            LogSource source, AnnouncedLogs announced, Optional<LogBeginnings> beside) {
        return EarlyReplay.begin(
                delegateBackend,
                parameters.getKeySerializer().duplicate(),
                parameters.getNumberOfKeyGroups(),
                bulkReplay(bulkSettings().early()),
                newSpill(),
                target -> replayInto(target, source),
                announced,
                beside);
    }

    private RestoredDelegate<K> replay(
            AbstractKeyedStateBackend<K> delegate,
            List<ChangelogStateBackendHandle> handles,
            DelegateTarget<K> target,
            BulkReplay bulk,
            AnnouncedLogs announced,
            LogSource source)
            throws Exception {
        LogReplay replay = replayInto(target, source);
        replay.replay(announced);
        return restored(
                delegate,
                handles,
                target,
                new Replayed(replay.changes(), replay.workMillis(), bulk.tally(), bulk.leftOut()));
    }

    private RestoredDelegate<K> restored(
            AbstractKeyedStateBackend<K> delegate,
            List<ChangelogStateBackendHandle> handles,
            DelegateTarget<K> target,
            Replayed replayed) {
        if (leavingChangelog) {
            // The delegate is alone from here on, so it has to know all states itself.
            target.leftovers().settleQueues(Set.of());
        }
        tell(replayed);
        return new RestoredDelegate<>(
                delegate,
                target.leftovers(),
                lastId(handles),
                handles,
                replayed::oneByOne,
                Optional.empty());
    }

    private void tell(Replayed replayed) {
        if (replayed.changes() > 0) {
            LOG.info("Restored {}: {}", parameters.getOperatorIdentifier(), replayed);
        }
    }

    /** Runs {@code end}, and adds its failure to the earlier one as suppressed. */
    static void endAfter(Throwable failure, ThrowingRunnable<Exception> end) {
        try {
            end.run();
        } catch (Throwable suppressed) {
            Closeables.firstOf(failure, suppressed);
        }
    }

    private ChangelogStateBackendHandle asChangelogHandle(KeyedStateHandle handle) {
        ChangelogStateBackendHandle changelog =
                RestoredFiles.isNativeSavepoint(handle)
                        ? asItIs((IncrementalRemoteKeyedStateHandle) handle)
                        : ChangelogStateBackendHandleImpl.getChangelogStateBackendHandle(handle);
        return leavingChangelog ? changelog.rebound(changelog.getCheckpointId()) : changelog;
    }

    /** Flink's conversion would make the paths absolute, which hides that this is a savepoint. */
    private static ChangelogStateBackendHandle asItIs(IncrementalRemoteKeyedStateHandle savepoint) {
        return new ChangelogStateBackendHandleImpl(
                List.of(savepoint),
                List.of(),
                savepoint.getKeyGroupRange(),
                savepoint.getCheckpointId(),
                savepoint.getCheckpointId(),
                0);
    }

    private AbstractKeyedStateBackend<K> restoreBase(
            List<ChangelogStateBackendHandle> handles, RestoreProgress progress) throws Exception {
        return new BaseRestore<>(delegateBackend, parameters, cancellation)
                .restore(MaterializedBase.Handles.read(handles).materialized(), progress);
    }

    private BulkSettings bulkSettings() {
        return ReplayOptions.bulk(parameters.getEnv());
    }

    private DelegateSupport.Spill newSpill() {
        DelegateSupport support = DelegateSupport.get();
        return support.newSpill(
                support.disk(delegateBackend, parameters.getEnv()), Cancellation.of(cancellation));
    }

    private BulkReplay bulkReplay(BulkSettings settings) {
        return new BulkReplay(
                settings, parameters.getKeyGroupRange(), cancellation, SystemScheduler.clock());
    }

    private LogReplay replayInto(ReplayTarget target, LogSource logs) {
        return new LogReplay(
                target,
                logs,
                parameters.getEnv().getUserCodeClassLoader().asClassLoader(),
                cancellation,
                SystemScheduler.clock(),
                SystemScheduler.replayRate());
    }

    /** The highest id that the delegate may have seen; new ids continue above it. */
    private static MaterializationId lastId(List<ChangelogStateBackendHandle> handles) {
        long highest = 0;
        for (ChangelogStateBackendHandle handle : handles) {
            highest = Math.max(highest, handle.getMaterializationID());
            for (KeyedStateHandle materialized : handle.getMaterializedStateHandles()) {
                if (materialized instanceof CheckpointBoundKeyedStateHandle) {
                    long id = ((CheckpointBoundKeyedStateHandle) materialized).getCheckpointId();
                    highest = Math.max(highest, id);
                }
            }
        }
        return new MaterializationId(highest);
    }

    /** The resources of one restore, closed at its end or at the end of its background replay. */
    private static final class Owned implements AutoCloseable {
        private final Deque<ThrowingRunnable<Exception>> resources = new ArrayDeque<>();

        <C extends AutoCloseable> C add(C resource) {
            resources.push(resource::close);
            return resource;
        }

        /** Closes the resources, the last one first. A second call does nothing. */
        @Override
        public void close() throws Exception {
            List<ThrowingRunnable<Exception>> last = new ArrayList<>(resources);
            resources.clear();
            Closeables.closeAll(last);
        }
    }

    /** The rest of a replay, while the task runs. Used by the thread that replays. */
    private final class RestInBackground {
        private final EarlyReplay<K> early;
        private final BulkReplay bulk;
        private final RestoreWatch watch;
        private final Owned owned;
        private final AtomicLong oneByOne = new AtomicLong();

        RestInBackground(EarlyReplay<K> early, BulkReplay bulk, RestoreWatch watch, Owned owned) {
            this.early = early;
            this.bulk = bulk;
            this.watch = watch;
            this.owned = owned;
        }

        void over(Optional<Throwable> failure) throws Exception {
            failure.ifPresent(this::fail);
            try (Owned all = owned) {
                if (failure.isEmpty()) {
                    Replayed replayed = early.replayed(bulk);
                    tell(replayed);
                    oneByOne.set(replayed.oneByOne());
                    watch.succeeded();
                }
            } catch (Throwable t) {
                fail(t);
                throw t;
            }
        }

        private void fail(Throwable cause) {
            if (!cancellation.isClosed()) {
                parameters.getEnv().failExternally(cause);
            }
        }
    }
}
