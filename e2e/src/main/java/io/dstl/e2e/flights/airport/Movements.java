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

import io.dstl.e2e.flights.input.Flight;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.util.Collector;

/** Turns a flight into its two movements, both at its scheduled departure in event time. */
public final class Movements implements FlatMapFunction<Flight, Movement> {
    private static final long serialVersionUID = 1L;

    @Override
    public void flatMap(Flight flight, Collector<Movement> out) {
        out.collect(Movement.departure(flight));
        out.collect(Movement.arrival(flight));
    }
}
