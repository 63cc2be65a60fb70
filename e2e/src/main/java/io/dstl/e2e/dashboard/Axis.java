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

import java.util.ArrayList;
import java.util.List;

/** An axis from 0 to a round end, with lines at round values. Immutable. */
final class Axis {
    private static final double[] ROUND = {1, 2, 5, 10};

    private final double step;
    private final int steps;

    private Axis(double step, int steps) {
        this.step = step;
        this.steps = steps;
    }

    /**
     * The smallest that has room for this value.
     *
     * @param largest 0 or more; an axis for zeros alone ends at 1
     * @param atMost how many steps there may be, 1 or more
     */
    static Axis upTo(double largest, int atMost) {
        double end = largest > 0 ? largest : 1;
        double power = Math.pow(10, Math.floor(Math.log10(end / atMost)));
        for (double round : ROUND) {
            double step = round * power;
            // A rest of the division by which no line is missing.
            int steps = (int) Math.ceil(end / step - 1e-9);
            if (steps <= atMost) {
                return new Axis(step, steps);
            }
        }
        throw new IllegalStateException("no axis up to " + largest);
    }

    double end() {
        return step * steps;
    }

    /** Of all lines, from 0 to the end. */
    List<Double> ticks() {
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; i <= steps; i++) {
            ticks.add(i * step);
        }
        return ticks;
    }
}
