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
package io.dstl.e2e.scenario;

import java.time.Duration;

/**
 * How many flights a job reads per second, at least 1, over all its subtasks. Its text is the job's
 * option.
 */
final class FlightRate {
    private final int perSecond;

    private FlightRate(int perSecond) {
        this.perSecond = perSecond;
    }

    /**
     * @param perSecond at least 1
     */
    static FlightRate of(int perSecond) {
        if (perSecond < 1) {
            throw new IllegalArgumentException("--rate is " + perSecond + ": give 1 or more");
        }
        return new FlightRate(perSecond);
    }

    /**
     * With which so many cores are busy.
     *
     * @param used CPU time of those flights
     * @param flights at least 1
     */
    static FlightRate keepingBusy(double cores, Duration used, FlightCount flights) {
        double perSecond = cores * flights.flights() * 1e9 / used.toNanos();
        return new FlightRate((int) Math.max(1, Math.min(perSecond, Integer.MAX_VALUE)));
    }

    /** How many it reads in that time. */
    FlightCount in(Duration time) {
        return new FlightCount(perSecond * time.toSeconds());
    }

    /** This one, or the one with which so many last so long, if that is less. */
    FlightRate atMost(FlightCount flights, Duration time) {
        return new FlightRate(
                (int) Math.max(1, Math.min(perSecond, flights.flights() / time.toSeconds())));
    }

    boolean isBelow(FlightRate other) {
        return perSecond < other.perSecond;
    }

    @Override
    public String toString() {
        return Integer.toString(perSecond);
    }

    /** A number of flights. */
    static final class FlightCount {
        static final FlightCount NONE = new FlightCount(0);

        private final long flights;

        FlightCount(long flights) {
            this.flights = flights;
        }

        long flights() {
            return flights;
        }

        FlightCount plus(long more) {
            return new FlightCount(flights + more);
        }

        FlightCount max(FlightCount other) {
            return flights >= other.flights ? this : other;
        }

        FlightCount min(FlightCount other) {
            return flights <= other.flights ? this : other;
        }

        /** From 0 to 1. */
        double shareOf(FlightCount total) {
            return Math.min(1, (double) flights / total.flights);
        }
    }
}
