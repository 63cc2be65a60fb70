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

import io.dstl.changelog.option.JobReport;
import io.dstl.fs.DstlStorage;
import io.dstl.fs.DstlStorageFactory;
import io.dstl.fs.backup.LogBackup;
import io.dstl.fs.log.InFlightLimit.WaitListener;
import io.dstl.store.FileUploads;
import java.io.File;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.metrics.TimerGauge;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.LocalSnapshotDirectoryProvider;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changelog storage that Flink gives to a task: ours or another one. Another one does not learn
 * of a restore and keeps no backups, as only ours can do that.
 *
 * <p>Threading: the task thread.
 */
final class TaskStorage {
    /**
     * The directory lies below the one that Flink keeps, and deletes, for a subtask's local state.
     */
    private static final String BACKUP_DIRECTORY = "dstl";

    private static final Logger LOG = LoggerFactory.getLogger(TaskStorage.class);
    private static final AtomicBoolean WARNED_OF_TWO = new AtomicBoolean();

    private final Environment env;
    private final StateChangelogStorage<?> storage;

    private TaskStorage(Environment env, StateChangelogStorage<?> storage) {
        this.env = requireNonNull(env);
        this.storage = requireNonNull(storage);
    }

    /**
     * @throws IllegalStateException if none is configured
     * @throws IllegalConfigurationException if it cannot work as it is configured
     */
    static TaskStorage of(Environment env) {
        StateChangelogStorage<?> ofJob = env.getTaskStateManager().getStateChangelogStorage();
        if (ofJob == null) {
            throw new IllegalStateException(
                    StateChangelogOptions.STATE_CHANGE_LOG_STORAGE.key()
                            + " is "
                            + env.getTaskManagerInfo()
                                    .getConfiguration()
                                    .get(StateChangelogOptions.STATE_CHANGE_LOG_STORAGE)
                            + ": no changelog storage of this name on this TaskManager, which a"
                            + " backend with "
                            + StateChangelogOptions.ENABLE_STATE_CHANGE_LOG.key()
                            + ": true needs. Set it to filesystem, and see that the jar of the"
                            + " changelog is in lib/ of every TaskManager.");
        }
        StateChangelogStorage<?> storage = DstlStorageFactory.open(ofJob);
        if (isOfPlugin(storage) && WARNED_OF_TWO.compareAndSet(false, true)) {
            LOG.warn(
                    "dstl's log is taken from plugins/, beside the dstl in lib/: local recovery of"
                            + " the log, replay in bulk and in the background, and direct storage"
                            + " of materializations are off. Take it out of plugins/ on every"
                            + " machine, and restart the processes");
        }
        return new TaskStorage(env, storage);
    }

    /** Whether it is dstl's, of a jar in {@code plugins/}, so with classes of its own. */
    private static boolean isOfPlugin(StateChangelogStorage<?> storage) {
        return !(storage instanceof DstlStorage)
                && storage.getClass().getName().startsWith(DstlStorage.class.getPackageName());
    }

    /** The backup of the task's log, if the task has local backups of its state. */
    LogBackup openBackup() {
        LocalRecoveryConfig local = env.getTaskStateManager().createLocalRecoveryConfig();
        if (!(storage instanceof DstlStorage) || !local.isLocalBackupEnabled()) {
            return LogBackup.NONE;
        }
        File subtask =
                subtaskDirectory(
                        local.getLocalStateDirectoryProvider()
                                .orElseThrow(LocalRecoveryConfig.localRecoveryNotEnabled()));
        return ((DstlStorage) storage).backups().open(subtask.toPath().resolve(BACKUP_DIRECTORY));
    }

    /** The way around Flink's file system for the task's files, if the storage has one. */
    Optional<FileUploads> files() {
        return storage instanceof DstlStorage ? ((DstlStorage) storage).files() : Optional.empty();
    }

    /** Each attempt gets the same disk. */
    private File subtaskDirectory(LocalSnapshotDirectoryProvider disks) {
        int subtask = env.getTaskInfo().getIndexOfThisSubtask();
        return disks.selectSubtaskBaseDirectory(subtask % disks.allocationBaseDirsCount());
    }

    /**
     * Reports on the job's options once the storage has accepted its own; a refusal says why.
     *
     * @param backup closed with the writer
     */
    StateChangelogWriter<? extends ChangelogStateHandle> createWriter(
            String operatorId, KeyGroupRange keyGroups, LogBackup backup) {
        StateChangelogWriter<? extends ChangelogStateHandle> writer =
                storage instanceof DstlStorage
                        ? ((DstlStorage) storage)
                                .createLog(
                                        operatorId,
                                        keyGroups,
                                        backup,
                                        new BackPressure(env),
                                        restoredFrom())
                        : storage.createWriter(
                                operatorId,
                                keyGroups,
                                // Without one, dstl's knows that its own backend asks for a log.
                                isOfPlugin(storage) ? null : env.getMainMailboxExecutor());
        try {
            JobReport.giveOnce(env, storage);
        } catch (Throwable t) {
            DelegateRestore.endAfter(t, writer::close);
            throw t;
        }
        return writer;
    }

    /** Empty for a job that starts from scratch. */
    private OptionalLong restoredFrom() {
        return env.getTaskStateManager()
                .getRestoreCheckpointId()
                .map(OptionalLong::of)
                .orElseGet(OptionalLong::empty);
    }

    @Override
    public String toString() {
        return storage.toString();
    }

    /**
     * Shows a task whose thread waits for the store as back-pressured and not busy, as Flink shows
     * one that waits for buffers.
     */
    private static final class BackPressure implements WaitListener {
        private final TimerGauge time;

        BackPressure(Environment env) {
            this.time = env.getMetricGroup().getIOMetricGroup().getHardBackPressuredTimePerSecond();
        }

        @Override
        public void begins() {
            time.markStart();
        }

        @Override
        public void ends() {
            time.markEnd();
        }
    }
}
