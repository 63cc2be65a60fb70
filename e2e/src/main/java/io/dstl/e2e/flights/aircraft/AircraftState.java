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
package io.dstl.e2e.flights.aircraft;

import io.dstl.e2e.flights.input.Flight;
import io.dstl.e2e.flights.result.ResultRow;
import io.dstl.e2e.flights.result.ResultRow.RowKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;

/** All that is kept per aircraft, one state of each kind. Works on the current key. */
public final class AircraftState {
    /** How many delays are remembered one by one. */
    static final int RECENT = 10;

    /**
     * Counted in processing time, so it has to outlast any run: rows must not depend on how fast
     * the job is. What it adds are the timestamps in the state and the clean-up that looks at them.
     */
    private static final Duration ROUTES_TTL = Duration.ofDays(30);

    private static final int CLEANUP_ENTRIES = 5;
    private static final int CLEANUP_CLOCK_ENTRIES = 1_000;

    private final ValueState<LastFlight> last;
    private final ValueState<Turnarounds> turnarounds;
    private final MapState<String, RouteDelays> routes;
    private final ListState<Integer> recent;
    private final ReducingState<FlightTotals> totals;
    private final AggregatingState<Flight, Long> speed;

    AircraftState(RuntimeContext context) {
        last = context.getState(new ValueStateDescriptor<>("last-flight", LastFlight.class));
        turnarounds = context.getState(new ValueStateDescriptor<>("turnaround", Turnarounds.class));
        routes = context.getMapState(routesDescriptor());
        recent = context.getListState(new ListStateDescriptor<>("recent-delays", Integer.class));
        totals =
                context.getReducingState(
                        new ReducingStateDescriptor<>(
                                "totals", new FlightTotals.Sum(), FlightTotals.class));
        speed =
                context.getAggregatingState(
                        new AggregatingStateDescriptor<>(
                                "speed", new Cruise.Speed(), Cruise.class));
    }

    private static MapStateDescriptor<String, RouteDelays> routesDescriptor() {
        MapStateDescriptor<String, RouteDelays> descriptor =
                new MapStateDescriptor<>("route-delays", String.class, RouteDelays.class);
        descriptor.enableTimeToLive(
                StateTtlConfig.newBuilder(ROUTES_TTL)
                        .cleanupIncrementally(CLEANUP_ENTRIES, false)
                        .cleanupInRocksdbCompactFilter(CLEANUP_CLOCK_ENTRIES)
                        .build());
        return descriptor;
    }

    /** Whether nothing has been added for the current key. */
    boolean isNew() throws Exception {
        return last.value() == null;
    }

    Turnarounds turnarounds() throws Exception {
        Turnarounds current = turnarounds.value();
        return current == null ? new Turnarounds() : current;
    }

    void update(Turnarounds changed) throws Exception {
        turnarounds.update(changed);
    }

    /** Adds a flight to everything but the turnarounds. */
    void add(Flight flight) throws Exception {
        last.update(LastFlight.of(flight));
        totals.add(FlightTotals.of(flight));
        if (flight.departed()) {
            addToRoute(flight.route(), flight.departureDelay);
            addToRecent(flight.departureDelay);
        }
        if (flight.landed()) {
            speed.add(flight);
        }
    }

    private void addToRoute(String route, int delay) throws Exception {
        RouteDelays delays = routes.get(route);
        if (delays == null) {
            delays = new RouteDelays();
        }
        delays.add(delay);
        routes.put(route, delays);
    }

    private void addToRecent(int delay) throws Exception {
        List<Integer> delays = recentDelays();
        if (delays.size() < RECENT) {
            recent.add(delay);
            return;
        }
        delays.remove(0);
        delays.add(delay);
        recent.update(delays);
    }

    private List<Integer> recentDelays() throws Exception {
        List<Integer> delays = new ArrayList<>(RECENT);
        recent.get().forEach(delays::add);
        return delays;
    }

