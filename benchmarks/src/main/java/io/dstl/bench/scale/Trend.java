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
package io.dstl.bench.scale;

import io.dstl.bench.report.Column;
import io.dstl.bench.report.Quantity;
import io.dstl.harness.proxy.RequestJournal.RequestKind;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** One variant's figures at all simulated sizes. Immutable. */
final class Trend {
    private final Map<Integer, Column> sizes;

    /**
     * @param sizes what was found, by the number of simulated tasks
     */
    Trend(Map<Integer, Column> sizes) {
        this.sizes = new TreeMap<>(sizes);
    }

    /** Empty where it was found at fewer than two sizes. */
    Optional<Growth> of(Quantity... quantities) {
        Map<Integer, Double> measured = new TreeMap<>();
        sizes.forEach(
                (tasks, column) -> {
                    double sum = 0;
                    for (Quantity quantity : quantities) {
                        OptionalDouble found = column.median(quantity);
                        if (found.isEmpty()) {
                            return;
                        }
                        sum += found.getAsDouble();
                    }
                    measured.put(tasks, sum);
                });
        return measured.size() < 2 ? Optional.empty() : Optional.of(Growth.through(measured));
    }

    /** The figure of the most tasks that have it. */
    OptionalDouble last(Quantity quantity) {
        OptionalDouble last = OptionalDouble.empty();
        for (Column column : sizes.values()) {
            OptionalDouble found = column.median(quantity);
            last = found.isPresent() ? found : last;
        }
        return last;
    }

    /** Requests that S3 counts as writes, of the JobManager and of the TaskManagers. */
    Optional<Growth> writes() {
        return of(
                ScaleFigures.ofJobManager(RequestKind.PUT),
                ScaleFigures.ofJobManager(RequestKind.POST),
                ScaleFigures.ofJobManager(RequestKind.DELETE),
                ScaleFigures.NAMED);
    }

    /** The same, which S3 has a price for. */
    Optional<Growth> paidWrites() {
        return of(
                ScaleFigures.ofJobManager(RequestKind.PUT),
                ScaleFigures.ofJobManager(RequestKind.POST),
                ScaleFigures.NAMED);
    }

    Optional<Growth> reads() {
        return of(
                ScaleFigures.ofJobManager(RequestKind.GET),
                ScaleFigures.ofJobManager(RequestKind.HEAD));
    }

    Optional<Growth> deletions() {
        return of(ScaleFigures.ofJobManager(RequestKind.DELETE));
    }
}
