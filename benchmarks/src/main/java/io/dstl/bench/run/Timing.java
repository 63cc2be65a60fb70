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
package io.dstl.bench.run;

import java.time.Duration;

/** How long each variant runs. */
public final class Timing {
    private final Duration warmUp;
    private final Duration measured;

    /**
     * @param warmUp not in the figures: the JVM compiles, the state grows
     * @param measured what the figures are of
     */
    public Timing(Duration warmUp, Duration measured) {
        if (warmUp.isNegative() || measured.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    "the warm-up is "
                            + warmUp
                            + " and what is measured "
                            + measured
                            + ": give 0 s or more and 1 s or more");
        }
        this.warmUp = warmUp;
        this.measured = measured;
    }

    Duration warmUp() {
        return warmUp;
    }

    Duration measured() {
        return measured;
    }
}
