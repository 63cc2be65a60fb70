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
 * Durations of the last requests of each size class, and from when on a request is late: at the
 * 99th percentile, or at a multiple of the median if that is earlier. If one request in a hundred
 * hangs, the 99th percentile falls now on a good one and now on one that hangs. Of the first few
 * requests only the median is used.
 *
 * <p>The multiple leaves three late requests for four hedges, but is at least two and at most four:
 * two, so that a late request and its hedge do not take four medians together; more if many
 * requests take longer, as those that are nearly done would use up the hedges.
 *
 * <p><b>Threading.</b> Any thread: the histograms are thread-safe.
 */
public final class PutLatencies {

    /** Requests that count, per class: at one a second the last eight minutes. */
    static final int WINDOW = 500;

    /** Requests before the first estimate: ten seconds at one a second. */
    static final int WARM_UP = 10;

    /** Requests before their 99th percentile counts. */
    static final int KNOWS_THE_QUANTILE = 50;

    private static final double LATE_QUANTILE = 0.99;
    private static final double FEWEST_MEDIANS = 2;
    private static final double MOST_MEDIANS = 4;

    /** Mean number of late requests for each hedge; at times there are more. */
    private static final double LATE_PER_HEDGE = 0.75;

    /** Largest share of hedges in all requests; a larger budget makes no more requests late. */
    private static final double LARGEST_SHARE = 0.05;

    /** Late requests seen, at the wanted share, before that share is known. */
    private static final int KNOWS_THE_SHARE = 2;

    private final Map<SizeClass, Histogram> nanos = new EnumMap<>(SizeClass.class);

    public PutLatencies() {
        for (SizeClass size : SizeClass.values()) {
            nanos.put(size, new DescriptiveStatisticsHistogram(WINDOW));
        }
    }

    /** The request has succeeded, or was given up, after this time. */
    void record(SizeClass size, long tookNanos) {
        nanos.get(size).update(tookNanos);
    }

    /**
     * The time after which a request is late; empty while too few have been seen.
     *
     * @param share of all requests that may be hedged, above 0
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

    /** The recorded durations, in ns; for metrics. */
    public Histogram of(SizeClass size) {
        return nanos.get(size);
    }

    /** Puts of similar expected duration. */
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
