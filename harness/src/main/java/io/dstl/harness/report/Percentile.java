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
package io.dstl.harness.report;

import io.dstl.harness.rest.Distribution;
import java.util.function.ToDoubleFunction;

/** The percentiles that a report gives. */
public enum Percentile {
    P50("p50", Distribution::p50),
    P90("p90", Distribution::p90),
    P99("p99", Distribution::p99),
    P999("p99.9", Distribution::p999);

    private final String title;
    private final ToDoubleFunction<Distribution> value;

    Percentile(String title, ToDoubleFunction<Distribution> value) {
        this.title = title;
        this.value = value;
    }

    public String title() {
        return title;
    }

    public double of(Distribution distribution) {
        return value.applyAsDouble(distribution);
    }
}
