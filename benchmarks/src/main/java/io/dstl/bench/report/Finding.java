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

/** What one run found of a quantity, or why it found nothing. */
public final class Finding {
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

    boolean found() {
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