    /** Everything that is known about the current key. */
    String row(String aircraft) throws Exception {
        FlightTotals sum = totals.get();
        LastFlight latest = last.value();
        Turnarounds turns = turnarounds();
        return ResultRow.about(RowKind.AIRCRAFT, aircraft)
                .with("flights", sum.flights)
                .with("departed", sum.departed)
                .with("landed", sum.landed)
                .with("delay", sum.departureDelay)
                .with("miles", sum.distance)
                .with("mph", speed.get())
                .with("in-time", turns.inTime)
                .with("missed", turns.missed)
                .with("last", latest.designator)
                .with("last-route", latest.route)
                .withTime("last-scheduled", latest.scheduled)
                .with("last-delay", latest.departureDelay)
                .with("recent", recentDelays())
                .with("routes", routesText())
                .line();
    }

    /** Sorted by route: a map state has no order of its own. */
    private String routesText() throws Exception {
        Map<String, RouteDelays> sorted = new TreeMap<>();
        for (Map.Entry<String, RouteDelays> entry : routes.entries()) {
            sorted.put(entry.getKey(), entry.getValue());
        }
        StringJoiner text = new StringJoiner(",", "{", "}");
        sorted.forEach(
                (route, delays) ->
                        text.add(
                                route
                                        + ':'
                                        + delays.departures
                                        + '/'
                                        + delays.total
                                        + '/'
                                        + delays.worst));
        return text.toString();
    }

    /** How far and how long an aircraft has flown. A Flink POJO. */
    public static class Cruise {
        private static final long MINUTES_PER_HOUR = 60;

        public long miles;
        public long minutes;

        private Cruise plus(long moreMiles, long moreMinutes) {
            Cruise sum = new Cruise();
            sum.miles = miles + moreMiles;
            sum.minutes = minutes + moreMinutes;
            return sum;
        }

        /**
         * Miles per hour, rounded down, of flights that landed; {@code null} without any flying.
         */
        static final class Speed implements AggregateFunction<Flight, Cruise, Long> {
            @Override
            public Cruise createAccumulator() {
                return new Cruise();
            }

            @Override
            public Cruise add(Flight flight, Cruise sum) {
                return sum.plus(flight.distance, flight.airTime);
            }

            @Override
            public Long getResult(Cruise sum) {
                return sum.minutes == 0 ? null : sum.miles * MINUTES_PER_HOUR / sum.minutes;
            }

            @Override
            public Cruise merge(Cruise a, Cruise b) {
                return a.plus(b.miles, b.minutes);
            }
        }
    }

    /** Sums over flights of one aircraft. A Flink POJO. */
    public static class FlightTotals {
        public long flights;
        public long departed;
        public long landed;

        /** Minutes, of the flights that departed. */
        public long departureDelay;

        /** Miles, of the flights that landed. */
        public long distance;

        static FlightTotals of(Flight flight) {
            FlightTotals totals = new FlightTotals();
            totals.flights = 1;
            if (flight.departed()) {
                totals.departed = 1;
                totals.departureDelay = flight.departureDelay;
            }
            if (flight.landed()) {
                totals.landed = 1;
                totals.distance = flight.distance;
            }
            return totals;
        }

        /** Adds two totals up; changes neither. */
        static final class Sum implements ReduceFunction<FlightTotals> {
            @Override
            public FlightTotals reduce(FlightTotals a, FlightTotals b) {
                FlightTotals sum = new FlightTotals();
                sum.flights = a.flights + b.flights;
                sum.departed = a.departed + b.departed;
                sum.landed = a.landed + b.landed;
                sum.departureDelay = a.departureDelay + b.departureDelay;
                sum.distance = a.distance + b.distance;
                return sum;
            }
        }
    }

    /** What is kept of the latest flight of an aircraft. A Flink POJO. */
    public static class LastFlight {
        public long scheduled;
        public String designator;
        public String route;

        /** {@code null} if it was cancelled. */
        public Integer departureDelay;

        static LastFlight of(Flight flight) {
            LastFlight last = new LastFlight();
            last.scheduled = flight.scheduled;
            last.designator = flight.designator();
            last.route = flight.route();
            last.departureDelay = flight.departureDelay;
            return last;
        }
    }

    /** Departures of one aircraft on one route and their delays. A Flink POJO. */
    public static class RouteDelays {
        public long departures;

        /** Minutes. */
        public long total;

        /** Minutes. */
        public int worst = Integer.MIN_VALUE;

        void add(int delay) {
            departures++;
            total += delay;
            worst = Math.max(worst, delay);
        }
    }
}
