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
package io.dstl.registry;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes objects to their deletion, off the caller's thread, and tries again where it fails.
 *
 * <p>Owns neither the executor nor the decision: whoever queues an object has made sure that nobody
 * needs it. That is the {@link SegmentRegistry} for registered segments, and the uploader for
 * objects it never registered (the loser of a hedged put).
 *
 * <p><b>Threading.</b> Thread-safe; {@link #delete} does not wait for the deletion, unless the
 * executor runs it on the caller's thread.
 *
 * <p><b>Order.</b> None.
 *
 * <p><b>Failure.</b> Never the caller's: tried again after pauses that grow, see {@link
 * DeletionRetries}. When the attempts are used up, or more objects wait than are kept in mind, it
 * is counted by the listener and logged with the object's name. The object stays in the store then,
 * referenced by nothing, for the command {@code dstl orphans} to find.
 *
 * <p><b>Close.</b> What waits gets its last attempt at once, and what fails from then on is not
 * tried again.
 */
public final class DeletionQueue implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DeletionQueue.class);

    /** About 3 MB of them. */
    static final int MAX_WAITING = 10_000;

    private final SegmentDeleter deleter;
    private final Executor executor;
    private final DeletionRetries retries;
    private final RegistryListener listener;

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<Deletion, Future<?>> waiting = new LinkedHashMap<>();

    @GuardedBy("lock")
    private boolean closed;

    /**
     * @param executor runs the deletions: as many at a time as it has threads ({@code
     *     state.changelog.dstl.dfs.discard.num-threads}); its owner shuts it down
     */
    public DeletionQueue(
            SegmentDeleter deleter,
            Executor executor,
            DeletionRetries retries,
            RegistryListener listener) {
        this.deleter = requireNonNull(deleter);
        this.executor = requireNonNull(executor);
        this.retries = requireNonNull(retries);
        this.listener = requireNonNull(listener);
    }

    public void delete(StreamStateHandle segment) {
        submit(new Deletion(requireNonNull(segment)));
    }

    private void submit(Deletion deletion) {
        try {
            executor.execute(() -> attempt(deletion));
        } catch (RejectedExecutionException e) {
            giveUp(deletion, e);
        }
    }

    private void attempt(Deletion deletion) {
        deletion.attempts++;
        try {
            deleter.delete(deletion.segment);
        } catch (Throwable t) {
            if (ExceptionUtils.isJvmFatalOrOutOfMemoryError(t) || !waitForNext(deletion)) {
                giveUp(deletion, t);
            } else {
                LOG.debug("Could not delete {}, and will try again", deletion, t);
            }
            ExceptionUtils.rethrowIfFatalErrorOrOOM(t);
            return;
        }
        LOG.debug("Deleted {}", deletion);
        listener.deleted(deletion.segment);
    }

    /** Whether there is a next attempt. */
    private boolean waitForNext(Deletion deletion) {
        synchronized (lock) {
            if (closed
                    || waiting.size() >= MAX_WAITING
                    || !retries.isLeftAfter(deletion.attempts)) {
                return false;
            }
            try {
                waiting.put(
                        deletion, retries.schedule(deletion.attempts, () -> tryAgain(deletion)));
            } catch (RejectedExecutionException e) {
                return false;
            }
            return true;
        }
    }

    private void tryAgain(Deletion deletion) {
        synchronized (lock) {
            if (waiting.remove(deletion) == null) {
                return;
            }
        }
        submit(deletion);
    }

    private void giveUp(Deletion deletion, Throwable cause) {
        LOG.warn(
                "Could not delete {} of {} bytes in {} attempts: it stays in the store, referenced"
                        + " by nothing, until the command 'orphans' deletes it",
                deletion,
                deletion.segment.getStateSize(),
                deletion.attempts,
                cause);
        listener.deleteFailed(deletion.segment, cause);
    }

    /** To be called before the executor and the timer are shut down. Idempotent. */
    @Override
    public void close() {
        List<Deletion> last;
        synchronized (lock) {
            closed = true;
            last = new ArrayList<>(waiting.keySet());
            waiting.values().forEach(retry -> retry.cancel(false));
            waiting.clear();
        }
        last.forEach(this::submit);
    }

    /** One object on its way out; its attempts are one after the other. */
    private static final class Deletion {
        final StreamStateHandle segment;
        int attempts;

        Deletion(StreamStateHandle segment) {
            this.segment = segment;
        }

        @Override
        public String toString() {
            return "segment " + Shown.of(TrackedSegment.name(segment));
        }
    }
}
