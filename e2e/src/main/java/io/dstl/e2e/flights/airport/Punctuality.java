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

import org.apache.flink.api.common.functions.AggregateFunction;

/** How many movements were how late. A Flink POJO. */
public class Punctuality {
    private static final int LATE_MINUTES = 15;
    private static final int VERY_LATE_MINUTES = 60;

    public long early;
    public long onTime;
    public long late;
    public long veryLate;
    public long absent;

    private void count(Integer delay) {
        if (delay == null) {
            absent++;
        } else if (delay < 0) {
            early++;
        } else if (delay < LATE_MINUTES) {
            onTime++;
        } else if (delay < VERY_LATE_MINUTES) {
            late++;
        } else {
            veryLate++;
        }
    }

    private Punctuality plus(Punctuality other) {
        Punctuality sum = new Punctuality();
        sum.early = early + other.early;
        sum.onTime = onTime + other.onTime;
        sum.late = late + other.late;
        sum.veryLate = veryLate + other.veryLate;
        sum.absent = absent + other.absent;
        return sum;
    }

    /** Counts movements. */
    static final class Count implements AggregateFunction<Movement, Punctuality, Punctuality> {
        private static final long serialVersionUID = 1L;

        @Override
        public Punctuality createAccumulator() {
            return new Punctuality();
        }

        @Override
        public Punctuality add(Movement movement, Punctuality counts) {
            counts.count(movement.delay);
            return counts;
        }

        @Override
        public Punctuality getResult(Punctuality counts) {
            return counts;
        }

        @Override
        public Punctuality merge(Punctuality a, Punctuality b) {
            return a.plus(b);
        }
    }
}
