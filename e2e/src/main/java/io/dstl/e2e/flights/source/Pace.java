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

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * How fast a reader may pass over the rows of the file, its own and the others': every reader
 * passes over all rows at the same pace, so together they emit the asked number of flights per
 * second and stay abreast in event time. For one thread.
 */
final class Pace {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** Short enough to look even, long enough that waking up costs little. */
    private static final Duration STEP = Duration.ofMillis(5);

    private final Timer timer;
    private final double rowsPerSecond;
    private final long start;
    private long allowed;

    /** Starts now; {@code rowsPerSecond} 0 = unlimited. */
    Pace(Timer timer, double rowsPerSecond) {
        this.timer = timer;
        this.rowsPerSecond = rowsPerSecond;
        this.start = timer.nanos();
        this.allowed = rowsPerSecond == 0 ? Long.MAX_VALUE : 0;
    }

    /** Whether a reader that has passed {@code passed} rows may pass one more. */
    boolean permits(long passed) {
        if (passed >= allowed) {
            double seconds = (double) (timer.nanos() - start) / NANOS_PER_SECOND;
            allowed = (long) (seconds * rowsPerSecond);
        }
        return passed < allowed;
    }

    /** Completes when it is worth asking {@link #permits} again. */
    CompletableFuture<Void> pause() {
        return timer.after(STEP);
    }
}
