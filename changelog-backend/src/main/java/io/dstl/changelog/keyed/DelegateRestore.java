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
import io.dstl.changelog.bulk.BulkTally;
import io.dstl.changelog.option.ReplayOptions;
import io.dstl.changelog.replay.AnnouncedLogs;
import io.dstl.changelog.replay.DelegateTarget;
import io.dstl.changelog.replay.LogReplay;
import io.dstl.changelog.replay.LogSource;
import io.dstl.changelog.replay.ReadAhead;
import io.dstl.changelog.replay.RestoreProgress;
import io.dstl.materializer.MaterializationId;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointBoundKeyedStateHandle;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a delegate up to a checkpoint: the materialized part is restored by the delegate itself,
 * then the logs, which are read meanwhile, are replayed on top of it. Takes checkpoints with and
 * without a log alike.
 *
 * <p>Owns the delegate until it has been handed out: when replay fails, the delegate is disposed
 * of.
 *
 * <p>Threading: the task thread, before the task runs.
 */
public final class DelegateRestore<K> {

    private static final Logger LOG = LoggerFactory.getLogger(DelegateRestore.class);

    private final StateBackend delegateBackend;
    private final KeyedStateBackendParameters<K> parameters;
    private final boolean leavingChangelog;

    private DelegateRestore(
            StateBackend delegateBackend,
            KeyedStateBackendParameters<K> parameters,
            boolean leavingChangelog) {
        this.delegateBackend = requireNonNull(delegateBackend);
        this.parameters = requireNonNull(parameters);
        this.leavingChangelog = leavingChangelog;
    }

    /** For a delegate that goes on under a changelog. */
    static <K> DelegateRestore<K> keepingChangelog(
            StateBackend delegateBackend, KeyedStateBackendParameters<K> parameters) {
        return new DelegateRestore<>(delegateBackend, parameters, false);
    }

    /**
     * For a delegate that goes on alone. Its snapshots will be numbered by checkpoint ids instead
     * of materialization ids, so the handles it restores from are bound to the checkpoint's id:
     * otherwise it would hold newer checkpoints for older ones (FLINK-32908).
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
        BaseRanges.check(
                handles, parameters.getKeyGroupRange(), parameters.getOperatorIdentifier());
        if (handles.stream().anyMatch(BaseHandles::isLocal)) {
            LOG.info(
                    "Restoring {} from backups on the local disk",
                    parameters.getOperatorIdentifier());
        }
        RestoreProgress progress = new RestoreProgress(SystemScheduler.clock());
        try (RestoreWatch watch =
                        RestoreWatch.begin(
                                parameters.getOperatorIdentifier(),
                                progress,
                                parameters.getMetricGroup(),
                                SystemScheduler.shared());
                TaskLogSource logs = new TaskLogSource(parameters.getEnv())) {
            ReadAhead readAhead =
                    new ReadAhead(logs, parameters.getCancelStreamRegistry(), progress);
            // Before the delegate's files are downloaded, so that both are under way at once.
            try (AnnouncedLogs announced =
                    AnnouncedLogs.of(handles, parameters.getKeyGroupRange(), readAhead)) {
                AbstractKeyedStateBackend<K> delegate =
                        createDelegate(BaseHandles.read(handles).materialized());
                progress.baseRestored();
                RestoredDelegate<K> restored = replay(delegate, handles, announced, readAhead);
                watch.succeeded();
                return restored;
            }
        }
    }

    /** Disposes of the delegate if it fails. */
    private RestoredDelegate<K> replay(
            AbstractKeyedStateBackend<K> delegate,
            List<ChangelogStateBackendHandle> handles,
            AnnouncedLogs announced,
            LogSource source)
            throws Exception {
        try (BulkReplay bulk = bulkReplay()) {
            DelegateTarget<K> target = new DelegateTarget<>(delegate, bulk);
            long begin = SystemScheduler.clock().relativeTimeMillis();
            LogReplay replay = replayInto(target, source);
            replay.replay(announced);
            long oneByOne = replay.changes() - bulk.tally().changes();
            if (replay.changes() > 0) {
                report(
                        replay.changes(),
                        bulk,
                        SystemScheduler.clock().relativeTimeMillis() - begin);
            }
            return new RestoredDelegate<>(
                    delegate, target.restored(), lastId(handles), handles, oneByOne);
        } catch (Throwable t) {
            disposeAfter(t, delegate);
            throw t;
        }
    }

    /** What disposing fails with is told by the failure that led to it. */
    static void disposeAfter(Throwable failure, AbstractKeyedStateBackend<?> delegate) {
        try {
            delegate.dispose();
        } catch (Throwable suppressed) {
            ExceptionUtils.firstOrSuppressed(suppressed, failure);
        }
    }

    private ChangelogStateBackendHandle asChangelogHandle(KeyedStateHandle handle) {
        ChangelogStateBackendHandle changelog =
                ChangelogStateBackendHandleImpl.getChangelogStateBackendHandle(handle);
        return leavingChangelog ? changelog.rebound(changelog.getCheckpointId()) : changelog;
    }

    private AbstractKeyedStateBackend<K> createDelegate(List<KeyedStateHandle> materialized)
            throws Exception {
        CheckpointableKeyedStateBackend<K> delegate =
                delegateBackend.createKeyedStateBackend(
                        new KeyedStateBackendParametersImpl<>(parameters)
                                .setStateHandles(materialized));
        if (delegate instanceof AbstractKeyedStateBackend) {
            return (AbstractKeyedStateBackend<K>) delegate;
        }
        delegate.dispose();
        throw new IllegalStateException(
                "state.backend.type: the keyed state backend "
                        + delegate.getClass().getName()
                        + " cannot be used with state.changelog.enabled: true, as it is not an"
                        + " AbstractKeyedStateBackend. Use rocksdb or hashmap, or disable the"
                        + " changelog.");
    }

    private void report(long changes, BulkReplay bulk, long millis) {
        BulkTally tally = bulk.tally();
        LOG.info(
                "Restored {}: {} changes in {} ms, {} a second. {} were replayed in bulk, as {} keys"
                        + " in {} parts, which took {} ms to sort and {} ms to write, over all"
                        + " threads; {} one by one: {}",
                parameters.getOperatorIdentifier(),
                changes,
                millis,
                1000 * changes / Math.max(1, millis),
                tally.changes(),
                tally.survivors(),
                tally.tables(),
                tally.sortMillis(),
                tally.writeMillis(),
                changes - tally.changes(),
                bulk.leftOut());
    }

    private BulkReplay bulkReplay() {
        return new BulkReplay(
                ReplayOptions.bulk(parameters.getEnv()),
                parameters.getKeyGroupRange(),
                parameters.getCancelStreamRegistry(),
                SystemScheduler.clock());
    }

    private LogReplay replayInto(DelegateTarget<K> target, LogSource logs) {
        return new LogReplay(
                target,
                logs,
                parameters.getEnv().getUserCodeClassLoader().asClassLoader(),
                parameters.getCancelStreamRegistry(),
                SystemScheduler.clock(),
                SystemScheduler.replayRate());
    }

    /** The highest id that the delegate may have seen, so that ours continue above it. */
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
}
