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

import io.dstl.fs.arena.ChunkPool;
import io.dstl.fs.backup.BackupDirectories;
import io.dstl.fs.batch.SegmentBatcher;
import io.dstl.fs.batch.StoreWatch;
import io.dstl.fs.log.InFlightLimit;
import io.dstl.fs.log.LogServices;
import io.dstl.fs.metric.StorageMetrics;
import io.dstl.fs.option.DstlSettings;
import io.dstl.registry.DeletionQueue;
import io.dstl.registry.DeletionSchedule;
import io.dstl.registry.RegistryListener.RegistryMetrics;
import io.dstl.registry.SegmentRegistry;
import io.dstl.secret.Redaction;
import io.dstl.store.Closeables;
import io.dstl.store.LateRequests;
import io.dstl.store.PutContext;
import io.dstl.store.PutRules;
import io.dstl.store.SegmentStore;
import org.apache.flink.api.common.JobID;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.FatalExitExceptionHandler;

/** Connects the stages of one storage, and closes them in the order that loses nothing. */
final class StorageParts implements AutoCloseable {

    /** Share of the in-flight limit kept as unused chunks for the next burst. */
    private static final int RETAINED_FRACTION = 4;

    /** Share of the in-flight limit that requests may hold beside it whose segment is stored. */
    private static final int LOSING_FRACTION = 4;

    // Used by the storage.
    final StorePlace place;
    final PutContext puts;
    final LateRequests lateFiles;
    final SegmentRegistry registry;
    final InFlightLimit inFlight;
    final ChunkPool chunks;
    final LogServices logServices;
    final Redaction redaction;
    final BackupDirectories backups;

    private final StorageThreads threads;
    private final DeletionQueue deletions;
    private final SegmentBatcher batcher;

    StorageParts(
            JobID job,
            DstlSettings settings,
            MetricGroup metricGroup,
            SystemSource system,
            StorePlace place,
            Redaction redaction) {
        this.redaction = redaction;
        this.threads = new StorageThreads(settings.upload());
        this.place = place;
        SegmentStore objects = place.open(job, threads, redaction);
        StorageMetrics metrics = new StorageMetrics(metricGroup);
        PutRules rules =
                PutRules.of(
                        settings.retry(),
                        settings.upload().maxInFlightBytes() / LOSING_FRACTION,
                        system,
                        system,
                        metrics);
        this.lateFiles =
                new LateRequests(rules.ofFiles(settings.retry().hedges()), threads.timer(), system);
        this.puts =
                new PutContext(
                        objects,
                        rules,
                        threads.timer(),
                        place.names(),
                        threads.cleanups(),
                        metrics);
        RegistryMetrics registryMetrics = new RegistryMetrics(metricGroup);
        this.deletions =
                new DeletionQueue(
                        puts,
                        threads.discards(),
                        DeletionSchedule.on(StorageThreads.deletionTimer()),
                        registryMetrics);
        this.registry = new SegmentRegistry(deletions, registryMetrics);
        registryMetrics.show(registry);
        StoreWatch watch = new StoreWatch(system);
        this.batcher =
                new SegmentBatcher(settings, puts, registry, metrics, watch, threads.timer());
        metrics.showQueue(batcher::size);
        this.inFlight =
                new InFlightLimit(
                        settings.upload().maxInFlightBytes(),
                        settings.upload().hardMaxInFlightBytes(),
                        watch::changed);
        metrics.showBytes(inFlight::bytes, inFlight::keptBytes);
        metrics.showBackpressure(inFlight::isReached, inFlight::waiting);
        this.chunks = new ChunkPool(settings.upload().maxInFlightBytes() / RETAINED_FRACTION);
        this.logServices =
                new LogServices(
                        batcher,
                        registry,
                        inFlight,
                        threads.timer(),
                        settings.retry().pauseAfterError(),
                        FatalExitExceptionHandler.INSTANCE);
        this.backups = new BackupDirectories(system, threads.backups(), threads.timer());
    }

    /** Call this when all logs are closed. Waits for nothing. */
    @Override
    public void close() {
        Closeables.closeAll(
                batcher::close,
                registry::close,
                deletions::close,
                puts::close,
                threads::close,
                place::close);
    }
}
