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

import io.dstl.bench.report.Samples.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Something that a benchmark finds out in each run: a row of its table, a key of its JSON. */
public final class Quantity {
    private final String title;
    private final String key;
    private final String format;
    private final OptionalDouble pooledShare;

    private Quantity(String title, String key, String format, OptionalDouble pooledShare) {
        this.title = title;
        this.key = key;
        this.format = format;
        this.pooledShare = pooledShare;
    }

    /**
     * One number per run; of several runs the median counts.
     *
     * @param title for readers, with the unit
     * @param key for programs; what has the same key is the same quantity
     * @param format of a number, as {@link String#format} knows it
     */
    public static Quantity of(String title, String key, String format) {
        return new Quantity(title, key, format, OptionalDouble.empty());
    }

    /**
     * A quantile too rare for one run: it is taken of the samples of all runs together.
     *
     * @param share of the samples that do not exceed it, from 0 to 1
     */
    public static Quantity pooled(String title, String key, String format, double share) {
        return new Quantity(title, key, format, OptionalDouble.of(share));
    }

    public String title() {
        return title;
    }

    public String key() {
        return key;
    }

    String format(double value) {
        return String.format(Locale.ROOT, format, value);
    }

    /** What several runs say together. */
    Spread spread(List<Finding> runs) {
        List<Double> all = new ArrayList<>();
        for (Finding run : runs) {
            for (double sample : run.samples()) {
                all.add(sample);
            }
        }
        double[] samples = all.stream().mapToDouble(Double::doubleValue).toArray();
        return pooledShare.isPresent()
                ? Spread.single(Samples.quantile(samples, pooledShare.getAsDouble()))
                : Spread.of(samples);
    }

    /** What one run found of a quantity, or why it found nothing. */
    public static final class Finding {
        private final Quantity quantity;
        private final double[] samples;
        private final String instead;

        private Finding(Quantity quantity, double[] samples, String instead) {
            this.quantity = quantity;
            this.samples = samples;
            this.instead = instead;
        }

        /**
         * @param samples one, or for a pooled quantity at least one
         */
        public static Finding of(Quantity quantity, double... samples) {
            if (samples.length == 0) {
                throw new IllegalArgumentException("no samples of " + quantity.key());
            }
            return new Finding(quantity, samples.clone(), "");
        }

        /**
         * @param reason a few words, which stand where the number would
         */
        public static Finding none(Quantity quantity, String reason) {
            return new Finding(quantity, new double[0], reason);
        }

        public Quantity quantity() {
            return quantity;
        }

        /** Whether there is a number, and not a reason why there is none. */
        public boolean found() {
            return samples.length > 0;
        }

        /** Empty when nothing was found. */
        double[] samples() {
            return samples.clone();
        }

        /** In place of the number; empty when there is one. */
        String instead() {
            return instead;
        }

        /** For the JSON: a number, numbers, or the reason. */
        public Object plain() {
            if (!found()) {
                return instead;
            }
            return samples.length == 1 ? (Object) samples[0] : samples.clone();
        }
    }
}
