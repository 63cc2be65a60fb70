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
package io.dstl.fs.testing;

import io.dstl.fs.arena.Arena;
import io.dstl.fs.arena.ChunkPool;
import io.dstl.fs.backup.LogBackup;
import io.dstl.fs.batch.SegmentBatcher;
import io.dstl.fs.batch.StoreWatch;
import io.dstl.fs.log.InFlightLimit;
import io.dstl.fs.log.InFlightLimit.WaitListener;
import io.dstl.fs.log.LogServices;
import io.dstl.fs.log.SegmentedChangeLog;
import io.dstl.fs.metric.StorageMetrics;
import io.dstl.fs.option.DstlOptions;
import io.dstl.fs.option.DstlSettings;
import io.dstl.fs.read.ChangeReader;
import io.dstl.fs.read.UncachedSource;
import io.dstl.registry.DeletionQueue;
import io.dstl.registry.DeletionSchedule;
import io.dstl.registry.RegistryListener;
import io.dstl.registry.SegmentRegistry;
import io.dstl.registry.WriterId;
import io.dstl.secret.Redaction;
import io.dstl.store.Cleanups;
import io.dstl.store.PutContext;
import io.dstl.store.PutObserver;
import io.dstl.store.PutRules;
import io.dstl.store.RetrySettings;
import io.dstl.store.SegmentStore;
import io.dstl.store.testing.CountedNames;
import io.dstl.store.testing.ScriptedStore;
import io.dstl.testkit.ManualTimer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;

/** Logs over a store and a timer of the test's; everything runs on the test's thread. */
public final class LogHarness {

    /** Of each log. */
    public static final SequenceNumber START = SequenceNumber.of(0);

    public static final KeyGroupRange KEY_GROUPS = new KeyGroupRange(0, 9);
    public static final Duration DELAY = Duration.ofMillis(10);
    public static final Duration RESEND_PAUSE = Duration.ofMillis(500);
    public static final int PREEMPTIVE_BYTES = 1000;
    public static final int BATCH_BYTES = 5000;
    public static final int FEW = 2;

    /** Room for six change sets that were stored ahead, with what each holds beside its bytes. */
    public static final int IN_FLIGHT_BYTES = 6 * (PREEMPTIVE_BYTES + 250);

    public final ManualTimer timer;
    public final InFlightLimit inFlight;
    public final StoreWatch watch;
    public final ChunkPool chunks = new ChunkPool(1 << 20);
    public final DeletionQueue deletions;
    public final SegmentRegistry registry;
    public final SegmentBatcher batcher;
    private final SegmentStore store;
    private final PutContext puts;
    private final LogServices services;

    /** Errors that would have ended the process. */
    public final List<Throwable> fatal = new ArrayList<>();

    private int writers;

    public LogHarness(SegmentStore store) {
        this(store, new ManualTimer(), LogHarness::limit);
    }

    /**
     * @param limit takes what listens to it
     */
    public LogHarness(
            SegmentStore store, ManualTimer timer, Function<StoreWatch, InFlightLimit> limit) {
        this(store, puts(store, timer), timer, timer, limit);
    }

    /**
     * @param puts to the store
     * @param deletionTimer of the deletions alone
     */
    public LogHarness(
            SegmentStore store, PutContext puts, ManualTimer timer, ManualTimer deletionTimer) {
        this(store, puts, timer, deletionTimer, LogHarness::limit);
    }

    private LogHarness(
            SegmentStore store,
            PutContext puts,
            ManualTimer timer,
            ManualTimer deletionTimer,
            Function<StoreWatch, InFlightLimit> limit) {
        this.store = store;
        this.puts = puts;
        this.timer = timer;
        this.watch = new StoreWatch(timer::nanos);
        this.inFlight = limit.apply(watch);
        this.deletions =
                new DeletionQueue(
                        puts,
                        Runnable::run,
                        DeletionSchedule.on(deletionTimer),
                        RegistryListener.none());
        this.registry = new SegmentRegistry(deletions, RegistryListener.none());
        this.batcher = batcher(DELAY);
        this.services =
                new LogServices(
                        batcher,
                        registry,
                        inFlight,
                        timer,
                        RESEND_PAUSE,
                        (thread, error) -> fatal.add(error));
    }

