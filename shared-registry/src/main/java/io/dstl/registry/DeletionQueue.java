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
import java.util.HashMap;
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
 * are kept in mind, it is counted by the listener and logged, one line for those of a request. The
 * object stays in the store then, referenced by nothing, for the command {@code dstl orphans} to
 * find.
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
            giveUp(batch, ofEach(batch, e));
        }
    }

    private void attempt(List<Deletion> batch) {
        batch.forEach(deletion -> deletion.attempts++);
        try {
            settle(batch, request(batch));
        } catch (Throwable t) {
            settle(batch, ofEach(batch, t));
            ExceptionUtils.rethrowIfFatalErrorOrOOM(t);
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

    private static Map<StreamStateHandle, Throwable> ofEach(
            List<Deletion> batch, Throwable failure) {
        Map<StreamStateHandle, Throwable> failures = new HashMap<>();
        batch.forEach(deletion -> failures.put(deletion.segment, failure));
        return failures;
    }

    private void settle(
            List<Deletion> batch, Map<StreamStateHandle, ? extends Throwable> failures) {
        List<Deletion> givenUp = new ArrayList<>();
        for (Deletion deletion : batch) {
            Throwable failure = failures.get(deletion.segment);
            if (failure == null) {
                LOG.debug("Deleted {}", deletion);
                listener.deleted(deletion.segment);
            } else if (ExceptionUtils.isJvmFatalOrOutOfMemoryError(failure)
                    || !waitForNext(deletion)) {
                givenUp.add(deletion);
            } else {
                LOG.debug("Could not delete {}, and will try again", deletion, failure);
            }
        }
        giveUp(givenUp, failures);
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

    private void giveUp(
            List<Deletion> givenUp, Map<StreamStateHandle, ? extends Throwable> failures) {
        if (givenUp.size() == 1) {
            Deletion deletion = givenUp.get(0);
            LOG.warn(
                    "Could not delete {} of {} bytes in {} attempts: it stays in the store,"
                            + " referenced by nothing, until the command 'orphans' deletes it",
                    deletion,
                    deletion.segment.getStateSize(),
                    deletion.attempts,
                    failures.get(deletion.segment));
        } else if (!givenUp.isEmpty()) {
            Deletion first = givenUp.get(0);
            LOG.warn(
                    "Could not delete {} segments of {} bytes in up to {} attempts: they stay in"
                            + " the store, referenced by nothing, until the command 'orphans'"
                            + " deletes them. The first is {}",
                    givenUp.size(),
                    givenUp.stream().mapToLong(each -> each.segment.getStateSize()).sum(),
                    givenUp.stream().mapToInt(each -> each.attempts).max().orElse(0),
                    first,
                    failures.get(first.segment));
        }
        for (Deletion each : givenUp) {
            Throwable failure = failures.get(each.segment);
            LOG.debug("Could not delete {}", each, failure);
            listener.deleteFailed(each.segment, failure);
        }
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
