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
import io.dstl.registry.SegmentDeleter.Untried;
import io.dstl.secret.Redaction.Redacted;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes objects off the caller's thread, and retries failed deletions. If the store deletes
 * several with one request, those queued within a second go together.
 *
 * <p>Owns neither the executor nor the decision: whoever queues an object has made sure that nobody
 * needs it. That is the {@link SegmentRegistry} for registered segments, the store for those it
 * never registered (the loser of a race), the backend for files of materializations that nobody
 * takes, and on the JobManager Flink's registry.
 *
 * <p><b>Threading.</b> Thread-safe; {@link #delete} does not wait for the deletion, unless the
 * executor runs it on the caller's thread.
 *
 * <p><b>Order.</b> None.
 *
 * <p><b>Failure.</b> Not reported to the caller: retried after growing pauses, see {@link
 * DeletionSchedule}. An object that failed by itself goes alone from then on. Objects that failed
 * together go again in two requests, each with half of them: they may have been too many, or one
 * may have failed the others. Objects that an attempt has left {@link SegmentDeleter.Untried} come
 * first in the next one. If it has deleted most of the others, it does not count for them, and they
 * go without those that failed. When the attempts are used up, or too many objects wait, the
 * listener counts the failure, and it is logged ({@link GivenUpLog}). The object then stays in the
 * store, referenced by nothing, for {@code java -jar dstl-changelog.jar orphans} to find.
 *
 * <p><b>Close.</b> The process may end with the job. So objects that wait for others or for another
 * attempt are deleted at once, and the halves of those that fail together are tried once more, at
 * once, by the thread of the request. What fails even so is retried as before, while executor and
 * timer are there; the attempts at the close do not count.
 */
public final class DeletionQueue implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DeletionQueue.class);

    /** Limit of objects that wait for another attempt, unless one is given; about 6 MB. */
    static final int MAX_WAITING = 10_000;

    private final SegmentDeleter deleter;
    private final Executor executor;
    private final DeletionSchedule schedule;
    private final RegistryListener listener;
    private final int maxWaiting;
    private final Gathering<StreamStateHandle> gathering;
    private final GivenUpLog givenUp;

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<Batch, Future<?>> waiting = new LinkedHashMap<>();

    /** Number of segments in all of {@link #waiting}. */
    @GuardedBy("lock")
    private int waitingSegments;

    /** Attempts that wait for a thread or run, and {@link #close} while it runs. */
    @GuardedBy("lock")
    private int underWay;

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private boolean hasTriedAllAtClose;

    /**
     * @param executor runs the deletions: as many at a time as it has threads; its owner shuts it
     *     down
     */
    public DeletionQueue(
            SegmentDeleter deleter,
            Executor executor,
            DeletionSchedule schedule,
            RegistryListener listener) {
        this(deleter, executor, schedule, listener, MAX_WAITING);
    }

    /**
     * @param maxWaiting limit of objects that wait for another attempt: one that fails beyond that
     *     is given up
     */
    DeletionQueue(
            SegmentDeleter deleter,
            Executor executor,
            DeletionSchedule schedule,
            RegistryListener listener,
            int maxWaiting) {
        this(deleter, executor, schedule, listener, maxWaiting, new GivenUpLog(schedule));
    }

    DeletionQueue(
            SegmentDeleter deleter,
            Executor executor,
            DeletionSchedule schedule,
            RegistryListener listener,
            int maxWaiting,
            GivenUpLog givenUp) {
        this.maxWaiting = maxWaiting;
        this.deleter = requireNonNull(deleter);
        this.executor = requireNonNull(executor);
        this.schedule = requireNonNull(schedule);
        this.listener = requireNonNull(listener);
        this.gathering = new Gathering<>(schedule, segments -> submit(new Batch(segments)));
        this.givenUp = givenUp;
    }

    public void delete(StreamStateHandle segment) {
        gathering.add(requireNonNull(segment), deleter.batchSize());
    }

    /** Deletes these together, without waiting for others. */
    public void deleteAll(Collection<? extends StreamStateHandle> segments) {
        if (!segments.isEmpty()) {
            submit(new Batch(new ArrayList<>(segments)));
        }
    }

    /** Number of objects that wait for another attempt. */
    int waiting() {
        synchronized (lock) {
            return waitingSegments;
        }
    }

    private void submit(Batch batch) {
        begin();
        // An executor may fail and have the work all the same.
        AtomicBoolean begun = new AtomicBoolean();
        try {
            executor.execute(() -> once(begun, () -> attempt(batch)));
        } catch (RejectedExecutionException e) {
            once(begun, () -> giveUp(batch, ofEach(batch, e)));
        } catch (Throwable t) {
            once(begun, () -> hadNoThread(batch.attempted(batch.segments), t));
        }
    }

    private void once(AtomicBoolean begun, Runnable step) {
        if (begun.compareAndSet(false, true)) {
            try {
                step.run();
            } finally {
                end();
            }
        }
    }

    private void hadNoThread(Batch batch, Throwable cause) {
        if (waitForNext(batch)) {
            LOG.debug("No thread deletes {}, and it is tried again", batch, cause);
        } else {
            giveUp(batch, ofEach(batch, cause));
        }
    }

    private void begin() {
        synchronized (lock) {
            underWay++;
        }
    }

    /** What was given up is logged after the last attempt at the close, and after that of all. */
    private void end() {
        boolean isLast;
        boolean isLastOfClose;
        synchronized (lock) {
            boolean idle = --underWay == 0 && closed;
            isLast = idle && waiting.isEmpty();
            isLastOfClose = idle && !hasTriedAllAtClose;
            hasTriedAllAtClose |= idle;
        }
        if (isLast) {
            givenUp.close();
        } else if (isLastOfClose) {
            givenUp.flush();
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
        if (segments.size() > 1 || !deleter.isOneRequest()) {
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
        // Objects that failed together share the failure.
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
        boolean wentWell = wentWell(batch, byFailure);
        if (!wentWell) {
            untriedGoFirst(byFailure);
        }
        List<StreamStateHandle> givenUp = new ArrayList<>();
        byFailure.forEach(
                (failure, segments) -> {
                    boolean uncounted =
                            failure instanceof Untried && (wentWell || Untried.isForNow(failure));
                    givenUp.addAll(
                            failed(
                                    uncounted ? batch.of(segments) : batch.attempted(segments),
                                    failure));
                });
        if (!givenUp.isEmpty()) {
            giveUp(batch.attempted(givenUp), failures);
        }
    }

    /** Whether most of what was tried is deleted. */
    private static boolean wentWell(
            Batch batch, Map<Throwable, List<StreamStateHandle>> byFailure) {
        int deleted = batch.segments.size();
        int failed = 0;
        for (Map.Entry<Throwable, List<StreamStateHandle>> each : byFailure.entrySet()) {
            deleted -= each.getValue().size();
            failed += each.getKey() instanceof Untried ? 0 : each.getValue().size();
        }
        return deleted > failed;
    }

    /**
     * In the next attempt, together with those whose failure kept them from being tried. Begins in
     * the middle of them: neighbours may fail for the same reason.
     */
    private static void untriedGoFirst(Map<Throwable, List<StreamStateHandle>> byFailure) {
        for (Throwable failure : new ArrayList<>(byFailure.keySet())) {
            if (failure instanceof Untried && byFailure.containsKey(failure.getCause())) {
                List<StreamStateHandle> all = byFailure.remove(failure);
                Collections.rotate(all, all.size() / 2);
                all.addAll(byFailure.put(failure.getCause(), all));
            }
        }
    }

    /**
     * @param batch objects that failed together, or one alone, with this attempt counted if it
     *     counts for them
     * @return the objects without a further attempt
     */
    private List<StreamStateHandle> failed(Batch batch, Throwable cause) {
        if (ExceptionUtils.isJvmFatalOrOutOfMemoryError(cause)) {
            return batch.segments;
        }
        if (Untried.isForNow(cause)) {
            goOn(batch);
            return Collections.emptyList();
        }
        boolean onceMore = isOnceMore(batch);
        List<StreamStateHandle> givenUp = new ArrayList<>();
        for (Batch next : deleter.isOneRequest() ? batch.halves() : List.of(batch)) {
            if (onceMore) {
                LOG.debug("Could not delete {}, and will try once more", next, cause);
                attempt(next.uncounted().last());
            } else if (waitForNext(next)) {
                LOG.debug("Could not delete {}, and will try again", next, cause);
            } else {
                givenUp.addAll(next.segments);
            }
        }
        return givenUp;
    }

    /** Once the queue is closed, in this thread: the executor may be shut down already. */
    private void goOn(Batch batch) {
        boolean here;
        synchronized (lock) {
            here = closed;
        }
        if (here) {
            attempt(batch);
        } else {
            submit(batch);
        }
    }

    /** Whether there is a further attempt; if so, schedules it. */
    private boolean waitForNext(Batch batch) {
        synchronized (lock) {
            if (waitingSegments + places(batch) > maxWaiting
                    || !schedule.isLeftAfter(batch.counted())) {
                return false;
            }
            try {
                waiting.put(batch, schedule.schedule(batch.counted(), () -> tryAgain(batch)));
            } catch (Throwable t) {
                // The timer is shut down, or has no thread: this attempt was the last one.
                return false;
            }
            waitingSegments += places(batch);
            return true;
        }
    }

    /** One that stays together needs the room of one. */
    private int places(Batch batch) {
        return deleter.isOneRequest() ? batch.segments.size() : 1;
    }

    /** There may be no time left for pauses, and the failure may be due to any one of them. */
    private boolean isOnceMore(Batch failed) {
        synchronized (lock) {
            return closed && failed.segments.size() > 1 && !failed.last;
        }
    }

    private void tryAgain(Batch batch) {
        // Not idle in between.
        begin();
        try {
            synchronized (lock) {
                if (waiting.remove(batch) == null) {
                    return;
                }
                waitingSegments -= places(batch);
            }
            submit(batch);
        } finally {
            end();
        }
    }

    private void giveUp(Batch batch, Map<StreamStateHandle, ? extends Throwable> failures) {
        givenUp.add(batch.segments, batch.attempts, failures.get(batch.segments.get(0)));
        for (StreamStateHandle segment : batch.segments) {
            Throwable failure = failures.get(segment);
            LOG.debug("Could not delete {}", name(segment), failure);
            listener.deleteFailed(segment, failure);
        }
    }

    static String name(StreamStateHandle segment) {
        return "object " + Redacted.of(TrackedSegment.name(segment));
    }

    /** Call this before the executor is shut down. Idempotent. */
    @Override
    public void close() {
        List<Batch> last;
        begin();
        synchronized (lock) {
            closed = true;
            last = new ArrayList<>(waiting.keySet());
            waiting.values().forEach(retry -> retry.cancel(false));
            waiting.clear();
            waitingSegments = 0;
        }
        last.forEach(batch -> submit(batch.uncounted()));
        gathering.close();
        end();
    }

    /** Objects that one request deletes; attempts are one after the other. */
    private static final class Batch {
        private final List<StreamStateHandle> segments;
        private final int attempts;

        /** Of the attempts, those that take none of the schedule's. */
        private final int uncounted;

        /** Whether its halves are not tried at once. */
        private final boolean last;

        /**
         * @param segments at least one
         */
        Batch(List<StreamStateHandle> segments) {
            this(segments, 0, 0, false);
        }

        private Batch(List<StreamStateHandle> segments, int attempts, int uncounted, boolean last) {
            this.segments = segments;
            this.attempts = attempts;
            this.uncounted = uncounted;
            this.last = last;
        }

        /** A batch of these objects, after another attempt. */
        Batch attempted(List<StreamStateHandle> failed) {
            return new Batch(failed, attempts + 1, uncounted, last);
        }

        /** The same; its next attempt does not count. */
        Batch uncounted() {
            return new Batch(segments, attempts, uncounted + 1, last);
        }

        /** Attempts that were of the schedule. */
        int counted() {
            return Math.max(0, attempts - uncounted);
        }

        /** A batch of these objects, after as many attempts. */
        Batch of(List<StreamStateHandle> some) {
            return new Batch(some, attempts, uncounted, last);
        }

        Batch last() {
            return new Batch(segments, attempts, uncounted, true);
        }

        /** Its halves, or itself if it has one object. */
        List<Batch> halves() {
            if (segments.size() == 1) {
                return Collections.singletonList(this);
            }
            int half = (segments.size() + 1) / 2;
            return Arrays.asList(
                    of(segments.subList(0, half)), of(segments.subList(half, segments.size())));
        }

        @Override
        public String toString() {
            return segments.size() == 1
                    ? name(segments.get(0))
                    : String.format(
                            Locale.ROOT,
                            "%d objects, the first %s",
                            segments.size(),
                            name(segments.get(0)));
        }
    }
}