    private static InFlightLimit limit(StoreWatch watch) {
        return new InFlightLimit(IN_FLIGHT_BYTES, Long.MAX_VALUE, watch::changed);
    }

    /** Each is one request. */
    private static PutContext puts(SegmentStore store, ManualTimer timer) {
        RetrySettings once = new RetrySettings(1, Optional.empty(), Duration.ZERO);
        return new PutContext(
                store,
                PutRules.of(once, Long.MAX_VALUE, () -> 0.5, timer::nanos, PutObserver.NONE),
                timer,
                new CountedNames("segment-"),
                new Cleanups(Runnable::run, timer),
                PutObserver.NONE);
    }

    /** Another one beside that of the logs. */
    public SegmentBatcher batcher(Duration delay) {
        return new SegmentBatcher(
                settings(delay),
                puts,
                registry,
                new StorageMetrics(new UnregisteredMetricsGroup()),
                watch,
                timer);
    }

    private static DstlSettings settings(Duration delay) {
        Configuration config = new Configuration();
        config.set(DstlOptions.BASE_PATH, "file:///unused");
        config.set(DstlOptions.PERSIST_DELAY, delay);
        config.set(DstlOptions.PERSIST_SIZE_THRESHOLD, new MemorySize(BATCH_BYTES));
        config.set(DstlOptions.COMPRESSION_ENABLED, false);
        config.set(DstlOptions.NUM_UPLOAD_THREADS, FEW);
        return DstlSettings.from(config);
    }

    public SegmentedChangeLog createLog() {
        return createLog(LogBackup.NONE);
    }

    /** Of a task that was restored from this checkpoint, if from any. */
    public SegmentedChangeLog createLog(OptionalLong restoredFrom) {
        SegmentedChangeLog log = createLog();
        restoredFrom.ifPresent(id -> registry.restored(new WriterId("writer-" + writers), id));
        return log;
    }

    public SegmentedChangeLog createLog(LogBackup backup) {
        return createLog(backup, WaitListener.NONE);
    }

    public SegmentedChangeLog createLog(LogBackup backup, WaitListener waits) {
        return new SegmentedChangeLog(
                new WriterId("writer-" + ++writers),
                KEY_GROUPS,
                new Arena(chunks, KEY_GROUPS, true),
                PREEMPTIVE_BYTES,
                services.forLog(backup, waits));
    }

    /** Of a log over a {@link ScriptedStore}, which stores all that it has been sent. */
    public ChangelogStateHandleStreamImpl persistNow(
            SegmentedChangeLog log, SequenceNumber from, long checkpointId) throws Exception {
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist =
                log.persist(from, checkpointId);
        ((ScriptedStore) store).succeedAll();
        return persist.get().getJobManagerOwnedSnapshot();
    }

    /** The changes that a persist has listed. */
    public List<String> read(
            CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist)
            throws Exception {
        return read(persist.get().getJobManagerOwnedSnapshot());
    }

    /** The changes that a handle refers to, in order. */
    public List<String> read(ChangelogStateHandleStreamImpl handle) throws Exception {
        List<String> changes = new ArrayList<>();
        try (CloseableIterator<StateChange> iterator =
                new ChangeReader(new UncachedSource(puts), Redaction.OF_URIS).getChanges(handle)) {
            iterator.forEachRemaining(change -> changes.add(Changes.show(change)));
        }
        return changes;
    }

    public static void append(SegmentedChangeLog log, int keyGroup, int... bytes)
            throws IOException {
        byte[] change = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            change[i] = (byte) bytes[i];
        }
        log.append(keyGroup, change);
    }
}
