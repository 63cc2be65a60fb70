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
package io.dstl.harness.proxy;

import io.dstl.harness.proxy.RequestJournal.RequestKind;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;

/**
 * Draws how long requests take. The n-th request of a kind gets the same latency under the same
 * seed, whatever comes between: so two variants that put as many objects meet the same slow puts.
 * For any thread.
 */
public final class Latencies {
    private static final double NANOS_PER_MILLI = 1e6;

    private final Settings settings;
    private final Map<RequestKind, Random> chance = new EnumMap<>(RequestKind.class);

    public Latencies(long seed, Settings settings) {
        this.settings = settings;
        for (RequestKind kind : RequestKind.values()) {
            chance.put(kind, new Random(seed + kind.ordinal()));
        }
    }

    /** The latency of the next request of that kind. */
    Duration next(RequestKind kind) {
        Random random = chance.get(kind);
        double gaussian;
        boolean slow;
        synchronized (random) {
            gaussian = random.nextGaussian();
            slow = random.nextDouble() < settings.slowShare && kind == RequestKind.PUT;
        }
        if (slow) {
            return settings.slow;
        }
        double millis = settings.medianMillis * Math.exp(settings.sigma * gaussian);
        return Duration.ofNanos((long) (millis * kind.weight() * NANOS_PER_MILLI));
    }

    /** The shape of the latencies. */
    public static final class Settings {
        private final double medianMillis;
        private final double sigma;
        private final double slowShare;
        private final Duration slow;

        /**
         * @param medianMillis of a request that writes; one that does not takes half as long
         * @param sigma of the logarithm
         * @param slowShare of the puts, from 0 to 1
         * @param slow how long those take
         */
        public Settings(double medianMillis, double sigma, double slowShare, Duration slow) {
            if (medianMillis < 0 || sigma < 0 || slowShare < 0 || slowShare > 1) {
                throw new IllegalArgumentException(
                        "latencies need a median and a sigma of 0 or more and a share from 0 to 1,"
                                + " not "
                                + medianMillis
                                + ", "
                                + sigma
                                + " and "
                                + slowShare);
            }
            this.medianMillis = medianMillis;
            this.sigma = sigma;
            this.slowShare = slowShare;
            this.slow = slow;
        }

        /** No latency at all. */
        public static Settings none() {
            return new Settings(0, 0, 0, Duration.ZERO);
        }

        @Override
        public String toString() {
            if (medianMillis == 0 && slowShare == 0) {
                return "none added";
            }
            return "log-normal, median "
                    + medianMillis
                    + " ms (GET, HEAD, DELETE half), sigma "
                    + sigma
                    + ", "
                    + slowShare * 100
                    + "% of PUTs "
                    + slow.toMillis()
                    + " ms";
        }
    }

    /**
     * How fast the store sends what it is asked for: the bytes per second of one connection, as an
     * object store has a limit for. Immutable.
     */
    public static final class Bandwidth {
        private static final double NANOS = 1e9;
        private static final Bandwidth UNLIMITED = new Bandwidth(0);

        private final long bytesPerSecond;

        private Bandwidth(long bytesPerSecond) {
            this.bytesPerSecond = bytesPerSecond;
        }

        /** As fast as it can. */
        public static Bandwidth unlimited() {
            return UNLIMITED;
        }

        public static Bandwidth of(long bytesPerSecond) {
            if (bytesPerSecond < 1) {
                throw new IllegalArgumentException(
                        "a bandwidth is " + bytesPerSecond + " B/s: give 1 or more");
            }
            return new Bandwidth(bytesPerSecond);
        }

        boolean isLimited() {
            return bytesPerSecond > 0;
        }

        @Override
        public String toString() {
            return isLimited()
                    ? bytesPerSecond / 1e6 + " MB/s at most for each answer"
                    : "not limited";
        }

        /** How long such a part of an answer takes, at least. */
        Duration timeOf(int bytes) {
            return isLimited()
                    ? Duration.ofNanos((long) (bytes * NANOS / bytesPerSecond))
                    : Duration.ZERO;
        }
    }
}
