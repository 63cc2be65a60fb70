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
package io.dstl.e2e.dashboard;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Units of Grafana, by its ids: how a value of an axis reads. */
enum Unit {
    NONE("", 1, "", "k", "M", "G"),
    SHORT("short", 1, "", " K", " Mil", " Bil"),
    MILLIS("ms", 1, " ms", " s"),
    NANOS("ns", 1, " ns", " µs", " ms", " s"),
    BYTES("decbytes", 1, " B", " kB", " MB", " GB", " TB"),
    BYTES_PER_SECOND("Bps", 1, " B/s", " kB/s", " MB/s", " GB/s"),
    REQUESTS_PER_SECOND("reqps", 1, " req/s", "K req/s"),
    OPERATIONS_PER_SECOND("ops", 1, " ops/s", "K ops/s", "M ops/s"),
    PER_MINUTE("cpm", 1, " /min", "K /min"),
    SHARE("percentunit", 100, "%");

    private static final double THOUSAND = 1000;

    private final String id;
    private final double factor;
    private final List<String> suffixes;

    /**
     * @param factor of what is shown
     * @param suffixes each for values a thousand times those of the one before
     */
    Unit(String id, double factor, String... suffixes) {
        this.id = id;
        this.factor = factor;
        this.suffixes = List.of(suffixes);
    }

    /**
     * @throws IllegalArgumentException that names the unit, if no picture has had it yet
     */
    static Unit of(String id) {
        return Arrays.stream(values())
                .filter(unit -> unit.id.equals(id))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "The unit of a panel is " + id + ": add it to Unit"));
    }

    /** For a reader. */
    String format(double value) {
        double shown = value * factor;
        int suffix = 0;
        while (Math.abs(shown) >= THOUSAND && suffix < suffixes.size() - 1) {
            shown /= THOUSAND;
            suffix++;
        }
        String number = String.format(Locale.ROOT, "%.3f", shown);
        return number.replaceFirst("\\.?0+$", "") + suffixes.get(suffix);
    }
}
