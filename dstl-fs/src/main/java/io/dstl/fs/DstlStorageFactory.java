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
import io.dstl.fs.DstlStorage.StartReport;
import io.dstl.fs.StorageThreads.DownloadThreads;
import io.dstl.fs.log.StorageIdentifier;
import io.dstl.fs.option.DownloadSettings;
import io.dstl.fs.option.DstlSettings;
import io.dstl.fs.read.BackupsInPlace;
import io.dstl.fs.read.ChangeReader;
import io.dstl.fs.read.ContentSource;
import io.dstl.fs.read.SegmentCache;
import io.dstl.fs.read.UncachedSource;
import io.dstl.secret.Redaction;
import io.dstl.store.ChoosingOpener;
import io.dstl.store.Closeables;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import io.dstl.store.StoreProviders;
import io.dstl.store.s3.S3Provider;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.runtime.io.AvailabilityProvider;
import org.apache.flink.runtime.metrics.groups.TaskManagerJobMetricGroup;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogHandleReader;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageFactory;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;
import org.apache.flink.util.function.SupplierWithException;

/**
 * Flink's entry point: creates the storage of a job on a TaskManager, and the view for restores
 * from one. Found as a service, under the identifier of Flink's own.
 */
public final class DstlStorageFactory implements StateChangelogStorageFactory {

    private final SystemSource system = new SystemSource();

    /** Flink creates one when the process starts. */
    public DstlStorageFactory() {
        ProcessListeners.started();
    }

    /** The object stores with a direct client. {@link DstlSettings#chooseFileSystems} has each. */
    private static StoreProviders providers(Configuration config) {
        return StoreProviders.of(config).with(new S3Provider(), DstlSettings.s3Client(config));
    }

    @Override
    public String getIdentifier() {
        return StorageIdentifier.FILESYSTEM;
    }

    /**
     * If it cannot work now, the storage refuses to open a log: with key, value and remedy. It
     * tries again for each log, as Flink keeps it for the job, and the file system may start later.
     *
     * @param localRecovery of the first task only; each task's own comes with its log. Whether it
     *     is on is the TaskManager's: Flink's own backend cannot have the log then
     */
    @Override
    public StateChangelogStorage<ChangelogStateHandleStreamImpl> createStorage(
            JobID job,
            Configuration configuration,
            TaskManagerJobMetricGroup metricGroup,
            LocalRecoveryConfig localRecovery) {
        ProcessListeners.jobArrives();
        try {
            return create(job, configuration, metricGroup, localRecovery);
        } catch (IOException | IllegalConfigurationException e) {
            // Told to whoever wants a log: a job without one hears nothing of it.
            return new RefusedStorage(() -> create(job, configuration, metricGroup, localRecovery));
        }
    }

    private DstlStorage create(
            JobID job,
            Configuration configuration,
            TaskManagerJobMetricGroup metricGroup,
            LocalRecoveryConfig localRecovery)
            throws IOException {
        DstlSettings settings = DstlSettings.from(configuration);
        StorePlace place = StorePlace.of(settings, configuration, system, providers(configuration));
        StorageParts parts =
                new StorageParts(
                        job, settings, metricGroup, system, place, Redaction.of(configuration));
        return new DstlStorage(
                settings,
                parts,
                new StartReport(job, settings, place),
                localRecovery.isLocalRecoveryOrLocalBackupEnabled());
    }

    /**
     * Tries again what refused to work, and returns the storage to open a log with. To be called on
     * a task's thread.
     *
     * @param storage as Flink gives it to a task; any
     * @throws IllegalConfigurationException with key, value and remedy, if it cannot work now
     */
    public static StateChangelogStorage<?> open(StateChangelogStorage<?> storage) {
        return storage instanceof RefusedStorage ? ((RefusedStorage) storage).open() : storage;
    }

