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
package io.dstl.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.store.WallClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a store is asked to delete several objects with one request. Not any more once it has
 * said that it does not know the request; and not for ten minutes after an answer that leaves open
 * what became of it, as something between may have given it: a proxy, or a firewall.
 *
 * <p>Says what it does once for each time, and that it goes on pausing at debug level.
 *
 * <p><b>Threading.</b> Any thread.
 */
final class DeletionBatching {

    static final Duration PAUSE = Duration.ofMinutes(10);

    private static final Logger LOG = LoggerFactory.getLogger(DeletionBatching.class);

    private final WallClock clock;

    @GuardedBy("this")
    private boolean unknown;

    @GuardedBy("this")
    private Optional<Instant> pausedAt = Optional.empty();

    /** Whether the last request has not been carried out, and that was said. */
    @GuardedBy("this")
    private boolean said;

    DeletionBatching(WallClock clock) {
        this.clock = clock;
    }

    synchronized boolean isOn() {
        return !unknown && !pausedAt.filter(this::isRecent).isPresent();
    }

    /** The clock may be set back: that must not make a pause longer. */
    private boolean isRecent(Instant begin) {
        Instant now = clock.now();
        return !now.isBefore(begin) && now.isBefore(begin.plus(PAUSE));
    }

    /** A request for several has been carried out. */
    synchronized void worked() {
        said = false;
        pausedAt = Optional.empty();
    }

    /** The store does not know the request. */
    synchronized void unknown(String answer) {
        if (!unknown) {
            unknown = true;
            LOG.info(
                    "The store does not delete several objects with one request, so each takes one"
                            + " of its own: {}",
                    answer);
        }
    }

    /** One by one they were deleted; what the request for several came to is not clear. */
    synchronized void unclear(String answer) {
        pausedAt = Optional.of(clock.now());
        if (said) {
            LOG.debug("Several objects are deleted one by one for longer: {}", answer);
        } else {
            said = true;
            LOG.info(
                    "A request to delete several objects was not carried out, so each takes one of"
                            + " its own for {} minutes, and then it is tried again: {}",
                    PAUSE.toMinutes(),
                    answer);
        }
    }
}
