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

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.option.ReplayOptions;
import io.dstl.changelog.record.BytesAppender;
import io.dstl.changelog.record.ChangeRecorder;
import io.dstl.changelog.replay.BackgroundReplay;
import io.dstl.fs.InstalledJars;
import io.dstl.fs.backup.LogBackup;
import io.dstl.fs.log.ChangeAppender;
import io.dstl.fs.log.SegmentedChangeLog;
import io.dstl.materializer.HostTask;
import io.dstl.materializer.LogLimit;
import io.dstl.materializer.Materialization.MaterializationId;
import io.dstl.materializer.MaterializationMetrics;
import io.dstl.materializer.MaterializationPolicy;
import io.dstl.materializer.MaterializationSettings;
import io.dstl.materializer.Materializer;
import io.dstl.materializer.StallWatch;
import io.dstl.materializer.UploadLane;
import io.dstl.registry.DeletionSchedule;
import io.dstl.secret.Redaction;
import io.dstl.store.FileUploads;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;
import org.apache.flink.util.TemporaryClassLoaderContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds a {@link LoggedKeyedStateBackend}: restores the delegate, opens its log, wires the parts,
 * starts materialization.
 *
 * <p>Owns what it has created until {@link #build()} returns, and closes all of it on failure.
 *
 * <p>Threading: the task thread.
 */
public final class LoggedKeyedStateBackendBuilder<K> {
    private static final Logger LOG = LoggerFactory.getLogger(LoggedKeyedStateBackendBuilder.class);

    /** The longest pause of a replay while the task opens its operators. */
    private static final Duration LONGEST_REST = Duration.ofSeconds(1);

    /** More than an attempt uses without a completed checkpoint that has one of them. */
    private static final long IDS_OF_AN_ATTEMPT = 1_000_000;

    private final StateBackend delegateBackend;
    private final KeyedStateBackendParameters<K> parameters;
    private final Environment env;
    private final MaterializationSettings settings;

    private final LogLimit limit;

    private Consumer<Runnable> afterLongestRest =
            goOn ->
                    SystemScheduler.shared()
                            .schedule(goOn, LONGEST_REST.toMillis(), TimeUnit.MILLISECONDS);

    private MaterializationPolicy policy;
    private UploadLane uploads;
    private Executor deletions;
    private Supplier<StallWatch> stallWatches = SystemScheduler::stallWatch;
    private ScheduledExecutorService deadlines = SystemScheduler.shared();
    private SnapshotPreparation.Pause compactionPause = SystemScheduler::pause;

    public LoggedKeyedStateBackendBuilder(
            StateBackend delegateBackend, KeyedStateBackendParameters<K> parameters) {
        this.delegateBackend = requireNonNull(delegateBackend);
        this.parameters = requireNonNull(parameters);
        this.env = parameters.getEnv();
        this.settings =
                MaterializationSettings.of(env.getExecutionConfig(), env.getJobConfiguration());
        this.limit = settings.limit(SystemScheduler.replayRate());
        this.policy =
                settings.policy(
                        limit,
                        SystemScheduler.shared(),
                        SystemScheduler.uniform(),
                        SystemScheduler.clock()::relativeTimeMillis);
        this.uploads = SystemScheduler.uploads(env.getJobID());
        this.deletions = SystemScheduler.deletions(env.getJobID());
    }

    /**
     * Materializes when this policy says, on this executor, without pauses for compactions, and
     * lets a replay pause until the first mail; for tests.
     */
    LoggedKeyedStateBackendBuilder<K> with(MaterializationPolicy otherPolicy, Executor background) {
        policy = requireNonNull(otherPolicy);
        deletions = requireNonNull(background);
        afterLongestRest = goOn -> {};
        compactionPause = () -> {};
        uploads =
                upload -> {
                    FutureTask<?> work = new FutureTask<>(upload, null);
                    background.execute(work);
                    return () -> work.cancel(true);
                };
        return this;
    }

    /**
     * Detects hanging uploads with these watches, and late checkpoints by this timer; for tests.
     */
    LoggedKeyedStateBackendBuilder<K> with(
            Supplier<StallWatch> otherWatches, ScheduledExecutorService timer) {
        stallWatches = requireNonNull(otherWatches);
        deadlines = requireNonNull(timer);
        return this;
    }

    /**
     * @throws IllegalStateException if no changelog storage is configured, or the delegate cannot
     *     be wrapped
     * @throws Exception if the state cannot be restored
     */
    public LoggedKeyedStateBackend<K> build() throws Exception {
        TaskStorage storage = TaskStorage.of(env);
        LogBackup backup = storage.openBackup();
        try {
            return withLog(storage, backup);
        } catch (Throwable t) {
            backup.close();
            throw t;
        }
    }

    private LoggedKeyedStateBackend<K> withLog(TaskStorage storage, LogBackup backup)
            throws Exception {
        // Before the restore, which may take long: the storage refuses options that cannot work.
        StateChangelogWriter<? extends ChangelogStateHandle> writer =
                storage.createWriter(
                        parameters.getOperatorIdentifier(), parameters.getKeyGroupRange(), backup);
        try {
            LoggedKeyedStateBackend<K> backend = restore(writer, backup, storage.files());
            LOG.info(
                    "dstl {}: changelog on for {}; delegate {}, storage {}",
                    InstalledJars.version(),
                    taskName(),
                    delegateBackend.getName(),
                    storage);
            return backend;
        } catch (Throwable t) {
            writer.close();
            throw t;
        }
    }

    private LoggedKeyedStateBackend<K> restore(
            StateChangelogWriter<? extends ChangelogStateHandle> writer,
            LogBackup backup,
            Optional<FileUploads> files)
            throws Exception {
        RestoredDelegate<K> restored =
                DelegateRestore.keepingChangelog(
                                delegateBackend,
                                backup.isKept() ? parameters : WithoutLocalBackup.of(parameters))
                        .restore();
        try {
            backup.keepRestored(restored.logs());
            AbandonedFiles abandoned =
                    new AbandonedFiles(
                            deletions,
                            DeletionSchedule.on(SystemScheduler.shared()),
                            backup.isKept());
            return wire(
                    writer,
                    restored,
                    backup.isKept(),
                    abandoned,
                    files.isPresent()
                            ? DirectFiles.of(
                                    env,
                                    files.get(),
                                    SystemScheduler.names(),
                                    abandoned::discardPerhapsStored)
                            : Optional.empty());
        } catch (Throwable t) {
            restored.background().ifPresent(BackgroundReplay::close);
            DelegateRestore.endAfter(t, restored.delegate()::dispose);
            throw t;
        }
    }

    /**
     * The id before the first of an attempt. No attempt uses one of an earlier attempt under the
     * same JobManager: the delegate names directories on the local disk after them, and those of
     * the earlier one may be deleted when it has long ended.
     *
     * @param restored the highest that a completed checkpoint has
     * @param attempt counted from 0
     */
    static MaterializationId idBefore(MaterializationId restored, int attempt) {
        return new MaterializationId(restored.value() + attempt * IDS_OF_AN_ATTEMPT);
    }

    private LoggedKeyedStateBackend<K> wire(
            StateChangelogWriter<? extends ChangelogStateHandle> writer,
            RestoredDelegate<K> restored,
            boolean backupsKept,
            AbandonedFiles abandoned,
            Optional<DirectFiles> direct) {
        AbstractKeyedStateBackend<K> delegate = restored.delegate();
        ChangeRecorder<K> recorder = recorder(delegate, writer);
        LoggedStateDirectory<K> states =
                new LoggedStateDirectory<>(
                        delegate, recorder, restored.leftovers(), restored.background());
        HostTask task =
                new HostTask(
                        taskName(),
                        env.getMainMailboxExecutor(),
                        uploadsOfUser(),
                        abandoned::discard,
                        env::failExternally,
                        Redaction.of(env.getTaskManagerInfo().getConfiguration())::failure);
        restored.background()
                .ifPresent(
                        replay -> {
                            replay.whenTaskIsNeeded(
                                    () -> task.post(states::awaitReplay, "wait for the log"));
                            goOnOnceOpened(replay, task);
                        });
        CheckpointLedger ledger =
                new CheckpointLedger(
                        writer,
                        new CheckpointHandles(
                                parameters.getKeyGroupRange(),
                                backupsKept,
                                new ChangelogBackendMetrics(
                                        parameters.getMetricGroup(),
                                        recorder.serialized(),
                                        restored.replayedOneByOne())),
                        restored.baseFor(writer.initialSequenceNumber(), env.getJobID()),
                        abandoned,
                        ReplayOptions.checkpointTimeout(env),
                        deadlines);
        DelegateSnapshots<K> snapshots =
                new DelegateSnapshots<>(
                        delegate,
                        writer,
                        states,
                        () ->
                                new TaskOwnedStreams(
                                        new FlinkFiles(
                                                env.getCheckpointStorageAccess(),
                                                SystemScheduler.uploadEndings()),
                                        direct,
                                        abandoned::discardAll),
                        SystemScheduler.clock(),
                        idBefore(restored.lastId(), env.getTaskInfo().getAttemptNumber()));
        FullCheckpoint full =
                new FullCheckpoint(snapshots, ledger, abandoned, task, stallWatches.get());
        Optional<DelegateSupport.Memtables> memtables = DelegateSupport.get().memtables(delegate);
        BackendParts<K> parts =
                new BackendParts<>(
                        states,
                        new KeyedCheckpoints<>(
                                states,
                                snapshots,
                                ledger,
                                full,
                                abandoned,
                                parameters.getKeyGroupRange()),
                        materializer(
                                task,
                                new DelegateMaterialization(
                                        states,
                                        snapshots,
                                        ledger,
                                        abandoned,
                                        this::roomInTheLog,
                                        new SnapshotPreparation(
                                                memtables, task.name(), compactionPause))),
                        writer,
                        () -> memtables.ifPresent(DelegateSupport.Memtables::close),
                        restored.background());
        parts.start();
        return new LoggedKeyedStateBackend<>(
                delegate, parts, () -> SystemScheduler.backgroundLoad().completed(env.getJobID()));
    }

    /**
     * Flink runs mails once the task's operators are open, as a rule before the task is RUNNING. If
     * the operators take long to open, the replay uses that time.
     */
    private void goOnOnceOpened(BackgroundReplay replay, HostTask task) {
        task.post(replay::goOn, "replay the log");
        afterLongestRest.accept(replay::goOn);
    }

    /**
     * Uploads do not run on the task's own pool, which runs one thing at a time: a checkpoint would
     * wait there for the upload of a materialization. An upload may need serializers of the user's
     * classes. Deletions need none, and so do not keep these classes in memory.
     */
    private UploadLane uploadsOfUser() {
        ClassLoader userClassLoader = env.getUserCodeClassLoader().asClassLoader();
        return new UploadLane() {
            @Override
            public Ticket submit(Runnable upload) {
                return uploads.submit(
                        () -> {
                            try (TemporaryClassLoaderContext ignored =
                                    TemporaryClassLoaderContext.of(userClassLoader)) {
                                upload.run();
                            }
                        });
            }

            @Override
            public Turn turn(LongSupplier urgency) {
                return uploads.turn(urgency);
            }
        };
    }

    /** Completes as soon as the storage has room for changes that nobody waits for. */
    private CompletableFuture<?> roomInTheLog() {
        return env.getTaskStateManager()
                .getStateChangelogStorage()
                .getAvailabilityProvider()
                .getAvailableFuture();
    }

    private static <K> ChangeRecorder<K> recorder(
            AbstractKeyedStateBackend<K> delegate, StateChangelogWriter<?> writer) {
        ChangeAppender appender =
                writer instanceof SegmentedChangeLog
                        ? (SegmentedChangeLog) writer
                        : new BytesAppender(writer, delegate.getKeyGroupRange());
        ChangeRecorder<K> recorder =
                new ChangeRecorder<>(
                        appender, delegate.getKeyContext(), delegate.getKeySerializer());
        delegate.registerKeySelectionListener(key -> recorder.keyChanged());
        return recorder;
    }

    private Materializer materializer(HostTask task, DelegateMaterialization materialization) {
        return new Materializer(
                materialization,
                policy,
                settings.maxFailuresAllowed(),
                task,
                new MaterializationMetrics(
                        parameters.getMetricGroup(), limit, SystemScheduler.clock()),
                stallWatches.get());
    }

    private String taskName() {
        return env.getTaskInfo().getTaskNameWithSubtasks()
                + " ("
                + parameters.getOperatorIdentifier()
                + ")";
    }
}
