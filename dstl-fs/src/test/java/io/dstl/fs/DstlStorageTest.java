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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.fs.DstlStorageFactory.RefusedStorage;
import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.backup.LogBackup;
import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.fault.TroubledFileSystemFactory;
import io.dstl.fs.log.InFlightLimit.WaitListener;
import io.dstl.fs.log.SegmentedChangeLog;
import io.dstl.fs.option.DstlOptions;
import io.dstl.fs.segment.ClusterMark;
import io.dstl.testkit.ManualMailbox;
import java.io.FileNotFoundException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.io.AvailabilityProvider;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.LocalSnapshotDirectoryProviderImpl;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageFactory;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole way over a real file system: append, persist, read back through the service's view. */
class DstlStorageTest {

    private static final KeyGroupRange KEY_GROUPS = new KeyGroupRange(0, 9);

    @TempDir Path base;

    @Test
    void readsBackWhatWasPersisted() throws Exception {
        try (DstlStorage storage = createStorage(configuration());
                SegmentedChangeLog log = storage.createWriter("op", KEY_GROUPS, null)) {
            log.appendMeta(new byte[] {9});
            log.append(3, new byte[] {1, 2});
            DataOutputView record = log.beginChange(2);
            record.writeInt(77);
            log.endRecord();

            ChangelogStateHandleStreamImpl handle =
                    log.persist(log.initialSequenceNumber(), 1).get().getJobManagerOwnedSnapshot();

            assertThat(handle.getStorageIdentifier()).isEqualTo("filesystem");
            assertThat(read(handle)).containsExactly("-1:[9]", "2:[0, 0, 0, 77]", "3:[1, 2]");
        }
    }

    /**
     * With backups it would list local state without its log. With recovery alone it would restore
     * such state of a time before. The job's configuration does not decide on either.
     */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true"})
    void refusesFlinksOwnBackendOnATaskManagerWithLocalRecovery(boolean recovers, boolean backsUp)
            throws Exception {
        LocalRecoveryConfig local =
                new LocalRecoveryConfig(
                        recovers,
                        backsUp,
                        new LocalSnapshotDirectoryProviderImpl(
                                base.toFile(), new JobID(), new JobVertexID(), 0));
        Configuration configuration = configuration();
        configuration.set(CheckpointingOptions.LOCAL_BACKUP_ENABLED, false);
        try (StateChangelogStorage<?> storage = createAnyStorage(configuration, local)) {
            assertThatThrownBy(() -> storage.createWriter("op", KEY_GROUPS, new ManualMailbox()))
                    .isInstanceOf(IllegalConfigurationException.class)
                    .hasMessageContaining("in the configuration of the TaskManagers");

            storage.createWriter("op", KEY_GROUPS, null).close();
        }
    }

    @Test
    void isFoundAsAService() {
        assertThat(ServiceLoader.load(StateChangelogStorageFactory.class))
                .hasAtLeastOneElementOfType(DstlStorageFactory.class);
    }

    @Test
    void tasksOfACheckpointShareOneFileWithoutWaitingOutTheDelay() throws Exception {
        Configuration configuration = configuration();
        configuration.set(DstlOptions.PERSIST_DELAY, Duration.ofDays(1));
        try (DstlStorage storage = createStorage(configuration);
                SegmentedChangeLog first = storage.createWriter("first", KEY_GROUPS, null);
                SegmentedChangeLog second = storage.createWriter("second", KEY_GROUPS, null)) {
            first.append(1, new byte[] {1});
            second.append(2, new byte[] {2});
            CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist =
                    first.persist(first.initialSequenceNumber(), 1);
            ChangelogStateHandleStreamImpl handle = persist(second, 1);

            assertThat(read(persist.get().getJobManagerOwnedSnapshot())).containsExactly("1:[1]");
            assertThat(read(handle)).containsExactly("2:[2]");
            assertThat(files()).hasSize(1);
        }
    }

