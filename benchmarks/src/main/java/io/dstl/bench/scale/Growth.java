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

import java.util.Map;
import java.util.OptionalDouble;

/**
 * How a figure grows with the number of tasks: the straight line through what was measured, by
 * least squares. Immutable.
 */
final class Growth {
    private final double base;
    private final double perTask;

    private Growth(double base, double perTask) {
        this.base = base;
        this.perTask = perTask;
    }

    /**
     * @param measured the figure by the number of tasks; two at least
     * @throws IllegalArgumentException if there are fewer
     */
    static Growth through(Map<Integer, Double> measured) {
        if (measured.size() < 2) {
            throw new IllegalArgumentException("two sizes are needed to carry a figure on");
        }
        double tasks = measured.keySet().stream().mapToDouble(one -> one).average().orElseThrow();
        double mean = measured.values().stream().mapToDouble(one -> one).average().orElseThrow();
        double together = 0;
        double squares = 0;
        for (Map.Entry<Integer, Double> one : measured.entrySet()) {
            double distance = one.getKey() - tasks;
            together += distance * (one.getValue() - mean);
            squares += distance * distance;
        }
        double slope = together / squares;
        return new Growth(mean - slope * tasks, slope);
    }

    /** What it comes to at so many tasks; not below 0. */
    double at(double tasks) {
        return Math.max(0, base + perTask * tasks);
    }

    /**
     * The number of tasks at which it comes to that: 0 where it is there with any number, empty
     * where it does not grow to it.
     *
     * @param most tasks that count where it does not grow
     */
    OptionalDouble reaches(double limit, double most) {
        if (perTask <= 0) {
            return base + perTask * most >= limit ? OptionalDouble.of(0) : OptionalDouble.empty();
        }
        return OptionalDouble.of(Math.max(0, (limit - base) / perTask));
    }
}
