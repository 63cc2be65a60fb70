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
package io.dstl.store;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.HistogramStatistics;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/**
 * How long the last requests of each size class took, and from when on one is late: at the 99th
 * percentile, or at some medians if that is earlier. For where one request in a hundred hangs, the
 * 99th percentile is now one of the good ones and now one of those that hang. The first few tell
 * the median only.
 *
 * <p>The medians are as many as leave three late requests for four hedges, but at least two and at
 * most four. Two, so that a late request and its hedge take no four medians together; more where
 * many requests take longer, as hedges would be used up by those that are nearly done.
 *
 * <p><b>Threading.</b> Any thread: the histograms are thread-safe.
 */
public final class PutLatencies {

    /** Requests that count, per class: at one a second the last eight minutes. */
    static final int WINDOW = 500;

    /** Requests seen until there is an estimate: ten seconds at one a second. */
    static final int WARM_UP = 10;

    /** Requests seen until their 99th percentile counts. */
    static final int KNOWS_THE_QUANTILE = 50;

    private static final double LATE_QUANTILE = 0.99;
    private static final double FEWEST_MEDIANS = 2;
    private static final double MOST_MEDIANS = 4;

    /** Late requests for each hedge: it is the mean, and there are times with more of them. */
    private static final double LATE_PER_HEDGE = 0.75;

    /** Of hedges, to all requests; where there are more, no more requests are late. */
    private static final double LARGEST_SHARE = 0.05;

    /** Late requests seen, of the share that is looked for, until it is known. */
    private static final int KNOWS_THE_SHARE = 2;

    private final Map<SizeClass, Histogram> nanos = new EnumMap<>(SizeClass.class);

    public PutLatencies() {
        for (SizeClass size : SizeClass.values()) {
            nanos.put(size, new DescriptiveStatisticsHistogram(WINDOW));
        }
    }

    /** The request has succeeded after this time, or was given up after it. */
    void record(SizeClass size, long tookNanos) {
        nanos.get(size).update(tookNanos);
    }

    /**
     * From when on a request is late; empty while too few have been seen.
     *
     * @param share of all requests for which there are hedges, above 0
     */
    Optional<Duration> late(SizeClass size, double share) {
        Histogram seen = nanos.get(size);
        long count = seen.getCount();
        if (count < WARM_UP) {
            return Optional.empty();
        }
        HistogramStatistics statistics = seen.getStatistics();
        double median = statistics.getQuantile(0.5);
        double late = FEWEST_MEDIANS * median;
        double wanted = LATE_PER_HEDGE * Math.min(share, LARGEST_SHARE);
        if (count * wanted >= KNOWS_THE_SHARE) {
            late = Math.max(late, statistics.getQuantile(1 - wanted));
            late = Math.min(late, MOST_MEDIANS * median);
        }
        if (count >= KNOWS_THE_QUANTILE) {
            late = Math.min(late, statistics.getQuantile(LATE_QUANTILE));
        }
        return Optional.of(Duration.ofNanos((long) late));
    }

    /** What has been recorded, in ns; for metrics. */
    public Histogram of(SizeClass size) {
        return nanos.get(size);
    }

    /** Puts that may be expected to take about the same time. */
    public enum SizeClass {
        /** One round trip, whatever the size. */
        UP_TO_64_KB(1 << 16),
        UP_TO_1_MB(1 << 20),
        UP_TO_8_MB(1 << 23),
        ABOVE_8_MB(Long.MAX_VALUE);

        private final long maxBytes;

        SizeClass(long maxBytes) {
            this.maxBytes = maxBytes;
        }

        public static SizeClass of(long bytes) {
            for (SizeClass each : values()) {
                if (bytes <= each.maxBytes) {
                    return each;
                }
            }
            throw new AssertionError("beyond all sizes: " + bytes);
        }
    }
}