    @Test
    void aSegmentsNameTellsItsCluster() throws Exception {
        Configuration configuration = configuration();
        configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, "s3://bucket/checkpoints");
        try (DstlStorage storage = createStorage(configuration);
                SegmentedChangeLog log = storage.createWriter("op", KEY_GROUPS, null)) {
            log.append(3, new byte[] {1});
            assertThat(read(persist(log, 1))).containsExactly("3:[1]");

            assertThat(ClusterMark.in(files().get(0).getFileName().toString()))
                    .hasValue(
                            ClusterMark.of(
                                    new org.apache.flink.core.fs.Path("s3://bucket/checkpoints")));
        }
    }

    @Test
    void aSegmentsNameTellsOfNoClusterWhereItsOwnHasNoDirectory() {
        String byChance = ClusterMark.put("d1a0bb0e-6b0f-8000-8000-000000000000", 4711);
        Configuration configuration = configuration();
        assertThat(ClusterMark.in(StorePlace.names(configuration, () -> byChance).next()))
                .isEmpty();

        configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, "s3://bucket/checkpoints");
        assertThat(ClusterMark.in(StorePlace.names(configuration, () -> byChance).next()))
                .isPresent()
                .isNotEqualTo(OptionalInt.of(4711));
    }

    @Test
    void readsWithoutLocalCopiesWhereTheCacheIsOff() throws Exception {
        Configuration configuration = configuration();
        configuration.set(DstlOptions.CACHE_IDLE_TIMEOUT, Duration.ZERO);
        configuration.set(DstlOptions.COMPRESSION_ENABLED, true);
        try (DstlStorage storage = createStorage(configuration);
                SegmentedChangeLog log = storage.createWriter("op", KEY_GROUPS, null)) {
            log.append(3, new byte[] {1});
            ChangelogStateHandleStreamImpl handle = persist(log, 1);

            assertThat(read(configuration, handle)).containsExactly("3:[1]");
        }
    }

    @Test
    void namesASegmentThatIsMissing() throws Exception {
        try (DstlStorage storage = createStorage(configuration());
                SegmentedChangeLog log = storage.createWriter("op", KEY_GROUPS, null)) {
            log.append(3, new byte[] {1});
            ChangelogStateHandleStreamImpl handle = persist(log, 1);
            Path file = files().get(0);
            Files.delete(file);

            assertThatThrownBy(() -> read(handle))
                    .hasCauseInstanceOf(FileNotFoundException.class)
                    .hasMessageContaining(file.getFileName().toString())
                    .hasMessageContaining("is missing");
        }
    }

    @Test
    void closingEndsTheLogsAndKeepsWhatCheckpointsInFlightReferTo() throws Exception {
        DstlStorage storage = createStorage(configuration());
        SegmentedChangeLog log = storage.createWriter("op", KEY_GROUPS, null);
        log.append(3, new byte[] {1});
        ChangelogStateHandleStreamImpl inFlight = persist(log, 1);
        storage.close();
        storage.close();

        assertThat(read(inFlight)).containsExactly("3:[1]");
        assertThatThrownBy(() -> log.persist(log.initialSequenceNumber(), 2))
                .isInstanceOf(IllegalStateException.class);
        log.close();
        assertThatThrownBy(() -> storage.createWriter("op", KEY_GROUPS, null))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingFailsThePersistsUnderWayAndDeletesTheirFiles() throws Exception {
        Configuration configuration = configuration();
        configuration.set(DstlOptions.PERSIST_DELAY, Duration.ofDays(1));
        DstlStorage storage = createStorage(configuration);
        SegmentedChangeLog log = storage.createWriter("op", KEY_GROUPS, null);
        storage.createWriter("slow", KEY_GROUPS, null);
        log.append(3, new byte[] {1});
        CompletableFuture<?> waiting = log.persist(log.initialSequenceNumber(), 1);
        storage.close();

        assertThat(waiting).isCompletedExceptionally();
        assertThat(files()).isEmpty();
    }

    /** A task that can't end its backup must not cost the others theirs, nor the threads. */
    @Test
    void closingEndsAllThoughALogDoesNotEnd() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        DstlStorage storage = createStorage(configuration());
        List<SegmentedChangeLog> logs = new ArrayList<>();
        for (String name : new String[] {"first", "second"}) {
            logs.add(
                    storage.createLog(
                            name,
                            KEY_GROUPS,
                            backupThatDoesNotEnd(name),
                            WaitListener.NONE,
                            OptionalLong.empty()));
            logs.get(logs.size() - 1).append(3, new byte[] {1});
        }
        logs.get(0).persist(logs.get(0).initialSequenceNumber(), 1);
        persist(logs.get(1), 1);

        assertThatThrownBy(storage::close)
                .hasMessage("first")
                .satisfies(
                        thrown ->
                                assertThat(thrown.getSuppressed())
                                        .extracting(Throwable::getMessage)
                                        .containsExactly("second"));
        checkThatNoThreadIsLeft(before);
    }

    private static LogBackup backupThatDoesNotEnd(String name) {
        return new LogBackup() {
            @Override
            public boolean isKept() {
                return LogBackup.NONE.isKept();
            }

            @Override
            public void keep(ChangeSet changes, Consumer<Optional<SegmentLocation>> outcome) {
                LogBackup.NONE.keep(changes, outcome);
            }

            @Override
            public void delete(SegmentLocation backup) {}

            @Override
            public void keepRestored(Collection<? extends ChangelogStateHandle> restored) {}

            @Override
            public void deleteRestored() {}

            @Override
            public void close() {
                throw new IllegalStateException(name);
            }
        };
    }

    @Test
    void leavesNoThreadBehind() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        DstlStorage storage = createStorage(configuration());
        SegmentedChangeLog log = storage.createWriter("op", KEY_GROUPS, null);
        log.append(3, new byte[] {1});
        ChangelogStateHandleStreamImpl handle = persist(log, 1);
        read(handle);
        storage.close();
        checkThatNoThreadIsLeft(before);
    }

    private static void checkThatNoThreadIsLeft(Set<Thread> before) throws Exception {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (!before.contains(thread) && thread.getName().startsWith("dstl-")) {
                thread.join(60_000);
                assertThat(thread.isAlive()).as(thread.getName()).isFalse();
            }
        }
    }

    /** Flink makes a storage for jobs without a changelog, too. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusesALogOnlyWithoutABasePath(boolean onByDefault) {
        Configuration configuration = new Configuration();
        configuration.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, onByDefault);
        StateChangelogStorage<?> storage = createAnyStorage(configuration);

        assertThatThrownBy(() -> storage.createWriter("op", KEY_GROUPS, null))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("base-path is not set");
        assertThatThrownBy(storage::createReader).isInstanceOf(IllegalConfigurationException.class);
    }

    /** Flink keeps a storage for the job, over restarts. */
    @Test
    void worksOnceTheFileSystemStarts() throws Exception {
        Configuration configuration = configuration();
        String scheme = new TroubledFileSystemFactory().getScheme();
        configuration.set(DstlOptions.BASE_PATH, scheme + "://unresolved" + base.resolve("log"));
        StateChangelogStorage<?> storage = createAnyStorage(configuration);
        assertThatThrownBy(() -> storage.createWriter("op", KEY_GROUPS, null))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("its file system does not start")
                .hasMessageContaining("unresolved cannot be resolved");
        assertThatThrownBy(() -> DstlStorageFactory.open(storage))
                .isInstanceOf(IllegalConfigurationException.class);

        AvailabilityProvider ofTheTask = storage.getAvailabilityProvider();
        assertThat(ofTheTask.isAvailable()).isTrue();
        try (AutoCloseable resolved = TroubledFileSystemFactory.resolve("unresolved")) {
            assertThat(resolved).isNotNull();
            StateChangelogStorage<?> opened = DstlStorageFactory.open(storage);
            assertThat(opened).isInstanceOf(DstlStorage.class);
            assertThat(DstlStorageFactory.open(storage)).isSameAs(opened);
            assertThat(DstlStorageFactory.open(opened)).isSameAs(opened);
            assertThat(ofTheTask.getAvailableFuture())
                    .isSameAs(opened.getAvailabilityProvider().getAvailableFuture());
            storage.createWriter("op", KEY_GROUPS, null).close();
            storage.close();
            assertThatThrownBy(() -> opened.createWriter("op", KEY_GROUPS, null))
                    .hasMessageContaining("closed");
        }
    }

    /** A job without a changelog runs. */
    @Test
    void aFileSystemThatIsNotConfiguredRefusesALogOnly() {
        Configuration configuration = configuration();
        String scheme = new TroubledFileSystemFactory().getScheme();
        configuration.set(DstlOptions.BASE_PATH, scheme + "://unconfigured/log");
        StateChangelogStorage<?> storage = createAnyStorage(configuration);

        assertThatThrownBy(() -> storage.createWriter("op", KEY_GROUPS, null))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("base-path is troubled://unconfigured/log")
                .hasMessageContaining("no endpoint");
    }

    /** The TaskManager's main thread closes it, while a task waits for the file system. */
    @Test
    void isClosedWithoutWaitingForTheFileSystem() throws Exception {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        CompletableFuture<Void> starts = new CompletableFuture<>();
        DstlStorage late = createStorage(configuration());
        RefusedStorage storage =
                new RefusedStorage(
                        () -> {
                            asked.complete(null);
                            starts.join();
                            return late;
                        });
        CompletableFuture<DstlStorage> task = CompletableFuture.supplyAsync(storage::open);
        asked.get();
        storage.close();
        starts.complete(null);

        DstlStorage opened = task.get();
        assertThatThrownBy(() -> opened.createWriter("op", KEY_GROUPS, null))
                .hasMessageContaining("closed");
    }

    private static ChangelogStateHandleStreamImpl persist(SegmentedChangeLog log, long checkpointId)
            throws Exception {
        return log.persist(log.initialSequenceNumber(), checkpointId)
                .get()
                .getJobManagerOwnedSnapshot();
    }

    private List<Path> files() throws Exception {
        try (Stream<Path> paths = Files.walk(base.resolve("log"))) {
            return paths.filter(Files::isRegularFile).collect(Collectors.toList());
        } catch (NoSuchFileException e) {
            return Collections.emptyList();
        }
    }

    private Configuration configuration() {
        Configuration configuration = new Configuration();
        // The clock is the real one: no attempt shall look slow.
        configuration.set(DstlOptions.UPLOAD_TIMEOUT, Duration.ofMinutes(5));
        configuration.set(DstlOptions.BASE_PATH, base.resolve("log").toUri().toString());
        configuration.set(CoreOptions.TMP_DIRS, base.resolve("tmp").toString());
        return configuration;
    }

    private static DstlStorage createStorage(Configuration configuration) throws Exception {
        return (DstlStorage) createAnyStorage(configuration);
    }

    private static StateChangelogStorage<?> createAnyStorage(Configuration configuration) {
        return createAnyStorage(configuration, LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED);
    }

    private static StateChangelogStorage<?> createAnyStorage(
            Configuration configuration, LocalRecoveryConfig localRecovery) {
        return new DstlStorageFactory()
                .createStorage(
                        new JobID(),
                        configuration,
                        UnregisteredMetricGroups.createUnregisteredTaskManagerJobMetricGroup(),
                        localRecovery);
    }

    private List<String> read(ChangelogStateHandleStreamImpl handle) throws Exception {
        return read(configuration(), handle);
    }

    @SuppressWarnings("unchecked")
    private static List<String> read(
            Configuration configuration, ChangelogStateHandleStreamImpl handle) throws Exception {
        List<String> changes = new ArrayList<>();
        try (StateChangelogStorageView<ChangelogStateHandleStreamImpl> view =
                        (StateChangelogStorageView<ChangelogStateHandleStreamImpl>)
                                new DstlStorageFactory().createStorageView(configuration);
                CloseableIterator<StateChange> iterator = view.createReader().getChanges(handle)) {
            while (iterator.hasNext()) {
                StateChange change = iterator.next();
                changes.add(change.getKeyGroup() + ":" + Arrays.toString(change.getChange()));
            }
        }
        return changes;
    }
}
