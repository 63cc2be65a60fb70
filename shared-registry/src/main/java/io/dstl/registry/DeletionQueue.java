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
import io.dstl.secret.Redaction.Redacted;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
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
 * <p><b>Failure.</b> Never the caller's: tried again after pauses that grow, see {@link
 * DeletionSchedule}. An object that failed by itself goes alone from then on. Objects that failed
 * together go again by two requests, of half of them each: so many may have been too many, or one
 * of them what the others failed for. When the attempts are used up, or more objects wait than are
 * kept in mind, it is counted by the listener and logged, one line for those of a request. The
 * object stays in the store then, referenced by nothing, for the command {@code dstl orphans} to
 * find.
 *
 * <p><b>Close.</b> What waits, be it for others to go with or for another attempt, is deleted at
 * once. What fails from then on is not tried again, but for objects that fail together: their
 * halves are tried once more, at once, by the thread of the request.
 */
public final class DeletionQueue implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DeletionQueue.class);

    /** About 6 MB of them. */
    static final int MAX_WAITING = 10_000;

    private final SegmentDeleter deleter;
    private final Executor executor;
    private final DeletionSchedule schedule;
    private final RegistryListener listener;
    private final Gathering<StreamStateHandle> gathering;

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<Batch, Future<?>> waiting = new LinkedHashMap<>();

    /** Of all of {@link #waiting}. */
    @GuardedBy("lock")
    private int waitingSegments;

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
        this.gathering =
                new Gathering<>(schedule, segments -> submit(new Batch(segments, 0, false)));
    }

    public void delete(StreamStateHandle segment) {
        gathering.add(requireNonNull(segment), deleter.batchSize());
    }

    private void submit(Batch batch) {
        try {
            executor.execute(() -> attempt(batch));
        } catch (Throwable t) {
            // It is closed, or there is no thread to be had: whoever wants a deletion goes on.
            giveUp(batch, ofEach(batch, t));
        }
    }

    private void attempt(Batch batch) {
        Map<StreamStateHandle, ? extends Throwable> failures;
        try {
            failures = request(batch.segments);
        } catch (Throwable t) {
            settle(batch, ofEach(batch, t));
            ExceptionUtils.rethrowIfFatalErrorOrOOM(t);
            return;
        }
        settle(batch, failures);
    }

    private Map<StreamStateHandle, ? extends Throwable> request(List<StreamStateHandle> segments)
            throws Exception {
        if (segments.size() > 1) {
            return deleter.deleteBatch(segments);
        }
        deleter.delete(segments.get(0));
        return Collections.emptyMap();
    }

    private static Map<StreamStateHandle, Throwable> ofEach(Batch batch, Throwable failure) {
        Map<StreamStateHandle, Throwable> failures = new HashMap<>();
        batch.segments.forEach(segment -> failures.put(segment, failure));
        return failures;
    }

    private void settle(Batch batch, Map<StreamStateHandle, ? extends Throwable> failures) {
        // What failed together shares its failure.
        Map<Throwable, List<StreamStateHandle>> byFailure = new LinkedHashMap<>();
        for (StreamStateHandle segment : batch.segments) {
            if (failures.containsKey(segment)) {
                byFailure
                        .computeIfAbsent(failures.get(segment), failure -> new ArrayList<>())
                        .add(segment);
            } else {
                LOG.debug("Deleted {}", name(segment));
                listener.deleted(segment);
            }
        }
        List<StreamStateHandle> givenUp = new ArrayList<>();
        byFailure.forEach(
                (failure, segments) -> givenUp.addAll(failed(batch.attempted(segments), failure)));
        if (!givenUp.isEmpty()) {
            giveUp(batch.attempted(givenUp), failures);
        }
    }

    /**
     * @param batch what failed together, or alone, this attempt counted
     * @return those of it for which there is no other
     */
    private List<StreamStateHandle> failed(Batch batch, Throwable cause) {
        if (ExceptionUtils.isJvmFatalOrOutOfMemoryError(cause)) {
            return batch.segments;
        }
        boolean onceMore = isOnceMore(batch);
        List<StreamStateHandle> givenUp = new ArrayList<>();
        for (Batch next : batch.halves()) {
            if (onceMore) {
                LOG.debug("Could not delete {}, and will try once more", next, cause);
                attempt(next.last());
            } else if (waitForNext(next)) {
                LOG.debug("Could not delete {}, and will try again", next, cause);
            } else {
                givenUp.addAll(next.segments);
            }
        }
        return givenUp;
    }

    /** Whether there is a next attempt. */
    private boolean waitForNext(Batch batch) {
        synchronized (lock) {
            if (closed
                    || waitingSegments + batch.segments.size() > MAX_WAITING
                    || !schedule.isLeftAfter(batch.attempts)) {
                return false;
            }
            try {
                waiting.put(batch, schedule.schedule(batch.attempts, () -> tryAgain(batch)));
            } catch (RejectedExecutionException e) {
                return false;
            }
            waitingSegments += batch.segments.size();
            return true;
        }
    }

    /** There is no time left to wait, and nothing known against any one of them. */
    private boolean isOnceMore(Batch failed) {
        synchronized (lock) {
            return closed && failed.segments.size() > 1 && !failed.last;
        }
    }

    private void tryAgain(Batch batch) {
        synchronized (lock) {
            if (waiting.remove(batch) == null) {
                return;
            }
            waitingSegments -= batch.segments.size();
        }
        submit(batch);
    }

    private void giveUp(Batch batch, Map<StreamStateHandle, ? extends Throwable> failures) {
        StreamStateHandle first = batch.segments.get(0);
        if (batch.segments.size() == 1) {
            LOG.warn(
                    "Could not delete {} of {} bytes in {} attempts: it stays in the store,"
                            + " referenced by nothing, until the command 'orphans' deletes it",
                    name(first),
                    first.getStateSize(),
                    batch.attempts,
                    failures.get(first));
        } else {
            LOG.warn(
                    "Could not delete {} segments of {} bytes in {} attempts: they stay in the"
                            + " store, referenced by nothing, until the command 'orphans' deletes"
                            + " them. The first is {}",
                    batch.segments.size(),
                    batch.segments.stream().mapToLong(StreamStateHandle::getStateSize).sum(),
                    batch.attempts,
                    name(first),
                    failures.get(first));
        }
        for (StreamStateHandle segment : batch.segments) {
            Throwable failure = failures.get(segment);
            LOG.debug("Could not delete {}", name(segment), failure);
            listener.deleteFailed(segment, failure);
        }
    }

    private static String name(StreamStateHandle segment) {
        return "segment " + Redacted.of(TrackedSegment.name(segment));
    }

    /** To be called before the executor and the timer are shut down. Idempotent. */
    @Override
    public void close() {
        List<Batch> last;
        synchronized (lock) {
            closed = true;
            last = new ArrayList<>(waiting.keySet());
            waiting.values().forEach(retry -> retry.cancel(false));
            waiting.clear();
            waitingSegments = 0;
        }
        last.forEach(this::submit);
        gathering.close();
    }

    /** Objects that go with one request; their attempts are one after the other. */
    private static final class Batch {
        private final List<StreamStateHandle> segments;
        private final int attempts;

        /** Whether no other attempt follows. */
        private final boolean last;

        /**
         * @param segments at least one
         * @param attempts so far
         */
        Batch(List<StreamStateHandle> segments, int attempts, boolean last) {
            this.segments = segments;
            this.attempts = attempts;
            this.last = last;
        }

        /** Of these of its objects, after another attempt. */
        Batch attempted(List<StreamStateHandle> failed) {
            return new Batch(failed, attempts + 1, last);
        }

        Batch last() {
            return new Batch(segments, attempts, true);
        }

        /** Its halves, or itself if it is of one object. */
        List<Batch> halves() {
            if (segments.size() == 1) {
                return Collections.singletonList(this);
            }
            int half = (segments.size() + 1) / 2;
            return Arrays.asList(
                    new Batch(segments.subList(0, half), attempts, last),
                    new Batch(segments.subList(half, segments.size()), attempts, last));
        }

        @Override
        public String toString() {
            return segments.size() == 1
                    ? name(segments.get(0))
                    : String.format(
                            Locale.ROOT,
                            "%d segments, the first %s",
                            segments.size(),
                            name(segments.get(0)));
        }
    }
}
