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
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Delays requests to the rate that the store takes, and reports each outcome to the {@link Pace}.
 * Deletions are not delayed: they are few, and free of charge where requests are counted.
 *
 * <p><b>Order.</b> Waiting requests go in order of arrival, and none overtakes them while the store
 * wants fewer. Each answer of the store updates their time: earlier at a higher rate, later at a
 * lower one. When the store takes all requests again, new ones go at once, and those that still
 * wait go one after the other.
 *
 * <p><b>Threading.</b> Any thread. One thread at a time sends waiting requests: the timer's, or one
 * that brings an answer or adds a request. The lock is not held while a request is sent.
 */
final class RequestQueue {

    private final Pace pace;
    private final ScheduledExecutorService timer;

    private final Object lock = new Object();

    /** In order of arrival. Whoever removes a request sends or ends it. */
    @GuardedBy("lock")
    private final Set<StoreRequest> waiting = new LinkedHashSet<>();

    /** The next check of the first of {@link #waiting}. */
    @GuardedBy("lock")
    private Optional<Future<?>> nextLook = Optional.empty();

    /** One thread at a time sends the requests whose turn has come. */
    private final DrainLoop sending = new DrainLoop(this::sendAllWhoseTurnItIs);

    RequestQueue(Pace pace, ScheduledExecutorService timer) {
        this.pace = pace;
        this.timer = timer;
    }

    /**
     * Whether it is the request's turn: then the caller sends it. If not, the request waits, and
     * the queue sends it in its turn, which may be at once.
     */
    boolean takesTurn(StoreRequest request) {
        boolean turn;
        synchronized (lock) {
            turn = waiting.isEmpty() ? pace.take() : !pace.isBounded();
            if (!turn) {
                waiting.add(request);
            }
        }
        if (!turn) {
            sending.run();
        }
        return turn;
    }

    /** Returns whether the request has waited: then it takes no turn, and will not be sent. */
    boolean remove(StoreRequest request) {
        synchronized (lock) {
            return waiting.remove(request);
        }
    }

    /** The store has answered a request that nobody gave up. */
    void answered(Optional<Throwable> failure) {
        if (!failure.isPresent()) {
            pace.succeeded();
            sending.run();
        } else if (ThrottledException.isIn(failure.get())) {
            pace.throttled();
            sending.run();
        }
    }

    /**
     * Sends the requests whose turn has come, one by one, and schedules the others. A request that
     * is answered at once comes back to the loop, and leaves the work to the sending thread.
     */
    private void sendAllWhoseTurnItIs() {
        boolean turn = false;
        for (Optional<StoreRequest> next = next(turn); next.isPresent(); next = next(turn)) {
            StoreRequest request = next.get();
            turn = !request.race().send(request);
        }
        List<StoreRequest> stranded;
        synchronized (lock) {
            stranded = scheduleNext();
        }
        stranded.forEach(
                request ->
                        request.race()
                                .reject(
                                        request,
                                        new RejectedExecutionException("The timer has ended")));
    }

    /**
     * @param turn whether the last request has left its turn unused
     */
    private Optional<StoreRequest> next(boolean turn) {
        synchronized (lock) {
            if (waiting.isEmpty() || !(turn || pace.takeWaiting())) {
                return Optional.empty();
            }
            Iterator<StoreRequest> first = waiting.iterator();
            StoreRequest request = first.next();
            first.remove();
            return Optional.of(request);
        }
    }

    /** Returns the requests that can't wait, as the timer has been shut down. */
    @GuardedBy("lock")
    private List<StoreRequest> scheduleNext() {
        nextLook.ifPresent(look -> look.cancel(false));
        nextLook = Optional.empty();
        if (!waiting.isEmpty()) {
            try {
                nextLook =
                        Optional.of(
                                timer.schedule(
                                        sending::run, pace.untilNext(), TimeUnit.NANOSECONDS));
            } catch (RejectedExecutionException e) {
                List<StoreRequest> stranded = new ArrayList<>(waiting);
                waiting.clear();
                return stranded;
            }
        }
        return Collections.emptyList();
    }
}
