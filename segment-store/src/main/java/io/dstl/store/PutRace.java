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

import io.dstl.store.PutLatencies.SizeClass;
import io.dstl.store.RaceState.Attempt;
import io.dstl.store.SegmentStore.Naming;
import io.dstl.store.SegmentStore.SegmentContent;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One put: a race of requests, which the first success wins. Owns the requests.
 *
 * <p><b>Attempts.</b> The first starts at once. The next starts after a pause if the latest has
 * failed, or beside it after a timeout without progress ({@link RetryPolicy}). An attempt is one
 * request, and a hedge beside it if it is late ({@link HedgePolicy}); it fails when both have, with
 * the error of the request. A failed attempt does not fail the put while another one is left. Each
 * request waits until the {@link Pace} lets it begin.
 *
 * <p><b>A timeout aborts no attempt that makes progress.</b> An attempt whose transport takes bytes
 * may take any time, and no other begins beside it: over a slow or full link it would only compete
 * for bandwidth. So the timeout is a time without a byte. When no attempt is left to begin, the put
 * fails once none of those under way makes progress for {@link RetryPolicy#patience}. This time
 * does not run for an attempt that waits for the store to begin it; such an attempt waits until the
 * store makes no progress with any put for {@link RetryPolicy#queuePatience}.
 *
 * <p><b>Order of events.</b>
 *
 * <ol>
 *   <li>A request is answered. The observer is notified, then the pace, which may send requests
 *       that wait.
 *   <li>The race is decided, once: by the first success, by the failure of the last pending
 *       attempt, or by the caller, who cancels the future. From here on no request starts.
 *   <li>Unneeded requests are given up: those that have not begun never do, and running ones are
 *       aborted. Beside a winner with the same name they run to their end: the store may still
 *       carry out an aborted request, nobody would know when, and the client would lose a
 *       connection. But not too many of them ({@link LosingRequests}). The name of a failed put is
 *       condemned ({@link OpenNames}) if one of its requests may be carried out.
 *   <li>The future is completed, which is the only signal for the caller.
 *   <li>The put has ended when its last request has. A segment that a loser has stored by then
 *       under its own name is deleted.
 * </ol>
 *
 * <p><b>Threading.</b> Any thread. The {@link RaceState} has the only lock: under it no request is
 * sent and no future completed.
 */
public final class PutRace {

    private static final Logger LOG = LoggerFactory.getLogger(PutRace.class);

    private final PutContext context;
    private final RetryPolicy retries;
    private final HedgePolicy hedges;
    private final ScheduledExecutorService timer;
    private final PutObserver observer;
    private final String name;
    private final SegmentContent content;

    private final SizeClass size;

    /** See {@link RetryPolicy#ranOut}. */
    private final int doublings;

    /** See {@link RetryPolicy#patience}: its value when the put began. */
    private final Duration patience;

    private final CompletableFuture<FileStateHandle> result = new CompletableFuture<>();
    private final RaceState state = new RaceState();

    PutRace(PutContext context, String name, SegmentContent content) {
        this.context = context;
        this.retries = context.rules.retries;
        this.hedges = context.rules.hedges;
        this.timer = context.timer;
        this.observer = context.observer;
        this.name = name;
        this.content = content;
        this.size = SizeClass.of(content.expectedBytes());
        this.doublings = retries.doublings();
        this.patience = retries.patience(content.expectedBytes());
    }

    /**
     * Stores a segment; all requests share one name if puts replace ({@link Naming#REPLACES}), else
     * each has its own. Returns at once.
     *
     * @return completes on the thread that stored the segment, or fails on the timer's at the last
     *     timeout; cancelling it gives the put up
     */
    public static CompletableFuture<FileStateHandle> put(
            PutContext context, SegmentContent content) {
        return new PutRace(context, context.names.next(), content).start();
    }

    CompletableFuture<FileStateHandle> start() {
        result.whenComplete((segment, error) -> cancelled());
        orFail(() -> attempt(1));
        return result;
    }

    private void attempt(int number) {
        state.startAttempt(number, now(), attempt -> request(attempt, false))
                .ifPresent(this::started);
    }

    private void started(StoreRequest first) {
        if (first.attempt().number() > 1) {
            observer.retried();
        }
        start(first);
        retries.timeout().ifPresent(timeout -> awaitBegin(first.attempt(), timeout));
    }

    private StoreRequest request(Attempt attempt, boolean hedge) {
        boolean first = attempt.number() == 1 && !hedge;
        String target = context.sharesNames || first ? name : context.names.next();
        context.started(target);
        return new StoreRequest(this, attempt, hedge, target);
    }

    /** Sends a request, now or in its turn. */
    private void start(StoreRequest request) {
        if (context.queue.takesTurn(request)) {
            send(request);
        }
        request.whenGivenUp(() -> endIfWaiting(request));
    }

    private void endIfWaiting(StoreRequest request) {
        if (context.queue.remove(request)) {
            request.ended();
        }
    }

    /**
     * The turn of a request has come. Never throws, since others wait behind it.
     *
     * @return whether it was sent: if not, it was given up just now, and uses no turn
     */
    boolean send(StoreRequest request) {
        if (state.isDecided() || result.isDone() || request.isGivenUp()) {
            request.ended();
            return false;
        }
        try {
            CompletableFuture<FileStateHandle> put = put(request);
            put.whenComplete((segment, error) -> orFail(() -> answered(request, segment, error)));
            request.whenGivenUp(() -> put.cancel(false));
        } catch (Throwable t) {
            // Out of memory. Nobody would hear of the answer.
            orFail(() -> failed(request, t));
        }
        return true;
    }

    private CompletableFuture<FileStateHandle> put(StoreRequest request) {
        try {
            return context.store.put(request.name(), content, request);
        } catch (Throwable t) {
            // Stores should not throw; nothing is under way then.
            request.ended();
            return CompletableFuture.failedFuture(t);
        }
    }

    /** A request cannot wait any longer, and will not be sent. */
    void reject(StoreRequest request, Throwable cause) {
        request.ended();
        orFail(() -> failed(request, cause));
    }

    /**
     * Gives up an attempt that never begins: all threads of a file system may hang for ever.
     *
     * @param period of checks: a timer keeps an ended put for no longer than this
     */
    private void awaitBegin(Attempt attempt, Duration period) {
        waitWhile(
                () -> state.isWaiting(attempt),
                () -> shorter(retries.queuePatience(attempt.startedAt()), period),
                () ->
                        usedUp(
                                timeout(
                                        "The store has not begun attempt %d, and got on with"
                                                + " nothing else, for %s: if it works for others,"
                                                + " its client hangs, and this TaskManager has to"
                                                + " be restarted",
                                        attempt, "a minute")));
    }

    void begun(StoreRequest request) {
        observer.requestBegun();
        if (!request.isHedge()) {
            begun(request.attempt(), request.begunAt());
        }
    }

    private void begun(Attempt attempt, long now) {
        retries.progressed();
        state.begun(attempt, now);
        hedges.putBegun();
        hedges.delay(size).ifPresent(delay -> hedgeAfter(delay, attempt));
        retries.timeout().ifPresent(timeout -> timeOut(attempt, timeout));
    }

    /** The timer keeps the put no longer than until it has ended: the timeout may be long. */
    private void timeOut(Attempt attempt, Duration timeout) {
        after(timeout, () -> timedOut(attempt, timeout))
                .ifPresent(pending -> result.whenComplete((done, error) -> pending.cancel(false)));
    }

    void progressed(Attempt attempt) {
        state.progressed(attempt, now());
        retries.progressed();
    }

    private void hedgeAfter(Duration delay, Attempt attempt) {
        try {
            timer.schedule(
                    () -> orFail(() -> hedge(attempt)), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.trace("The storage closes: no hedge", e);
        }
    }

    private void hedge(Attempt attempt) {
        state.startHedge(attempt, hedges::takeHedge, late -> request(late, true))
                .ifPresent(
                        hedge -> {
                            observer.hedgeSent();
                            start(hedge);
                        });
    }

    private void answered(StoreRequest request, FileStateHandle segment, Throwable error) {
        if (error == null) {
            observer.requestStored(segment.getStateSize(), now() - request.begunAt());
            if (!request.isGivenUp()) {
                measure(request);
            }
            context.queue.answered(Optional.empty());
            succeeded(request, segment);
        } else if (!request.isGivenUp()) {
            request.fail();
            observer.requestFailed();
            if (!isByItsOwnRace(request, error)) {
                context.queue.answered(Optional.of(error));
            }
            failed(request, error);
        }
    }

    /** Whether the store may only have had too many requests of this put for one name. */
    private boolean isByItsOwnRace(StoreRequest request, Throwable error) {
        return context.sharesNames
                && ThrottledException.isMaybeOfOneName(error)
                && state.isAnotherCarriedOut(request);
    }

    /**
     * Reports the duration of a request, once. Called when it has succeeded, and when one that was
     * given up has ended. Both may happen, in either order.
     *
     * <p>Requests that were given up count too. They are mostly the slow ones: without them the
     * times would look shorter than they are.
     */
    private void measure(StoreRequest request) {
        if (request.takeMeasure()) {
            hedges.took(size, now() - request.begunAt());
        }
    }

    private void succeeded(StoreRequest request, FileStateHandle segment) {
        if (!state.decide()) {
            context.deleteUnlessShared(request);
            return;
        }
        try {
            tellStored(request);
            giveUp(!context.sharesNames);
            context.leaveToEnd(this, request);
        } finally {
            complete(request, segment);
        }
    }

    private void tellStored(StoreRequest request) {
        int started = state.started();
        if (started == 1) {
            retries.storedAtFirst(state.quiet(now()));
        } else if (request.attempt().number() < started) {
            retries.storedLate(doublings);
        }
        if (request.isHedge()) {
            observer.hedgeWon();
        }
        observer.stored(request.attempt().number(), started);
    }

    private void complete(StoreRequest request, FileStateHandle segment) {
        if (!result.complete(segment)) {
            // The caller has cancelled at the same time.
            context.condemnIfShared(this);
            context.deleteUnlessShared(request);
        }
    }

    private void failed(StoreRequest request, Throwable error) {
        state.failed(request, error).ifPresent(cause -> failed(request.attempt(), cause));
    }

    private void failed(Attempt attempt, Throwable cause) {
        int number = attempt.number();
        if (number == state.started()) {
            next(number, cause, retries.pauseAfter(number));
        } else if (retries.isLast(state.started()) && !state.isAnyPending()) {
            fail(cause);
        }
    }

    /** The timeout since the attempt's begin is over. */
    private void timedOut(Attempt attempt, Duration timeout) {
        waitWhile(
                () -> state.isPending(attempt) && attempt.number() == state.started(),
                () -> timeout.minus(quiet()),
                () ->
                        next(
                                attempt.number(),
                                timeout(
                                        "The store took no byte of attempt %d, nor answered,"
                                                + " within %s",
                                        attempt, timeout),
                                Duration.ZERO));
    }

    private Duration quiet() {
        return state.quiet(now());
    }

    /** The attempt has failed or timed out: starts the next one, or ends the put. */
    private void next(int number, Throwable cause, Duration pause) {
        if (number != state.started()) {
            return;
        }
        LOG.debug("Attempt {} failed", number, cause);
        if (retries.isLast(number)) {
            usedUp(cause);
        } else if (pause.isZero()) {
            attempt(number + 1);
        } else {
            after(pause, () -> attempt(number + 1));
        }
    }

    /** No attempt is left to begin: the put ends once none under way makes progress. */
    private void usedUp(Throwable cause) {
        waitWhile(
                () -> !state.isDecided(),
                () -> patience.minus(quiet()),
                () -> {
                    if (cause instanceof TimeoutException) {
                        retries.ranOut(doublings);
                    }
                    fail(cause);
                });
    }

    /**
     * Waits while the condition holds.
     *
     * @param left the remaining wait: asked again when it is over, as it may have grown
     * @param then runs after the wait if the condition still holds
     */
    private void waitWhile(BooleanSupplier sensible, Supplier<Duration> left, Runnable then) {
        if (sensible.getAsBoolean()) {
            Duration delay = left.get();
            if (delay.isNegative() || delay.isZero()) {
                then.run();
            } else {
                after(delay, () -> waitWhile(sensible, left, then));
            }
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static TimeoutException timeout(String message, Attempt attempt, Object time) {
        return new TimeoutException(String.format(Locale.ROOT, message, attempt.number(), time));
    }

    /** Empty if the put has failed, as the timer takes no more. */
    private Optional<Future<?>> after(Duration delay, Runnable step) {
        try {
            return Optional.of(
                    timer.schedule(() -> orFail(step), delay.toNanos(), TimeUnit.NANOSECONDS));
        } catch (Throwable t) {
            fail(t);
            return Optional.empty();
        }
    }

    /** Ends the put on any error, as nobody else would. */
    private void orFail(Runnable step) {
        try {
            step.run();
        } catch (Throwable t) {
            fail(t);
        }
    }

    private void fail(Throwable cause) {
        if (!state.decide()) {
            return;
        }
        try {
            giveUp(true);
            context.condemnIfShared(this);
        } finally {
            result.completeExceptionally(state.failure(cause));
        }
    }

    /** The future is done: by the caller, unless the race was decided before. */
    private void cancelled() {
        if (state.decide()) {
            giveUp(true);
            context.condemnIfShared(this);
        }
    }

    String name() {
        return name;
    }

    RaceState state() {
        return state;
    }

    SegmentContent content() {
        return content;
    }

    long now() {
        return retries.now();
    }

    /**
     * @param begunToo or only the requests that have not begun
     */
    private void giveUp(boolean begunToo) {
        state.requests(begunToo).forEach(StoreRequest::giveUp);
    }

    void ended(StoreRequest request) {
        context.losers.ended(this, request);
        if (request.isHedge()) {
            hedges.hedgeEnded();
        }
        if (request.wasAborted()) {
            measure(request);
        }
        retries.progressed();
        context.ended(request.name());
    }
}
