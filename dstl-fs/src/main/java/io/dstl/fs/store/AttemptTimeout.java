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
package io.dstl.fs.store;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long an attempt may get nowhere until the next one begins beside it: the time that is
 * configured, doubled each time that a put has run out of attempts, and halved with each put that
 * its first attempt stores.
 *
 * <p>Over a link that is full each put takes long. What its transport takes shows that it gets
 * somewhere, but not every transport shows it: one that takes all bytes at once, and sends them
 * later, does not. With one and the same timeout each segment would be sent several times over such
 * a one, which fills the link even more.
 *
 * <p><b>Bounds.</b> Eight times what is configured. <b>Threading.</b> Any thread.
 */
final class AttemptTimeout {

    private static final int MOST_DOUBLINGS = 3;

    private final Optional<Duration> configured;
    private final AtomicInteger doublings = new AtomicInteger();

    /**
     * @param configured empty: there is none
     */
    AttemptTimeout(Optional<Duration> configured) {
        this.configured = configured;
    }

    /** Empty: an attempt is waited for until it ends. */
    Optional<Duration> now() {
        return configured.map(timeout -> timeout.multipliedBy(1L << doublings.get()));
    }

    /** For {@link #ranOut}: to be asked as a put begins. */
    int doublings() {
        return doublings.get();
    }

    /**
     * A put has run out of attempts, the last of them by its timeout.
     *
     * @param doublingsThen when it began: of puts that ran out together one doubles
     */
    void ranOut(int doublingsThen) {
        doublings.compareAndSet(doublingsThen, Math.min(doublingsThen + 1, MOST_DOUBLINGS));
    }

    /** A put was stored by its first attempt, before that had timed out. */
    void storedAtFirst() {
        doublings.updateAndGet(count -> Math.max(count - 1, 0));
    }
}
