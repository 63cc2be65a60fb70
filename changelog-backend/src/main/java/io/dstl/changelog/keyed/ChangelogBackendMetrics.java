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

import java.util.function.LongSupplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * What one keyed backend's checkpoints are made of, under the names of Flink's own changelog
 * backend, in bytes, of the last checkpoint persisted; 0 before the first. Beside them, what the
 * log could not have as bytes.
 *
 * <p>Written by whichever thread completes a snapshot, read by metric reporters.
 */
final class ChangelogBackendMetrics {

    static final String PREFIX = "ChangelogStateBackend.";
    static final String FULL_MATERIALIZED = PREFIX + "lastFullSizeOfMaterialization";
    static final String INCREMENTAL_MATERIALIZED = PREFIX + "lastIncSizeOfMaterialization";
    static final String FULL_LOG = PREFIX + "lastFullSizeOfNonMaterialization";
    static final String INCREMENTAL_LOG = PREFIX + "lastIncSizeOfNonMaterialization";

    static final String REPLAYED_ONE_BY_ONE = PREFIX + "changesReplayedOneByOne";

    static final String SERIALIZED_FOR_LOG = PREFIX + "changesSerializedForLog";

    private volatile long fullMaterialized;
    private volatile long incrementalMaterialized;
    private volatile long fullLog;
    private volatile long incrementalLog;

    /**
     * @param serializedForLog see {@link io.dstl.changelog.record.ChangeRecorder#serialized()}
     * @param replayedOneByOne changes of the restored log that were not replayed in bulk, so far
     */
    ChangelogBackendMetrics(
            MetricGroup group, Counter serializedForLog, LongSupplier replayedOneByOne) {
        group.gauge(FULL_MATERIALIZED, () -> fullMaterialized);
        group.gauge(INCREMENTAL_MATERIALIZED, () -> incrementalMaterialized);
        group.gauge(FULL_LOG, () -> fullLog);
        group.gauge(INCREMENTAL_LOG, () -> incrementalLog);
        group.gauge(REPLAYED_ONE_BY_ONE, replayedOneByOne::getAsLong);
        group.counter(SERIALIZED_FOR_LOG, serializedForLog);
    }

    void persisted(CheckpointSize size) {
        fullMaterialized = size.materialized();
        incrementalMaterialized = size.newlyMaterialized();
        fullLog = size.log();
        incrementalLog = size.newLog();
    }
}
