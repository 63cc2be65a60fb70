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
import io.dstl.registry.Shown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One put: a request, and maybe a hedge beside it. Fails when all that were made have failed, with
 * what the first failed with.
 *
 * <p>Beside a winner that shares its name, a loser is left to end: see {@link RetriedPut}. It then
 * counts for the latencies as well, or the slow ones would be those that nobody ever sees the end
 * of.
 *
 * <p><b>Threading.</b> Any thread. The lock guards the counting only.
 */
final class HedgedPut {

    private static final Logger LOG = LoggerFactory.getLogger(HedgedPut.class);

    private final SegmentStore store;
    private final HedgePolicy policy;
    private final ScheduledExecutorService timer;
    private final HedgeListener hedgeListener;
    private final PutRequest request;
    private final SizeClass size;
    private final CompletableFuture<FileStateHandle> result = new CompletableFuture<>();

    @GuardedBy("this")
    private final List<Request> requests = new ArrayList<>();

    /** Neither succeeded nor failed. */
    @GuardedBy("this")
    private int undecided;

    /** Requests that have not ended, and one more until the result is known. */
    @GuardedBy("this")
    private int open = 1;

    @GuardedBy("this")
    private Throwable firstFailure;

    @GuardedBy("this")
    private boolean settled;

    HedgedPut(
            SegmentStore store,
            HedgePolicy policy,
            ScheduledExecutorService timer,
            HedgeListener hedgeListener,
            PutRequest request) {
        this.store = store;
        this.policy = policy;
        this.timer = timer;
        this.hedgeListener = hedgeListener;
        this.request = request;
        this.size = SizeClass.of(request.content().expectedBytes());
    }

    /** One of the two. Can be given up before its put has returned. */
    private final class Request implements PutListener {

        private final boolean hedge;
        private final CompletableFuture<Void> givenUp = new CompletableFuture<>();
        private final AtomicBoolean measured = new AtomicBoolean();
        private volatile boolean begun;
        private volatile long begunAt;

        /** By itself: it was not given up. */
        private volatile boolean failed;

        private Request(boolean hedge) {
            this.hedge = hedge;
        }

        private void start() {
            String name = request.names().of(hedge ? 2 : 1);
            CompletableFuture<FileStateHandle> put = store.put(name, request.content(), this);
            givenUp.thenRun(() -> put.cancel(false));
            put.whenComplete((segment, error) -> decided(this, segment, error));
        }

        @Override
        public void begun() {
            begunAt = policy.now();
            begun = true;
            if (!hedge) {
                firstBegun();
            }
        }

        @Override
        public void progressed() {
            request.listener().progressed();
        }

        @Override
        public void ended() {
            if (hedge) {
                policy.hedgeEnded();
            }
            if (begun && givenUp.isDone() && !failed) {
                took();
            }
            oneLessOpen();
        }

        /** It has succeeded, or was given up and has ended; may be both, in any order. */
        private void took() {
            if (measured.compareAndSet(false, true)) {
                policy.took(size, policy.now() - begunAt);
            }
        }
    }

    CompletableFuture<FileStateHandle> start() {
        result.whenComplete((segment, error) -> settle(error == null));
        send(new Request(false));
        return result;
    }

    private void send(Request next) {
        boolean wanted;
        synchronized (this) {
            wanted = !settled && (!next.hedge || undecided > 0);
            if (wanted) {
                requests.add(next);
                undecided++;
                open++;
            }
        }
        if (wanted) {
            if (next.hedge) {
                hedgeListener.sent();
            }
            next.start();
        } else {
            policy.hedgeEnded();
        }
    }

    private void firstBegun() {
        policy.putBegun();
        request.listener().begun();
        policy.delay(size).ifPresent(this::hedgeAfter);
    }

    private void hedgeAfter(Duration delay) {
        try {
            timer.schedule(this::hedge, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.trace("The storage closes: no hedge", e);
        }
    }

    private void hedge() {
        if (!result.isDone() && policy.takeHedge()) {
            send(new Request(true));
        }
    }

    private void decided(Request decided, FileStateHandle segment, Throwable error) {
        if (error == null) {
            succeeded(decided, segment);
        } else {
            decided.failed = !decided.givenUp.isDone();
            failed(decided, error);
        }
    }

    private void succeeded(Request winner, FileStateHandle segment) {
        if (!winner.givenUp.isDone()) {
            winner.took();
        }
        if (result.complete(segment)) {
            if (winner.hedge) {
                hedgeListener.won();
            }
        } else if (!request.names().shared()) {
            deleteUnwanted(segment);
        }
    }

    /** It ended between the winner's success and being given up. */
    private void deleteUnwanted(FileStateHandle segment) {
        try {
            store.delete(segment);
        } catch (Throwable t) {
            LOG.warn(
                    "Could not delete {} of a lost attempt; nothing refers to it",
                    Shown.of(segment),
                    t);
        }
    }

    private void failed(Request failed, Throwable error) {
        Throwable cause;
        synchronized (this) {
            if (firstFailure == null || !failed.hedge) {
                firstFailure = error;
            }
            undecided--;
            if (undecided > 0) {
                return;
            }
            cause = firstFailure;
        }
        result.completeExceptionally(cause);
    }

    private void settle(boolean stored) {
        List<Request> sent;
        synchronized (this) {
            settled = true;
            sent = new ArrayList<>(requests);
        }
        boolean leaveRunning = stored && request.names().shared();
        for (Request each : sent) {
            if (!leaveRunning || !each.begun) {
                each.givenUp.complete(null);
            }
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