    @Override
    public StateChangelogStorageView<ChangelogStateHandleStreamImpl> createStorageView(
            Configuration configuration) {
        ProcessListeners.jobArrives();
        DownloadSettings settings = DownloadSettings.from(configuration);
        Redaction redaction = Redaction.of(configuration);
        StoreProviders providers = providers(configuration);
        ExecutorService requests = StorageThreads.requests("dstl-download-request");
        DownloadThreads threads = new DownloadThreads(settings);
        ChoosingOpener opener =
                new ChoosingOpener(
                        providers,
                        new FileSystemOpener(),
                        decision ->
                                decision.open(
                                        requests, threads.timer(), system, system, redaction));
        ContentSource source =
                settings.idleTimeout().isZero()
                        ? new UncachedSource(opener)
                        : new BackupsInPlace(
                                new UncachedSource(opener),
                                new SegmentCache(
                                        opener,
                                        settings,
                                        system,
                                        threads.timer(),
                                        threads.downloads(),
                                        SegmentCache::hasLittleRoom));
        return new DstlStorageView(source, opener, threads, redaction);
    }

    /**
     * Stands in for a storage that cannot work. Flink creates a storage for every job, also for
     * those without a changelog, which must not fail: the error is thrown when a log is requested,
     * and not if the storage can work by then. Owns that one.
     *
     * <p>Any thread. Tasks wait for each other's attempt, which may take as long as a file system
     * takes to start or to fail; whoever closes it waits for none.
     */
    static final class RefusedStorage
            implements StateChangelogStorage<ChangelogStateHandleStreamImpl> {

        private final SupplierWithException<DstlStorage, IOException> storage;
        private final Object attempt = new Object();

        /** Written under the lock. */
        private volatile Optional<DstlStorage> opened = Optional.empty();

        @GuardedBy("this")
        private boolean closed;

        RefusedStorage(SupplierWithException<DstlStorage, IOException> storage) {
            this.storage = storage;
        }

        @Override
        public StateChangelogWriter<ChangelogStateHandleStreamImpl> createWriter(
                String operatorId, KeyGroupRange keyGroups, MailboxExecutor mailbox) {
            return open().createWriter(operatorId, keyGroups, mailbox);
        }

        @Override
        public StateChangelogHandleReader<ChangelogStateHandleStreamImpl> createReader() {
            return open().createReader();
        }

        DstlStorage open() {
            synchronized (attempt) {
                return opened.orElseGet(() -> keep(tryAgain()));
            }
        }

        private DstlStorage tryAgain() {
            try {
                return storage.get();
            } catch (IOException | IllegalConfigurationException e) {
                throw new IllegalConfigurationException(e.getMessage(), e);
            }
        }

        /** Closed meanwhile, it is of no use: what it is asked for then fails. */
        private DstlStorage keep(DstlStorage made) {
            boolean tooLate;
            synchronized (this) {
                tooLate = closed;
                opened = Optional.of(made);
            }
            if (tooLate) {
                made.close();
            }
            return made;
        }

        /** A task takes this before it opens its log, and asks it for each record. */
        @Override
        public AvailabilityProvider getAvailabilityProvider() {
            return () ->
                    opened.<AvailabilityProvider>map(DstlStorage::getAvailabilityProvider)
                            .map(AvailabilityProvider::getAvailableFuture)
                            .orElse(AvailabilityProvider.AVAILABLE);
        }

        @Override
        public String toString() {
            return opened.map(DstlStorage::toString).orElse("a filesystem that cannot work");
        }

        @Override
        public void close() {
            Optional<DstlStorage> last;
            synchronized (this) {
                closed = true;
                last = opened;
            }
            last.ifPresent(DstlStorage::close);
        }
    }

    /**
     * The readers that restore jobs on a TaskManager, over one shared cache of downloads. Owns the
     * cache, its threads and the opener of segments; closing the view deletes every local copy.
     */
    static final class DstlStorageView
            implements StateChangelogStorageView<ChangelogStateHandleStreamImpl> {

        private final ContentSource source;
        private final ChoosingOpener opener;
        private final DownloadThreads threads;
        private final Redaction redaction;

        DstlStorageView(
                ContentSource source,
                ChoosingOpener opener,
                DownloadThreads threads,
                Redaction redaction) {
            this.source = source;
            this.opener = opener;
            this.threads = threads;
            this.redaction = redaction;
        }

        @Override
        public StateChangelogHandleReader<ChangelogStateHandleStreamImpl> createReader() {
            return new ChangeReader(source, redaction);
        }

        @Override
        public void close() throws IOException {
            Closeables.<IOException>closeAll(source::close, threads::close, opener::close);
        }
    }
}
