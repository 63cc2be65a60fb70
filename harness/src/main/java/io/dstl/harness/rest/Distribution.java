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
package io.dstl.harness.rest;

import com.fasterxml.jackson.databind.JsonNode;

/** The percentiles that Flink keeps of one figure of all checkpoints, in that figure's unit. */
public final class Distribution {
    private final double p50;
    private final double p90;
    private final double p99;
    private final double p999;

    private Distribution(double p50, double p90, double p99, double p999) {
        this.p50 = p50;
        this.p90 = p90;
        this.p99 = p99;
        this.p999 = p999;
    }

    static Distribution of(JsonNode json) {
        return new Distribution(
                percentile(json, "p50"),
                percentile(json, "p90"),
                percentile(json, "p99"),
                percentile(json, "p999"));
    }

    public double p50() {
        return p50;
    }

    public double p90() {
        return p90;
    }

    public double p99() {
        return p99;
    }

    public double p999() {
        return p999;
    }

    /** Flink says "NaN", in quotes, while there is no checkpoint yet. */
    private static double percentile(JsonNode json, String name) {
        return Json.required(json, name).asDouble(Double.NaN);
    }
}
