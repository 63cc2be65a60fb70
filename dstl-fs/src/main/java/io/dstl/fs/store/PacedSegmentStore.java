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
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * Holds puts back to the rate that the store takes, and tells the {@link Pace} how each went. A put
 * that waits for its turn has not begun. Deletions are not held back: they are few, and free of
 * charge where requests are counted.
 *
 * <p><b>Order.</b> Puts that wait go in the order in which they came, and none overtakes them while
 * the store wants fewer. When is asked anew with each answer of the store: at a higher rate they go
 * earlier, at a lower one later. When the store takes all requests again, new ones go at once, and
 * those that still wait one after the other.
 *
 * <p><b>Threading.</b> As {@link SegmentStore} has it; puts that waited are begun on the timer's
 * thread, or on that of an answer, by one thread at a time. The lock is not held while a put is
 * begun.
 */
public final class PacedSegmentStore implements SegmentStore {

    private final SegmentStore store;
    private final Pace pace;
    private final ScheduledExecutorService timer;

    private final Object lock = new Object();

    /** In the order in which they came. Whoever takes one out begins or ends it. */
    @GuardedBy("lock")
    private final Set<Waiting> waiting = new LinkedHashSet<>();

    /** When the first of {@link #waiting} is looked at again. */
    @GuardedBy("lock")
    private Optional<Future<?>> nextLook = Optional.empty();

    /** Whether a thread begins those whose turn has come. */
    @GuardedBy("lock")
    private boolean running;

    /** Whether that thread has to look again: something has changed since it last did. */
    @GuardedBy("lock")
    private boolean again;

    public PacedSegmentStore(SegmentStore store, Pace pace, ScheduledExecutorService timer) {
        this.store = store;
        this.pace = pace;
        this.timer = timer;
    }

    /** A put that has not begun. */
    private static final class Waiting {

        private final String name;
        private final SegmentContent content;
        private final PutListener listener;
        private final CompletableFuture<FileStateHandle> stored = new CompletableFuture<>();

        private Waiting(String name, SegmentContent content, PutListener listener) {
            this.name = name;
            this.content = content;
            this.listener = listener;
        }

        private void fail(Throwable cause) {
            listener.ended();
            stored.completeExceptionally(cause);
        }
    }

    @Override
    public Naming naming() {
        return store.naming();
    }

    @Override
    public CompletableFuture<FileStateHandle> put(
            String name, SegmentContent content, PutListener listener) {
        Optional<Waiting> behind = waitUnlessItsTurn(name, content, listener);
        if (!behind.isPresent()) {
            return putNow(name, content, listener);
        }
        Waiting put = behind.get();
        put.stored.whenComplete((segment, error) -> endIfWaiting(put));
        goOn();
        return put.stored;
    }

    private Optional<Waiting> waitUnlessItsTurn(
            String name, SegmentContent content, PutListener listener) {
        synchronized (lock) {
            if (waiting.isEmpty() ? pace.take() : !pace.isBounded()) {
                return Optional.empty();
            }
            Waiting put = new Waiting(name, content, listener);
            waiting.add(put);
            return Optional.of(put);
        }
    }

    /** Given up before its turn: it takes none. */
    private void endIfWaiting(Waiting put) {
        boolean waited;
        synchronized (lock) {
            waited = waiting.remove(put);
        }
        if (waited) {
            put.listener.ended();
        }
    }

    /**
     * Begins those whose turn has come, one by one, and sees to it that the others' does. A put
     * that is answered at once comes back here while it is begun, and leaves it to who began it.
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
            beginAllWhoseTurnItIs();
        }
    }

    private void beginAllWhoseTurnItIs() {
        boolean turn = false;
        for (Optional<Waiting> next = next(turn); next.isPresent(); next = next(turn)) {
            turn = !begin(next.get());
        }
    }

    /** If not, the others' turn is seen to, and this thread is done. */
    private boolean hasToLook() {
        List<Waiting> stranded;
        synchronized (lock) {
            if (again) {
                again = false;
                return true;
            }
            running = false;
            stranded = scheduleNext();
        }
        stranded.forEach(put -> put.fail(new RejectedExecutionException("The timer has ended")));
        return false;
    }

    /**
     * @param turn whether there is one already, which the one before has not used
     */
    private Optional<Waiting> next(boolean turn) {
        synchronized (lock) {
            if (waiting.isEmpty() || !(turn || pace.takeWaiting())) {
                return Optional.empty();
            }
            Iterator<Waiting> first = waiting.iterator();
            Waiting put = first.next();
            first.remove();
            return Optional.of(put);
        }
    }

    /** Returns those that can wait no longer, as there is no timer any more. */
    @GuardedBy("lock")
    private List<Waiting> scheduleNext() {
        nextLook.ifPresent(look -> look.cancel(false));
        nextLook = Optional.empty();
        if (!waiting.isEmpty()) {
            try {
                nextLook =
                        Optional.of(
                                timer.schedule(this::goOn, pace.untilNext(), TimeUnit.NANOSECONDS));
            } catch (RejectedExecutionException e) {
                List<Waiting> stranded = new ArrayList<>(waiting);
                waiting.clear();
                return stranded;
            }
        }
        return Collections.emptyList();
    }

    /** Returns whether it has begun: if not, it was given up just now, and has used no turn. */
    private boolean begin(Waiting put) {
        if (put.stored.isDone()) {
            put.listener.ended();
            return false;
        }
        CompletableFuture<FileStateHandle> begun = putNow(put.name, put.content, put.listener);
        begun.whenComplete(
                (segment, error) -> {
                    if (error == null) {
                        put.stored.complete(segment);
                    } else {
                        put.stored.completeExceptionally(error);
                    }
                });
        put.stored.whenComplete((segment, error) -> begun.cancel(false));
        return true;
    }

    /** Throws nothing: those that wait behind it must not be lost with a put that fails here. */
    private CompletableFuture<FileStateHandle> putNow(
            String name, SegmentContent content, PutListener listener) {
        CompletableFuture<FileStateHandle> put;
        try {
            put = store.put(name, content, listener);
        } catch (Throwable t) {
            // No store should; but an Error can come from anywhere.
            listener.ended();
            return CompletableFuture.failedFuture(t);
        }
        put.whenComplete((segment, error) -> answered(error));
        return put;
    }

    private void answered(Throwable error) {
        if (error == null) {
            pace.succeeded();
            goOn();
        } else if (Throttling.isIn(error)) {
            pace.throttled();
            goOn();
        }
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        return store.open(segment);
    }

    @Override
    public void delete(StreamStateHandle segment) throws IOException {
        store.delete(segment);
    }

    @Override
    public int deletionBatch() {
        return store.deletionBatch();
    }

    @Override
    public DeletionOutcome<StreamStateHandle> deleteAll(Collection<StreamStateHandle> segments) {
        return store.deleteAll(segments);
    }

    @Override
    public void discard(String name) throws IOException {
        store.discard(name);
    }
}
