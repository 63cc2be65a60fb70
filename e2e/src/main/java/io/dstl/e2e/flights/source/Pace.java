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
package io.dstl.e2e.flights.source;

import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * How fast a reader may pass over the rows of the file, its own and the others': every reader
 * passes over all rows at the same pace, so together they emit the asked number of flights per
 * second and stay abreast in event time.
 *
 * <p>Called by one reader, on its task thread.
 */
public interface Pace {
    /** Whether a reader that has passed {@code passed} rows since it began may pass one more. */
    boolean permits(long passed);

    /** Completes, on any thread, when it is worth asking {@link #permits} again. */
    CompletableFuture<Void> pause();

    /** Makes the pace of a reader when it begins to read; travels to the TaskManagers. */
    @FunctionalInterface
    interface Starter extends Serializable {
        /** A pace that counts from now. */
        Pace start();
    }

    /** So many rows per second; 0 = unlimited. */
    static Starter of(double rowsPerSecond) {
        return () -> new SteadyPace(new SystemTimer(), rowsPerSecond);
    }

    /**
     * So many rows per second from the moment it is made, or as many as it takes. For one thread.
     */
    final class SteadyPace implements Pace {
        private static final double NANOS_PER_SECOND = 1e9;

        /** Short enough to look even, long enough that waking up costs little. */
        private static final Duration STEP = Duration.ofMillis(5);

        private final Timer timer;
        private final double rowsPerSecond;
        private final long start;
        private long allowed;

        /** Starts now; {@code rowsPerSecond} 0 = unlimited. */
        SteadyPace(Timer timer, double rowsPerSecond) {
            this.timer = timer;
            this.rowsPerSecond = rowsPerSecond;
            this.start = timer.nanos();
            this.allowed = rowsPerSecond == 0 ? Long.MAX_VALUE : 0;
        }

        @Override
        public boolean permits(long passed) {
            if (passed >= allowed) {
                long elapsed = timer.nanos() - start;
                allowed = (long) (elapsed * rowsPerSecond / NANOS_PER_SECOND);
            }
            return passed < allowed;
        }

        @Override
        public CompletableFuture<Void> pause() {
            return timer.after(STEP);
        }
    }

    /** Time as the readers see it. Safe for use by many threads. */
    interface Timer {
        /** Nanoseconds since some fixed instant; never decreases. */
        long nanos();

        /** A future that completes, on a thread of the timer, when {@code delay} has passed. */
        CompletableFuture<Void> after(Duration delay);
    }
}
