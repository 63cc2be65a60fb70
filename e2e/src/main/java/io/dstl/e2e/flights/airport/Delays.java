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
package io.dstl.e2e.flights.airport;

import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.ReduceFunction;

/** Delays of movements at one airport, summed up. A Flink POJO. */
public class Delays {
    public String airport;
    public long movements;

    /** Minutes; movements that did not take place count as 0. */
    public long total;

    /** Minutes; {@code null} while no movement took place. */
    public Integer worst;

    private static Integer worse(Integer a, Integer b) {
        if (a == null || b == null) {
            return a == null ? b : a;
        }
        return Math.max(a, b);
    }

    /** The delays of one movement. */
    static final class OfOne implements MapFunction<Movement, Delays> {
        private static final long serialVersionUID = 1L;

        @Override
        public Delays map(Movement movement) {
            Delays delays = new Delays();
            delays.airport = movement.airport;
            delays.movements = 1;
            delays.total = movement.delay == null ? 0 : movement.delay;
            delays.worst = movement.delay;
            return delays;
        }
    }

    /** Adds delays of one airport up; changes neither. */
    static final class Sum implements ReduceFunction<Delays> {
        private static final long serialVersionUID = 1L;

        @Override
        public Delays reduce(Delays a, Delays b) {
            Delays sum = new Delays();
            sum.airport = a.airport;
            sum.movements = a.movements + b.movements;
            sum.total = a.total + b.total;
            sum.worst = worse(a.worst, b.worst);
            return sum;
        }
    }
}
