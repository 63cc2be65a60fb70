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
package io.dstl.fs.metric;

import io.dstl.store.PutLatencies;
import io.dstl.store.PutObserver;
import io.dstl.store.SizeClass;
import java.util.Locale;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;

/**
 * How the puts of one storage fare against slow, failing and throttling stores; their requests and
 * outcomes go on to its {@link StorageMetrics}. Any thread.
 */
public final class PutMetrics implements PutObserver {

    public static final String HEDGES_SENT = "ChangelogStorage.hedgesSent";
    public static final String HEDGES_WON = "ChangelogStorage.hedgesWon";
    public static final String RETRIES = "ChangelogStorage.retries";
    public static final String THROTTLES = "ChangelogStorage.throttles";

    /** Followed by the name of a size class, in lower case. */
    public static final String LATENCY_PREFIX = "ChangelogStorage.putLatencyNanos_";

    private final MetricGroup group;
    private final StorageMetrics storage;
    private final Counter hedgesSent;
    private final Counter hedgesWon;
    private final Counter retries;
    private final Counter throttles;

    public PutMetrics(MetricGroup group, StorageMetrics storage) {
        this.group = group;
        this.storage = storage;
        this.hedgesSent = counter(HEDGES_SENT);
        this.hedgesWon = counter(HEDGES_WON);
        this.retries = counter(RETRIES);
        this.throttles = counter(THROTTLES);
    }

    private Counter counter(String name) {
        return group.counter(name, new ThreadSafeSimpleCounter());
    }

    @Override
    public void latencies(PutLatencies latencies) {
        for (SizeClass size : SizeClass.values()) {
            String name = LATENCY_PREFIX + size.name().toLowerCase(Locale.ROOT);
            group.histogram(name, latencies.of(size));
        }
    }

    @Override
    public void requestBegun() {
        storage.attemptBegun();
    }

    @Override
    public void requestStored(long bytes, long nanos) {
        storage.attemptSucceeded(bytes, nanos);
    }

    @Override
    public void requestFailed() {
        storage.attemptFailed();
    }

    @Override
    public void otherRequests(int sent) {
        storage.otherRequests(sent);
    }

    @Override
    public void throttled() {
        throttles.inc();
    }

    @Override
    public void retried() {
        retries.inc();
    }

    @Override
    public void hedgeSent() {
        hedgesSent.inc();
    }

    @Override
    public void hedgeWon() {
        hedgesWon.inc();
    }

    @Override
    public void stored(int winner, int started) {
        storage.uploadSucceeded(winner, started);
    }
}
