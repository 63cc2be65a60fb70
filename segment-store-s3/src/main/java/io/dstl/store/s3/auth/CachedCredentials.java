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
package io.dstl.store.s3.auth;

import io.minio.credentials.Credentials;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Credentials, and how long they are valid. Immutable; any thread. */
final class CachedCredentials {

    /** For the time of a request to the store, and the difference of two clocks. */
    private static final Duration MARGIN = Duration.ofSeconds(10);

    /** How long credentials without an end are used before they are read again. */
    private static final Duration KEPT = Duration.ofMinutes(1);

    /** Renewed this long before the end, or at {@link #RENEWED_AT} of their life, if later. */
    private static final Duration BEFORE_END = Duration.ofMinutes(5);

    private static final double RENEWED_AT = 0.8;

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

    private final Credentials credentials;
    private final Instant fetchedAt;
    private final Optional<Instant> end;

    private CachedCredentials(Credentials credentials, Instant fetchedAt, Optional<Instant> end) {
        this.credentials = credentials;
        this.fetchedAt = fetchedAt;
        this.end = end;
    }

    static CachedCredentials of(Credentials credentials, Instant now) {
        Optional<Instant> end =
                credentials instanceof TemporaryCredentials
                        ? Optional.of(((TemporaryCredentials) credentials).end())
                        : Optional.empty();
        return new CachedCredentials(credentials, now, end);
    }

    Credentials credentials() {
        return credentials;
    }

    /**
     * Whether to sign a request with them without asking for others. Credentials that had ended
     * when they were fetched are used for a moment: the clock may be wrong, and the service has no
     * others.
     */
    boolean isGood(Instant now) {
        if (end.isPresent() && hasEnded(now)) {
            return hasEnded(fetchedAt) && isWithin(SHORTEST_PAUSE, fetchedAt, now);
        }
        return end.isPresent() || isWithin(KEPT, fetchedAt, now);
    }

    /** Whether less than this time has passed. A clock that was set back makes no wait longer. */
    static boolean isWithin(Duration span, Instant begin, Instant now) {
        return !now.isBefore(begin) && now.isBefore(begin.plus(span));
    }

    /** Whether the store refuses them from now on. */
    boolean hasEnded(Instant now) {
        return end.isPresent() && !now.plus(MARGIN).isBefore(end.get());
    }

    boolean hasEnd() {
        return end.isPresent();
    }

    boolean hasEndOf(CachedCredentials other) {
        return end.equals(other.end);
    }

    /** The same credentials, as if fetched at that time. */
    CachedCredentials goodFrom(Instant now) {
        return new CachedCredentials(credentials, now, end);
    }

    /** From the time they were fetched; only if there is an end. */
    Duration untilRenewal() {
        Duration life = Duration.between(fetchedAt, end.orElseThrow(IllegalStateException::new));
        Duration share = Duration.ofMillis((long) (life.toMillis() * RENEWED_AT));
        Duration beforeEnd = life.minus(BEFORE_END);
        return share.compareTo(beforeEnd) > 0 ? share : beforeEnd;
    }

    /** Until the next try; only if there is an end. */
    Duration pause(Instant now) {
        Duration left = Duration.between(now, end.orElseThrow(IllegalStateException::new));
        Duration pause = left.dividedBy(4);
        if (pause.compareTo(SHORTEST_PAUSE) < 0) {
            return SHORTEST_PAUSE;
        }
        return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }

    /** The end of their use, and no secret. */
    @Override
    public String toString() {
        return end.map(instant -> "are used until they end, at " + instant)
                .orElse("have no end, and are used on");
    }

    /**
     * Temporary credentials with their end, which MinIO's class does not expose. Immutable; any
     * thread.
     */
    static final class TemporaryCredentials extends Credentials {

        private final Instant end;

        TemporaryCredentials(String accessKey, String secretKey, String sessionToken, Instant end) {
            super(accessKey, secretKey, sessionToken, null);
            this.end = end;
        }

        /** The store refuses them from then on. */
        Instant end() {
            return end;
        }
    }
}
