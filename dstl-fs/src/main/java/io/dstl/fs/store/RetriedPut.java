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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One put on its way through its attempts.
 *
 * <p>Owns the attempts. Once the result is known, those that have not begun never do. Those that
 * run are aborted if there is no winner; beside a winner they are left to end, where they share its
 * name: an aborted request may be carried out all the same and nobody would know when, and it would
 * cost the client a connection.
 *
 * <p><b>Threading.</b> Any thread. The lock guards the counting only: no put is started and no
 * future completed under it.
 */
final class RetriedPut {

    private static final Logger LOG = LoggerFactory.getLogger(RetriedPut.class);

    private final SegmentStore store;
    private final OpenNames openNames;
    private final RetryPolicy policy;
    private final ScheduledExecutorService timer;
    private final AttemptsListener attemptsListener;
    private final PutRequest request;

    /** See {@link AttemptTimeout#ranOut}. */
    private final int doublings;

    private final CompletableFuture<FileStateHandle> result = new CompletableFuture<>();

    /** Started, in order. */
    @GuardedBy("this")
    private final List<Attempt> attempts = new ArrayList<>();

    /** Not ended, and one more until the result is known. */
    @GuardedBy("this")
    private int open = 1;

    @GuardedBy("this")
    private boolean begun;

    @GuardedBy("this")
    private boolean settled;

    RetriedPut(
            SegmentStore store,
            OpenNames openNames,
            RetryPolicy policy,
            ScheduledExecutorService timer,
            AttemptsListener attemptsListener,
            PutRequest request) {
        this.store = store;
        this.openNames = openNames;
        this.policy = policy;
        this.timer = timer;
        this.attemptsListener = attemptsListener;
        this.request = request;
        this.doublings = policy.timeout().doublings();
    }

    /** One attempt. Can be given up before its put has returned. */
    private final class Attempt implements PutListener {

        private final int number;
        private final String name;
        private final CompletableFuture<Void> givenUp = new CompletableFuture<>();
        private volatile boolean begun;

        /**
         * @param number counted from 1
         */
        private Attempt(int number, String name) {
            this.number = number;
            this.name = name;
        }

        private void start() {
            CompletableFuture<FileStateHandle> put = store.put(name, request.content(), this);
            givenUp.thenRun(() -> put.cancel(false));
            put.whenComplete((segment, error) -> attemptEnded(this, segment, error));
        }

        private void giveUp() {
            givenUp.complete(null);
        }

        @Override
        public void begun() {
            begun = true;
            attemptBegun(number);
        }

        @Override
        public void ended() {
            if (request.names().shared()) {
                openNames.ended(name);
            }
            oneLessOpen();
        }
    }

    CompletableFuture<FileStateHandle> start() {
        result.whenComplete((segment, error) -> settle(error == null));
        attempt(1);
        return result;
    }

    private void attempt(int number) {
        Attempt attempt;
        synchronized (this) {
            if (settled || attempts.size() >= number) {
                return;
            }
            attempt = new Attempt(number, request.names().of(number));
            attempts.add(attempt);
            open++;
            if (request.names().shared()) {
                openNames.started(attempt.name);
            }
        }
        if (number > 1) {
            attemptsListener.retried();
        }
        attempt.start();
    }

    private void attemptBegun(int number) {
        boolean first;
        synchronized (this) {
            first = !begun;
            begun = true;
        }
        if (first) {
            request.listener().begun();
        }
        policy.timeout()
                .now()
                .ifPresent(timeout -> after(timeout, () -> timedOut(number, timeout)));
    }

    private void attemptEnded(Attempt attempt, FileStateHandle segment, Throwable error) {
        if (error == null) {
            succeeded(attempt.number, segment);
        } else if (!result.isDone()) {
            next(attempt.number, error, policy.pauseAfter(attempt.number));
        }
    }

    private void succeeded(int number, FileStateHandle segment) {
        if (result.complete(segment)) {
            if (started() == 1) {
                policy.timeout().storedAtFirst();
            }
            attemptsListener.succeeded(number, started());
        } else if (!request.names().shared()) {
            // It ended between the winner's success and being given up.
            openNames.deleteUnwanted(segment);
        }
    }

    private void timedOut(int number, Duration timeout) {
        if (!result.isDone()) {
            String message =
                    String.format(Locale.ROOT, "Attempt %d did not end within %s", number, timeout);
            next(number, new TimeoutException(message), Duration.ZERO);
        }
    }

    /** The attempt has failed, or has used up its time: on to the next one, or to the end. */
    private void next(int number, Throwable cause, Duration pause) {
        if (number != started()) {
            return;
        }
        LOG.debug("Attempt {} failed", number, cause);
        if (policy.isLast(number)) {
            if (cause instanceof TimeoutException) {
                policy.timeout().ranOut(doublings);
            }
            fail(cause);
        } else if (pause.isZero()) {
            attempt(number + 1);
        } else {
            after(pause, () -> attempt(number + 1));
        }
    }

    private void after(Duration delay, Runnable step) {
        try {
            timer.schedule(step, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            fail(e);
        }
    }

    private void fail(Throwable cause) {
        result.completeExceptionally(
                new IOException(
                        "Could not store a segment in "
                                + started()
                                + " attempts; the last failure: "
                                + cause,
                        cause));
    }

    private synchronized int started() {
        return attempts.size();
    }

    /** The result is known: no attempt starts from here on. */
    private void settle(boolean stored) {
        List<Attempt> started;
        synchronized (this) {
            settled = true;
            started = new ArrayList<>(attempts);
        }
        boolean leaveRunning = stored && request.names().shared();
        for (Attempt attempt : started) {
            if (!leaveRunning || !attempt.begun) {
                attempt.giveUp();
            }
        }
        if (!stored && request.names().shared()) {
            openNames.condemn(request.names().first());
        }
        oneLessOpen();
    }

    private void oneLessOpen() {
        boolean last;
        synchronized (this) {
            open--;
            last = open == 0;
        }
        if (last) {
            request.listener().ended();
        }
    }
}
