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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes objects to their deletion, off the caller's thread, and tries again where it fails. Where
 * the store deletes several with one request, those that come within a second go together.
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
 * <p><b>Failure.</b> Never the caller's, and of each object by itself: tried again after pauses
 * that grow, see {@link DeletionSchedule}. When the attempts are used up, or more objects wait than
 * are kept in mind, it is counted by the listener and logged with the object's name. The object
 * stays in the store then, referenced by nothing, for the command {@code dstl orphans} to find.
 *
 * <p><b>Close.</b> What waits, be it for others to go with or for another attempt, is deleted at
 * once, and what fails from then on is not tried again.
 */
public final class DeletionQueue implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DeletionQueue.class);

    /** About 3 MB of them. */
    static final int MAX_WAITING = 10_000;

    private final SegmentDeleter deleter;
    private final Executor executor;
    private final DeletionSchedule schedule;
    private final RegistryListener listener;
    private final Gathering<Deletion> gathering;

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
            DeletionSchedule schedule,
            RegistryListener listener) {
        this.deleter = requireNonNull(deleter);
        this.executor = requireNonNull(executor);
        this.schedule = requireNonNull(schedule);
        this.listener = requireNonNull(listener);
        this.gathering = new Gathering<>(schedule, this::submit);
    }

    public void delete(StreamStateHandle segment) {
        gather(new Deletion(requireNonNull(segment)));
    }

    private void gather(Deletion deletion) {
        gathering.add(deletion, deleter.batchSize());
    }

    private void submit(List<Deletion> batch) {
        try {
            executor.execute(() -> attempt(batch));
        } catch (RejectedExecutionException e) {
            batch.forEach(deletion -> giveUp(deletion, e));
        }
    }

    private void attempt(List<Deletion> batch) {
        batch.forEach(deletion -> deletion.attempts++);
        Map<StreamStateHandle, ? extends Throwable> failures;
        try {
            failures = request(batch);
        } catch (Throwable t) {
            batch.forEach(deletion -> failed(deletion, t));
            ExceptionUtils.rethrowIfFatalErrorOrOOM(t);
            return;
        }
        for (Deletion deletion : batch) {
            if (failures.containsKey(deletion.segment)) {
                failed(deletion, failures.get(deletion.segment));
            } else {
                LOG.debug("Deleted {}", deletion);
                listener.deleted(deletion.segment);
            }
        }
    }

    private Map<StreamStateHandle, ? extends Throwable> request(List<Deletion> batch)
            throws Exception {
        if (batch.size() > 1) {
            return deleter.deleteAll(
                    batch.stream().map(deletion -> deletion.segment).collect(Collectors.toList()));
        }
        deleter.delete(batch.get(0).segment);
        return Collections.emptyMap();
    }

    private void failed(Deletion deletion, Throwable cause) {
        if (ExceptionUtils.isJvmFatalOrOutOfMemoryError(cause) || !waitForNext(deletion)) {
            giveUp(deletion, cause);
        } else {
            LOG.debug("Could not delete {}, and will try again", deletion, cause);
        }
    }

    /** Whether there is a next attempt. */
    private boolean waitForNext(Deletion deletion) {
        synchronized (lock) {
            if (closed
                    || waiting.size() >= MAX_WAITING
                    || !schedule.isLeftAfter(deletion.attempts)) {
                return false;
            }
            try {
                waiting.put(
                        deletion, schedule.schedule(deletion.attempts, () -> tryAgain(deletion)));
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
        gather(deletion);
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
        last.forEach(this::gather);
        gathering.close();
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
