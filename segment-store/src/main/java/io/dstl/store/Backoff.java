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
package io.dstl.store;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Pauses that double from failure to failure, each by chance up to a half shorter or longer, so
 * that what has failed together does not come back together. The mean of the first is the base.
 *
 * <p><b>Threading.</b> Any thread; holds no state.
 */
public final class Backoff {

    /** Pauses grow to this, or to the base if that is longer. */
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private static final int MAX_DOUBLINGS = 20;

    private final Duration base;
    private final DoubleSupplier random;

    /**
     * @param base 0: no pauses
     * @param random from 0 (inclusive) to 1 (exclusive)
     */
    public Backoff(Duration base, DoubleSupplier random) {
        this.base = base;
        this.random = random;
    }

    /**
     * @param failures so far, in a row; at least 1
     */
    public Duration after(int failures) {
        long longest = Math.max(LONGEST.toNanos(), base.toNanos());
        double doubled = (double) base.toNanos() * (1L << Math.min(failures - 1, MAX_DOUBLINGS));
        double pause = Math.min(doubled, longest) * (0.5 + random.getAsDouble());
        return Duration.ofNanos((long) pause);
    }
}
