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

import io.dstl.fs.log.StorageIdentifier;
import io.dstl.fs.metric.StorageMetrics;
import io.dstl.fs.option.DownloadSettings;
import io.dstl.fs.option.DstlSettings;
import io.dstl.fs.read.ContentSource;
import io.dstl.fs.read.DirectSource;
import io.dstl.fs.read.SegmentCache;
import io.dstl.fs.store.FileSystemOpener;
import java.io.IOException;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.metrics.groups.TaskManagerJobMetricGroup;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageFactory;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where Flink comes in: makes the storage of a job on a TaskManager, and the view that restores
 * from one. Found as a service, under the identifier of Flink's own.
 */
public final class DstlStorageFactory implements StateChangelogStorageFactory {

    private static final Logger LOG = LoggerFactory.getLogger(DstlStorageFactory.class);

    private final SystemSource system = new SystemSource();

    @Override
    public String getIdentifier() {
        return StorageIdentifier.FILESYSTEM;
    }

    /**
     * @throws org.apache.flink.configuration.IllegalConfigurationException naming key, value and
     *     remedy, if an option cannot work
     */
    @Override
    public StateChangelogStorage<ChangelogStateHandleStreamImpl> createStorage(
            JobID job,
            Configuration configuration,
            TaskManagerJobMetricGroup metricGroup,
            LocalRecoveryConfig localRecovery)
            throws IOException {
        DstlSettings settings = DstlSettings.from(configuration);
        StorageMetrics metrics = new StorageMetrics(metricGroup);
        DstlStorage storage =
                new DstlStorage(settings, new StorageParts(job, settings, metrics, system));
        LOG.info("dstl stores the changelog of job {}: {}", job, settings);
        if (localRecovery.isLocalRecoveryEnabled()) {
            LOG.info(
                    "Local recovery is enabled: changelog segments are not kept on local disk, and"
                            + " are restored from {}",
                    settings.basePath());
        }
        return storage;
    }

    @Override
    public StateChangelogStorageView<ChangelogStateHandleStreamImpl> createStorageView(
            Configuration configuration) {
        DownloadSettings settings = DownloadSettings.from(configuration);
        ScheduledExecutorService timer = StorageThreads.timer("dstl-download-timer");
        return new DstlStorageView(source(settings, timer), timer);
    }

    private ContentSource source(DownloadSettings settings, ScheduledExecutorService timer) {
        FileSystemOpener opener = new FileSystemOpener();
        return settings.idleTimeout().isZero()
                ? new DirectSource(opener)
                : new SegmentCache(opener, settings, system, timer);
    }
}
