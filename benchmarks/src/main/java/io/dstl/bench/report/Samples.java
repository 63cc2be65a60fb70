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
package io.dstl.bench.report;

import java.util.Arrays;

/** Sums up samples. */
public final class Samples {
    private Samples() {}

    /**
     * The smallest sample that so great a share do not exceed.
     *
     * @param samples at least one, in any order
     * @param share from 0 to 1
     */
    public static double quantile(double[] samples, double share) {
        double[] sorted = sorted(samples);
        int rank = (int) Math.ceil(share * sorted.length);
        return sorted[Math.max(0, rank - 1)];
    }

    /** The sample in the middle, or the mean of the two there. */
    public static double median(double[] samples) {
        double[] sorted = sorted(samples);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static double[] sorted(double[] samples) {
        if (samples.length == 0) {
            throw new IllegalArgumentException("there are no samples");
        }
        double[] sorted = samples.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    /** A middle and how far the runs lie around it. */
    static final class Spread {
        final double median;
        final double min;
        final double max;

        private Spread(double median, double min, double max) {
            this.median = median;
            this.min = min;
            this.max = max;
        }

        static Spread single(double value) {
            return new Spread(value, value, value);
        }

        /**
         * @param runs at least one number
         */
        static Spread of(double[] runs) {
            return new Spread(
                    Samples.median(runs), Samples.quantile(runs, 0), Samples.quantile(runs, 1));
        }
    }
}
