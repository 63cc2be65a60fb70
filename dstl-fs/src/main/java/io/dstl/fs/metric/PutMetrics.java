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

import java.util.Locale;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;

/** How one storage fares against slow, failing and throttling stores. Any thread. */
public final class PutMetrics {

    public static final String HEDGES_SENT = "ChangelogStorage.hedgesSent";
    public static final String HEDGES_WON = "ChangelogStorage.hedgesWon";
    public static final String RETRIES = "ChangelogStorage.retries";
    public static final String THROTTLES = "ChangelogStorage.throttles";

    /** Followed by the name of a size class, in lower case. */
    public static final String LATENCY_PREFIX = "ChangelogStorage.putLatencyNanos_";

    private final MetricGroup group;
    private final Counter hedgesSent;
    private final Counter hedgesWon;
    private final Counter retries;
    private final Counter throttles;

    public PutMetrics(MetricGroup group) {
        this.group = group;
        this.hedgesSent = counter(HEDGES_SENT);
        this.hedgesWon = counter(HEDGES_WON);
        this.retries = counter(RETRIES);
        this.throttles = counter(THROTTLES);
    }

    private Counter counter(String name) {
        return group.counter(name, new ThreadSafeSimpleCounter());
    }

    /** A second request was made beside one that is late. */
    public void hedgeSent() {
        hedgesSent.inc();
    }

    public void hedgeWon() {
        hedgesWon.inc();
    }

    /** An attempt was started after one that failed or timed out. */
    public void retried() {
        retries.inc();
    }

    /** The store has asked for fewer requests. */
    public void throttled() {
        throttles.inc();
    }

    /**
     * Shows the latencies of one size class.
     *
     * @param nanos thread-safe
     */
    public void showLatencies(Enum<?> sizeClass, Histogram nanos) {
        group.histogram(LATENCY_PREFIX + sizeClass.name().toLowerCase(Locale.ROOT), nanos);
    }
}
