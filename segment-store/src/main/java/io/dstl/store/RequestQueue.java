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
 * Holds requests back to the rate that the store takes, and tells the {@link Pace} how each went.
 * Deletions are not held back: they are few, and free of charge where requests are counted.
 *
 * <p><b>Order.</b> Requests that wait go in the order in which they came, and none overtakes them
 * while the store wants fewer. When is asked anew with each answer of the store: at a higher rate
 * they go earlier, at a lower one later. When the store takes all requests again, new ones go at
 * once, and those that still wait one after the other.
 *
 * <p><b>Threading.</b> Any thread. Requests that waited are sent on the timer's thread, on that of
 * an answer, or on that of who adds one, by one thread at a time. The lock is not held while a
 * request is sent.
 */
final class RequestQueue {

    private final Pace pace;
    private final ScheduledExecutorService timer;

    private final Object lock = new Object();

    /** In the order in which they came. Whoever takes one out sends or ends it. */
    @GuardedBy("lock")
    private final Set<StoreRequest> waiting = new LinkedHashSet<>();

    /** When the first of {@link #waiting} is looked at again. */
    @GuardedBy("lock")
    private Optional<Future<?>> nextLook = Optional.empty();

    /** Whether a thread sends those whose turn has come. */
    @GuardedBy("lock")
    private boolean running;

    /** Whether that thread has to look again: something has changed since it last did. */
    @GuardedBy("lock")
    private boolean again;

    RequestQueue(Pace pace, ScheduledExecutorService timer) {
        this.pace = pace;
        this.timer = timer;
    }

    /**
     * Whether it is the request's turn: its caller sends it then. If not, it waits from here on,
     * and is sent from here when its turn has come, which may be at once.
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
            goOn();
        }
        return turn;
    }

    /** Returns whether it has waited: it takes no turn then, and will not be sent. */
    boolean remove(StoreRequest request) {
        synchronized (lock) {
            return waiting.remove(request);
        }
    }

    /** The store has answered a request: it was given up by nobody. */
    void answered(Optional<Throwable> failure) {
        if (!failure.isPresent()) {
            pace.succeeded();
            goOn();
        } else if (ThrottledException.isIn(failure.get())) {
            pace.throttled();
            goOn();
        }
    }

    /**
     * Sends those whose turn has come, one by one, and sees to it that the others' does. A request
     * that is answered at once comes back here while it is sent, and leaves it to who sent it.
     */
    private void goOn() {
        synchronized (lock) {
            again = true;
            if (running) {
                return;
            }
            running = true;
        }
        while (hasToLook()) {
            sendAllWhoseTurnItIs();
        }
    }

    private void sendAllWhoseTurnItIs() {
        boolean turn = false;
        for (Optional<StoreRequest> next = next(turn); next.isPresent(); next = next(turn)) {
            turn = !next.get().send();
        }
    }

    /** If not, the others' turn is seen to, and this thread is done. */
    private boolean hasToLook() {
        List<StoreRequest> stranded;
        synchronized (lock) {
            if (again) {
                again = false;
                return true;
            }
            running = false;
            stranded = scheduleNext();
        }
        stranded.forEach(
                request -> request.reject(new RejectedExecutionException("The timer has ended")));
        return false;
    }

    /**
     * @param turn whether there is one already, which the one before has not used
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

    /** Returns those that can wait no longer, as there is no timer any more. */
    @GuardedBy("lock")
    private List<StoreRequest> scheduleNext() {
        nextLook.ifPresent(look -> look.cancel(false));
        nextLook = Optional.empty();
        if (!waiting.isEmpty()) {
            try {
                nextLook =
                        Optional.of(
                                timer.schedule(this::goOn, pace.untilNext(), TimeUnit.NANOSECONDS));
            } catch (RejectedExecutionException e) {
                List<StoreRequest> stranded = new ArrayList<>(waiting);
                waiting.clear();
                return stranded;
            }
        }
        return Collections.emptyList();
    }
}
