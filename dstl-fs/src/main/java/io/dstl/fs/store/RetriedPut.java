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
 * <p><b>A timeout aborts nothing that gets somewhere.</b> An attempt whose transport takes bytes is
 * waited for, however long it takes, and no other begins beside it: over a link that is slow or
 * full it would only take its bytes. So the timeout is one without a byte. When no attempt is left
 * to begin, the put fails once none of those under way has got anywhere for {@link
 * RetryPolicy#patience}. An attempt that waits for the store to begin it takes none of its time; it
 * waits until the store has got on with nothing of any put for {@link RetryPolicy#queuePatience}.
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

    /** See {@link RetryPolicy#patience}: as it was when the put began. */
    private final Duration patience;

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
        this.patience = policy.patience(request.content().expectedBytes());
    }

    /** One attempt. Can be given up before its put has returned. */
    private final class Attempt implements PutListener {

        private final int number;
        private final String name;
        private final CompletableFuture<Void> givenUp = new CompletableFuture<>();
        private final long startedAt = policy.now();
        private volatile boolean begun;

        /** When it began, or its transport took bytes last, in ns. */
        private volatile long lastProgress;

        /** Has succeeded or failed. */
        private volatile boolean decided;

        /**
         * @param number counted from 1
         */
        private Attempt(int number, String name) {
            this.number = number;
            this.name = name;
        }

        private void start() {
            CompletableFuture<FileStateHandle> put = put();
            givenUp.thenRun(() -> put.cancel(false));
            put.whenComplete((segment, error) -> attemptEnded(this, segment, error));
        }

        private CompletableFuture<FileStateHandle> put() {
            try {
                if (number > 1) {
                    attemptsListener.retried();
                }
                return store.put(name, request.content(), this);
            } catch (Throwable t) {
                // No store throws, as it should be: nothing is under way then.
                ended();
                return CompletableFuture.failedFuture(t);
            }
        }

        private void giveUp() {
            givenUp.complete(null);
        }

        @Override
        public void begun() {
            lastProgress = policy.now();
            begun = true;
            policy.progressed();
            attemptBegun(this);
        }

        @Override
        public void progressed() {
            lastProgress = policy.now();
            policy.progressed();
            request.listener().progressed();
        }

        @Override
        public void ended() {
            policy.progressed();
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
        attempt.start();
        policy.timeout().now().ifPresent(timeout -> awaitBegin(attempt, timeout));
    }

    /**
     * All threads of a file system may hang in calls that never return.
     *
     * @param period of looking: what a timer keeps of a put that is over, it keeps as short
     */
    private void awaitBegin(Attempt attempt, Duration period) {
        if (result.isDone() || attempt.begun || attempt.decided) {
            return;
        }
        Duration left = policy.queuePatience(attempt.startedAt);
        if (isPositive(left)) {
            after(left.compareTo(period) < 0 ? left : period, () -> awaitBegin(attempt, period));
        } else {
            usedUp(
                    new TimeoutException(
                            String.format(
                                    Locale.ROOT,
                                    "The store has not begun attempt %d, and got on with nothing"
                                            + " else, for a minute",
                                    attempt.number)));
        }
    }

    private void attemptBegun(Attempt attempt) {
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
                .ifPresent(timeout -> after(timeout, () -> timedOut(attempt, timeout)));
    }

    private void attemptEnded(Attempt attempt, FileStateHandle segment, Throwable error) {
        attempt.decided = true;
        if (error == null) {
            succeeded(attempt.number, segment);
        } else if (!result.isDone()) {
            orFail(() -> failed(attempt, error));
        }
    }

    private void failed(Attempt attempt, Throwable error) {
        if (attempt.number == started()) {
            next(attempt.number, error, policy.pauseAfter(attempt.number));
        } else if (policy.isLast(started()) && all().stream().allMatch(each -> each.decided)) {
            fail(error);
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

    /** The attempt has been under way for the timeout, or nothing was heard of any for as long. */
    private void timedOut(Attempt attempt, Duration timeout) {
        if (result.isDone() || attempt.decided || attempt.number != started()) {
            return;
        }
        Duration left = timeout.minus(quiet());
        if (isPositive(left)) {
            after(left, () -> timedOut(attempt, timeout));
        } else {
            String message =
                    String.format(
                            Locale.ROOT,
                            "The store took no byte of attempt %d, nor answered, within %s",
                            attempt.number,
                            timeout);
            next(attempt.number, new TimeoutException(message), Duration.ZERO);
        }
    }

    private static boolean isPositive(Duration duration) {
        return !duration.isNegative() && !duration.isZero();
    }

    /** How long none of the attempts under way has got anywhere. */
    private Duration quiet() {
        long now = policy.now();
        return Duration.ofNanos(
                all().stream()
                        .filter(attempt -> attempt.begun && !attempt.decided)
                        .mapToLong(attempt -> now - attempt.lastProgress)
                        .min()
                        .orElse(Long.MAX_VALUE));
    }

    /** The attempt has failed, or has used up its time: on to the next one, or to the end. */
    private void next(int number, Throwable cause, Duration pause) {
        if (number != started()) {
            return;
        }
        LOG.debug("Attempt {} failed", number, cause);
        if (policy.isLast(number)) {
            usedUp(cause);
        } else if (pause.isZero()) {
            attempt(number + 1);
        } else {
            after(pause, () -> attempt(number + 1));
        }
    }

    /** No attempt is left to begin: the put is over once none under way gets anywhere. */
    private void usedUp(Throwable cause) {
        if (result.isDone()) {
            return;
        }
        Duration left = patience.minus(quiet());
        if (isPositive(left)) {
            after(left, () -> usedUp(cause));
            return;
        }
        if (cause instanceof TimeoutException) {
            policy.timeout().ranOut(doublings);
        }
        fail(cause);
    }

    private void after(Duration delay, Runnable step) {
        try {
            timer.schedule(() -> orFail(step), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (Throwable t) {
            fail(t);
        }
    }

    /** Whatever goes wrong between two attempts ends the put: nobody else would. */
    private void orFail(Runnable step) {
        try {
            step.run();
        } catch (Throwable t) {
            fail(t);
        }
    }

    private void fail(Throwable cause) {
        result.completeExceptionally(
                new IOException(
                        "Could not store a segment in "
                                + started()
                                + " attempts; the last failure: "
                                + shown(cause),
                        cause));
    }

    /** Of a class that is not ours, it may be: it is shown by its name if it can't show itself. */
    private static String shown(Throwable cause) {
        try {
            return cause.toString();
        } catch (Throwable t) {
            return cause.getClass().getName();
        }
    }

    private synchronized int started() {
        return attempts.size();
    }

    private synchronized List<Attempt> all() {
        return new ArrayList<>(attempts);
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
