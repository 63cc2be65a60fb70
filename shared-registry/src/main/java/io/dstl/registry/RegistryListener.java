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
package io.dstl.registry;

import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Notified of the fate of segments, for metrics.
 *
 * <p><b>Threading.</b> Called on the thread that made the change ({@link #deleted} and {@link
 * #deleteFailed}: a deletion thread), outside the registry's lock, so possibly by several threads
 * at a time and in another order than the changes. Implementations are thread-safe, return at once
 * and do not throw.
 */
public interface RegistryListener {

    /** A segment has been stored and is tracked from now on. */
    default void registered(StreamStateHandle segment) {}

    /** The JobManager owns this segment from now on. */
    default void handedOver(StreamStateHandle segment) {}

    /** An object is gone from the store. */
    default void deleted(StreamStateHandle segment) {}

    /** An object could not be deleted and stays in the store. */
    default void deleteFailed(StreamStateHandle segment, Throwable cause) {}

    /** A segment stays in the store as a checkpoint may refer to it; it may have no owner. */
    default void leftBehind(StreamStateHandle segment) {}

    /** Ignores all notifications. */
    static RegistryListener none() {
        return new RegistryListener() {};
    }

    /** Metrics of the segments of one job on one TaskManager. Any thread. */
    final class RegistryMetrics implements RegistryListener {

        public static final String LIVE_SEGMENTS = "ChangelogStorage.liveSegments";
        public static final String LIVE_BYTES = "ChangelogStorage.liveBytes";
        public static final String PINNED_SEGMENTS = "ChangelogStorage.pinnedSegments";
        public static final String DELETED_SEGMENTS = "ChangelogStorage.deletedSegments";
        public static final String DELETE_FAILURES = "ChangelogStorage.deleteFailures";

        private final MetricGroup group;
        private final Counter deleted;
        private final Counter failures;

        public RegistryMetrics(MetricGroup group) {
            this.group = group;
            this.deleted = group.counter(DELETED_SEGMENTS, new ThreadSafeSimpleCounter());
            this.failures = group.counter(DELETE_FAILURES, new ThreadSafeSimpleCounter());
        }

        /** Shows the segments that this registry tracks. */
        public void show(SegmentRegistry registry) {
            group.gauge(LIVE_SEGMENTS, registry::liveSegments);
            group.gauge(LIVE_BYTES, registry::liveBytes);
            group.gauge(PINNED_SEGMENTS, registry::pinnedSegments);
        }

        @Override
        public void deleted(StreamStateHandle segment) {
            deleted.inc();
        }

        @Override
        public void deleteFailed(StreamStateHandle segment, Throwable cause) {
            failures.inc();
        }
    }
}
