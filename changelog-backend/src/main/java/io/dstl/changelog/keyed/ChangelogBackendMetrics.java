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

import io.dstl.changelog.replay.RestoreProgress;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * The metrics of one keyed backend: the sizes of its last persisted checkpoint in bytes, under the
 * names of Flink's own changelog backend, 0 before the first; the changes that had to be serialized
 * once more; and those of the restored log that were replayed one by one.
 *
 * <p>The thread that completes a snapshot writes them; metric reporters read them.
 */
final class ChangelogBackendMetrics {
    static final String PREFIX = "ChangelogStateBackend.";
    static final String FULL_MATERIALIZED = PREFIX + "lastFullSizeOfMaterialization";
    static final String INCREMENTAL_MATERIALIZED = PREFIX + "lastIncSizeOfMaterialization";
    static final String FULL_LOG = PREFIX + "lastFullSizeOfNonMaterialization";
    static final String INCREMENTAL_LOG = PREFIX + "lastIncSizeOfNonMaterialization";

    static final String REPLAYED_ONE_BY_ONE = PREFIX + "changesReplayedOneByOne";

    static final String SERIALIZED_FOR_LOG = PREFIX + "changesSerializedForLog";

    private volatile CheckpointHandles.Size last = new CheckpointHandles.Size(0, 0, 0, 0);

    /**
     * @param serializedForLog see {@link io.dstl.changelog.record.ChangeRecorder#serialized()}
     * @param replayedOneByOne changes of the restored log so far that were not replayed in bulk
     */
    ChangelogBackendMetrics(
            MetricGroup group, Counter serializedForLog, LongSupplier replayedOneByOne) {
        group.gauge(FULL_MATERIALIZED, () -> last.materialized());
        group.gauge(INCREMENTAL_MATERIALIZED, () -> last.newlyMaterialized());
        group.gauge(FULL_LOG, () -> last.log());
        group.gauge(INCREMENTAL_LOG, () -> last.newLog());
        group.gauge(REPLAYED_ONE_BY_ONE, replayedOneByOne::getAsLong);
        group.counter(SERIALIZED_FOR_LOG, serializedForLog);
    }

    void persisted(CheckpointHandles.Size size) {
        last = size;
    }

    /**
     * The progress of a keyed backend's restore, and where its time went. One metric group shows
     * the last attempt, as Flink restores from other handles when those on the local disk fail.
     */
    static final class OfRestore {
        private static final String PREFIX = ChangelogBackendMetrics.PREFIX;

        static final String CHANGES = PREFIX + "restoredChanges";
        static final String BYTES = PREFIX + "restoredLogBytes";
        static final String TIME_LEFT = PREFIX + "restoreTimeLeft";
        static final String TIME = PREFIX + "restoreTime";
        static final String BASE_BYTES = PREFIX + "restoredBaseBytes";
        static final String BASE_TIME = PREFIX + "restoreBaseTime";
        static final String FETCH_TIME = PREFIX + "restoreFetchTime";
        static final String DECODE_TIME = PREFIX + "restoreDecodeTime";
        static final String APPLY_TIME = PREFIX + "restoreApplyTime";
        static final String WAIT_TIME = PREFIX + "restoreWaitTime";

        private static final Map<MetricGroup, AtomicReference<RestoreProgress>> SHOWN =
                Collections.synchronizedMap(new WeakHashMap<>());

        private OfRestore() {}

        /** Shows the progress in this group from now on. */
        static void show(RestoreProgress progress, MetricGroup group) {
            AtomicReference<RestoreProgress> shown = new AtomicReference<>(progress);
            AtomicReference<RestoreProgress> before = SHOWN.putIfAbsent(group, shown);
            if (before != null) {
                before.set(progress);
                return;
            }
            gauge(group, CHANGES, shown, RestoreProgress::changes);
            gauge(group, BYTES, shown, RestoreProgress::bytes);
            gauge(group, BASE_BYTES, shown, RestoreProgress::baseBytes);
            gauge(group, TIME_LEFT, shown, RestoreProgress::millisLeft);
            gauge(group, TIME, shown, RestoreProgress::totalMillis);
            gauge(group, BASE_TIME, shown, RestoreProgress::baseMillis);
            gauge(group, FETCH_TIME, shown, RestoreProgress::fetchMillis);
            gauge(group, DECODE_TIME, shown, RestoreProgress::decodeMillis);
            gauge(group, APPLY_TIME, shown, RestoreProgress::applyMillis);
            gauge(group, WAIT_TIME, shown, RestoreProgress::waitMillis);
        }

        private static void gauge(
                MetricGroup group,
                String name,
                AtomicReference<RestoreProgress> shown,
                ToLongFunction<RestoreProgress> figure) {
            group.<Long, Gauge<Long>>gauge(name, () -> figure.applyAsLong(shown.get()));
        }
    }
}
