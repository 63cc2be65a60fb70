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
import io.dstl.fs.option.RetrySettings;
import io.dstl.registry.Shown;
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
 * <p>Owns the attempts' futures: when the result is known, by whatever end, it cancels them all,
 * and with that the store deletes what the losers store.
 *
 * <p><b>Threading.</b> Any thread. The lock guards the counting only: no put is started and no
 * future completed under it.
 */
final class RetriedPut {

    private static final Logger LOG = LoggerFactory.getLogger(RetriedPut.class);

    private final SegmentStore store;
    private final RetrySettings settings;
    private final ScheduledExecutorService timer;
    private final AttemptsListener attemptsListener;
    private final SegmentContent content;
    private final PutListener listener;
    private final CompletableFuture<FileStateHandle> result = new CompletableFuture<>();

    @GuardedBy("this")
    private final List<CompletableFuture<FileStateHandle>> attempts = new ArrayList<>();

    /** The attempt whose end or timeout brings about the next step, counted from 1. */
    @GuardedBy("this")
    private int latest;

    @GuardedBy("this")
    private boolean begun;

    RetriedPut(
            SegmentStore store,
            RetrySettings settings,
            ScheduledExecutorService timer,
            AttemptsListener attemptsListener,
            SegmentContent content,
            PutListener listener) {
        this.store = store;
        this.settings = settings;
        this.timer = timer;
        this.attemptsListener = attemptsListener;
        this.content = content;
        this.listener = listener;
    }

    CompletableFuture<FileStateHandle> start() {
        result.whenComplete((segment, error) -> cancelAttempts());
        attempt(1);
        return result;
    }

    private void attempt(int number) {
        synchronized (this) {
            if (result.isDone() || latest >= number) {
                return;
            }
            latest = number;
        }
        CompletableFuture<FileStateHandle> attempt = store.put(content, () -> begun(number));
        synchronized (this) {
            attempts.add(attempt);
        }
        attempt.whenComplete((segment, error) -> ended(number, segment, error));
        if (result.isDone()) {
            attempt.cancel(false);
        }
    }

    private void begun(int number) {
        boolean first;
        synchronized (this) {
            first = !begun;
            begun = true;
        }
        if (first) {
            listener.begun();
        }
        settings.timeout().ifPresent(timeout -> after(timeout, () -> timedOut(number, timeout)));
    }

    private void ended(int number, FileStateHandle segment, Throwable error) {
        if (error == null) {
            succeeded(number, segment);
        } else if (!result.isDone()) {
            next(number, error, settings.pauseAfterError());
        }
    }

    private void succeeded(int number, FileStateHandle segment) {
        if (result.complete(segment)) {
            attemptsListener.succeeded(number, started());
            return;
        }
        // It ended between the winner's success and the cancellation.
        try {
            store.delete(segment);
        } catch (Throwable t) {
            LOG.warn(
                    "Could not delete {} of a lost attempt; nothing refers to it",
                    Shown.of(segment),
                    t);
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
        synchronized (this) {
            if (number != latest) {
                return;
            }
        }
        LOG.debug("Attempt {} of {} failed", number, settings.maxAttempts(), cause);
        if (number == settings.maxAttempts()) {
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
        return latest;
    }

    private void cancelAttempts() {
        List<CompletableFuture<FileStateHandle>> toCancel;
        synchronized (this) {
            toCancel = new ArrayList<>(attempts);
        }
        toCancel.forEach(attempt -> attempt.cancel(false));
    }
}
