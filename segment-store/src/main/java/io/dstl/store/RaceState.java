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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.secret.Redaction;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The state of one {@link PutRace}: its attempts, their requests, and whether it is decided.
 *
 * <p><b>Threading.</b> Any thread. One lock guards all of it; it is held for bookkeeping only.
 */
final class RaceState {

    /** Started attempts, in order. */
    @GuardedBy("this")
    private final List<Attempt> attempts = new ArrayList<>();

    /** Requests of all attempts. */
    @GuardedBy("this")
    private final List<StoreRequest> requests = new ArrayList<>();

    @GuardedBy("this")
    private boolean decided;

    /** A request, and maybe a hedge. Its state is guarded by the lock of the race. */
    static final class Attempt {

        private final int number;
        private final long startedAt;
        private boolean begun;

        /** When it began, or a transport last took bytes of it, in ns. */
        private long lastProgress;

        /** Requests that have not failed. */
        private int pending;

        private Optional<Throwable> failure = Optional.empty();

        private Attempt(int number, long startedAt) {
            this.number = number;
            this.startedAt = startedAt;
        }

        /** Counted from 1. */
        int number() {
            return number;
        }

        /** In ns. */
        long startedAt() {
            return startedAt;
        }
    }

    /**
     * Starts an attempt, unless the race is decided or the attempt has been started.
     *
     * @param request creates its request; called under the lock
     */
    synchronized Optional<StoreRequest> startAttempt(
            int number, long now, Function<Attempt, StoreRequest> request) {
        if (decided || attempts.size() >= number) {
            return Optional.empty();
        }
        Attempt attempt = new Attempt(number, now);
        attempts.add(attempt);
        return Optional.of(add(attempt, request));
    }

    /**
     * Starts a hedge, unless the race is decided, the attempt has failed, or none is allowed.
     *
     * @param request creates the hedge; called under the lock
     */
    synchronized Optional<StoreRequest> startHedge(
            Attempt attempt, BooleanSupplier allowed, Function<Attempt, StoreRequest> request) {
        return isPending(attempt) && allowed.getAsBoolean()
                ? Optional.of(add(attempt, request))
                : Optional.empty();
    }

    @GuardedBy("this")
    private StoreRequest add(Attempt attempt, Function<Attempt, StoreRequest> request) {
        StoreRequest added = request.apply(attempt);
        requests.add(added);
        attempt.pending++;
        return added;
    }

    synchronized void begun(Attempt attempt, long now) {
        attempt.begun = true;
        attempt.lastProgress = now;
    }

    synchronized void progressed(Attempt attempt, long now) {
        attempt.lastProgress = now;
    }

    /** Returns the failure of the attempt, if it has failed now and the race is not decided. */
    synchronized Optional<Throwable> failed(StoreRequest request, Throwable error) {
        Attempt attempt = request.attempt();
        attempt.pending--;
        if (!attempt.failure.isPresent() || !request.isHedge()) {
            attempt.failure = Optional.of(error);
        }
        return decided || attempt.pending > 0 ? Optional.empty() : attempt.failure;
    }

    /** Whether the race is undecided and the attempt has not failed. */
    synchronized boolean isPending(Attempt attempt) {
        return !decided && attempt.pending > 0;
    }

    synchronized boolean isAnyPending() {
        return attempts.stream().anyMatch(this::isPending);
    }

    /** Whether the store has yet to begin the attempt. */
    synchronized boolean isWaiting(Attempt attempt) {
        return isPending(attempt) && !attempt.begun;
    }

    /** Attempts started. */
    synchronized int started() {
        return attempts.size();
    }

    /** How long no attempt under way has made progress; very long if there is none. */
    synchronized Duration quiet(long now) {
        return Duration.ofNanos(
                attempts.stream()
                        .filter(attempt -> attempt.begun && attempt.pending > 0)
                        .mapToLong(attempt -> now - attempt.lastProgress)
                        .min()
                        .orElse(Long.MAX_VALUE));
    }

    synchronized boolean isDecided() {
        return decided;
    }

    /** Returns whether the race was open until now. */
    synchronized boolean decide() {
        boolean first = !decided;
        decided = true;
        return first;
    }

    /**
     * @param begunToo or only those that have not begun
     */
    synchronized List<StoreRequest> requests(boolean begunToo) {
        return requests.stream()
                .filter(request -> begunToo || !request.hasBegun())
                .collect(Collectors.toList());
    }

    /** Whether another request than this one is at the store now, or has succeeded there. */
    synchronized boolean isAnotherCarriedOut(StoreRequest one) {
        return requests.stream()
                .anyMatch(other -> other != one && other.hasBegun() && !other.hasFailed());
    }

    /** Of the put; without a message if memory is out: nobody else completes the put. */
    Throwable failure(Throwable cause) {
        try {
            return new IOException(
                    "Could not store a segment in "
                            + started()
                            + " attempts; the last failure: "
                            + Redaction.shown(cause),
                    cause);
        } catch (Throwable t) {
            return cause;
        }
    }
}
