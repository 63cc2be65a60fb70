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
package io.dstl.fs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.arena.Arena;
import io.dstl.fs.backup.BackupDirectories;
import io.dstl.fs.backup.LogBackup;
import io.dstl.fs.log.InFlightLimit.WaitListener;
import io.dstl.fs.log.SegmentedChangeLog;
import io.dstl.fs.option.DstlSettings;
import io.dstl.fs.read.ChangeReader;
import io.dstl.fs.read.UncachedSource;
import io.dstl.registry.WriterId;
import io.dstl.store.Closeables;
import io.dstl.store.FileUploads;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.runtime.io.AvailabilityProvider;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogHandleReader;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.util.function.ThrowingRunnable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The storage of one job on one TaskManager, shared by its tasks, so that their changes can share
 * segments. A facade: the stages are in the packages below.
 *
 * <p><b>Threading.</b> Any thread.
 *
 * <p><b>Lifecycle.</b> Lives across restarts of the job, until the job leaves the TaskManager,
 * which then closes it and must not be kept waiting.
 */
public final class DstlStorage implements StateChangelogStorage<ChangelogStateHandleStreamImpl> {

    private static final Logger LOG = LoggerFactory.getLogger(DstlStorage.class);

    private final DstlSettings settings;
    private final StorageParts parts;
    private final StartReport report;
    private final boolean recoversLocally;

    @GuardedBy("this")
    private final List<SegmentedChangeLog> logs = new ArrayList<>();

    @GuardedBy("this")
    private long writersCreated;

    @GuardedBy("this")
    private boolean closed;

    DstlStorage(
            DstlSettings settings,
            StorageParts parts,
            StartReport report,
            boolean recoversLocally) {
        this.settings = settings;
        this.parts = parts;
        this.report = report;
        this.recoversLocally = recoversLocally;
    }

    /**
     * For backends other than dstl's, whose logs have no local backups. Flink's own would list what
     * it materialized as local state all the same, and restore that without the log.
     *
     * @param mailbox not used, as the uploading thread completes results. Null if a dstl backend of
     *     another jar asks: it keeps no local state then
     * @throws IllegalConfigurationException if the TaskManager recovers or backs up state locally
     */
    @Override
    public SegmentedChangeLog createWriter(
            String operatorId, KeyGroupRange keyGroups, @Nullable MailboxExecutor mailbox) {
        if (recoversLocally && mailbox != null) {
            throw new IllegalConfigurationException(
                    StateRecoveryOptions.LOCAL_RECOVERY.key()
                            + " or "
                            + CheckpointingOptions.LOCAL_BACKUP_ENABLED.key()
                            + " is true on this TaskManager. With Flink's own changelog backend on"
                            + " dstl's log, a task that recovers locally would lose all changes"
                            + " since its last materialization. Set both to false in the"
                            + " configuration of the TaskManagers, as Flink reads them there"
                            + " only, and restart them. Or put the full jar of dstl into lib/ and"
                            + " take dstl out of plugins/: its own backend recovers the log"
                            + " locally, too");
        }
        return createLog(
                operatorId, keyGroups, LogBackup.NONE, WaitListener.NONE, OptionalLong.empty());
    }

    /**
     * Creates a log that keeps backups beside its segments.
     *
     * @param backup closed with the log
     * @param waits is notified when the task thread waits for room
     * @param restoredFrom the checkpoint that its task was restored from: it has completed,
     *     whatever was reported of it, and the JobManager owns what it lists
     */
    public synchronized SegmentedChangeLog createLog(
            String operatorId,
            KeyGroupRange keyGroups,
            LogBackup backup,
            WaitListener waits,
            OptionalLong restoredFrom) {
        if (closed) {
            throw new IllegalStateException(
                    "The storage is closed: the job has left this TaskManager");
        }
        report.giveOnce();
        logs.removeIf(SegmentedChangeLog::isClosed);
        WriterId writer = new WriterId(operatorId + '#' + ++writersCreated);
        SegmentedChangeLog log =
                new SegmentedChangeLog(
                        writer,
                        keyGroups,
                        new Arena(parts.chunks, keyGroups, settings.compacted()),
                        settings.batch().preemptiveThresholdBytes(),
                        parts.logServices.forLog(backup, waits));
        logs.add(log);
        restoredFrom.ifPresent(id -> parts.registry.restored(writer, id));
        return log;
    }

    /** The directories for backups of logs. */
    public BackupDirectories backups() {
        return parts.backups;
    }

    /** Stores files without Flink's file systems, where the log is stored without them. */
    public Optional<FileUploads> files() {
        return parts.place.files(parts.lateFiles);
    }

    @Override
    public AvailabilityProvider getAvailabilityProvider() {
        return parts.inFlight;
    }

    @Override
    public StateChangelogHandleReader<ChangelogStateHandleStreamImpl> createReader() {
        return new ChangeReader(new UncachedSource(parts.puts), parts.redaction);
    }

    /** Closing again has no effect, even if the first call has thrown: all is closed then. */
    @Override
    public void close() {
        List<ThrowingRunnable<RuntimeException>> steps = new ArrayList<>();
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            logs.forEach(log -> steps.add(log::giveUp));
            logs.clear();
        }
        steps.add(parts::close);
        Closeables.closeAll(steps);
        LOG.debug("Closed the changelog storage under {}", settings.basePath());
    }

    @Override
    public String toString() {
        return "filesystem at " + settings.basePath();
    }

    /**
     * Logs once, when a job's first log is opened, where changes are stored, and which options lack
     * the effect they seem to have. Logs nothing for a job without a changelog. Any thread.
     */
    static final class StartReport {

        private static final Logger LOG = LoggerFactory.getLogger(StartReport.class);

        private final JobID job;
        private final DstlSettings settings;
        private final StorePlace place;
        private final AtomicBoolean given = new AtomicBoolean();

        StartReport(JobID job, DstlSettings settings, StorePlace place) {
            this.job = job;
            this.settings = settings;
            this.place = place;
        }

        void giveOnce() {
            if (given.compareAndSet(false, true)) {
                LOG.info("dstl stores the changelog of job {}: {}", job, settings);
                LOG.info("Segments of job {} are stored by {}", job, place);
                settings.warnings().forEach(warning -> LOG.warn("Job {}: {}", job, warning));
            }
        }
    }
}
