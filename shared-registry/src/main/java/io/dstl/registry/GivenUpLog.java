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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.secret.Redaction;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs which objects could not be deleted: the first at once, and those of the next minute in one
 * line at its end, as a store that refuses deletions refuses thousands.
 *
 * <p><b>Threading.</b> Any thread.
 */
final class GivenUpLog implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DeletionQueue.class);

    private final DeletionSchedule schedule;
    private final Line line;

    /** Ends the minute without a line; present while there is one. */
    @GuardedBy("this")
    private Optional<Future<?>> quiet = Optional.empty();

    @GuardedBy("this")
    private Unsaid unsaid = Unsaid.NOTHING;

    @GuardedBy("this")
    private boolean closed;

    GivenUpLog(DeletionSchedule schedule) {
        this(schedule, GivenUpLog::warn);
    }

    GivenUpLog(DeletionSchedule schedule, Line line) {
        this.schedule = schedule;
        this.line = line;
    }

    /**
     * @param objects of one request; at least one
     * @param attempts that each had
     * @param failure of the first
     */
    synchronized void add(
            List<? extends StreamStateHandle> objects, int attempts, Throwable failure) {
        unsaid = unsaid.and(objects, attempts, failure);
        // Cancelled if the timer was shut down.
        if (!quiet.filter(end -> !end.isDone()).isPresent()) {
            say();
        }
    }

    @GuardedBy("this")
    private void say() {
        Unsaid said = unsaid;
        unsaid = Unsaid.NOTHING;
        line.log(said.objects, said.bytes, said.attempts, said.first, said.failure);
        if (closed) {
            return;
        }
        try {
            quiet = schedule.afterAMinute(this::endQuiet);
        } catch (Throwable t) {
            // Without a timer, each line is logged at once.
            quiet = Optional.empty();
        }
    }

    private synchronized void endQuiet() {
        quiet = Optional.empty();
        if (unsaid.objects > 0) {
            say();
        }
    }

    /** Logs what is left now: the process may end. */
    synchronized void flush() {
        if (unsaid.objects > 0) {
            quiet.ifPresent(end -> end.cancel(false));
            say();
        }
    }

    /** Logs what is left; from then on each line is logged at once. Idempotent. */
    @Override
    public synchronized void close() {
        closed = true;
        quiet.ifPresent(end -> end.cancel(false));
        endQuiet();
    }

    private static void warn(
            int objects, long bytes, int attempts, String first, Throwable failure) {
        Throwable shown = Redaction.OF_URIS.failure(failure);
        if (objects == 1) {
            LOG.warn(
                    "Could not delete {} of {} bytes in {} attempts: it stays in the store,"
                            + " referenced by nothing, until the command 'orphans' deletes it (a"
                            + " file of materialized state: with --state-files)",
                    first,
                    bytes,
                    attempts,
                    shown);
        } else {
            LOG.warn(
                    "Could not delete {} objects of {} bytes in up to {} attempts: they stay in"
                            + " the store, referenced by nothing, until the command 'orphans'"
                            + " deletes them (files of materialized state: with --state-files). The"
                            + " first is {}",
                    objects,
                    bytes,
                    attempts,
                    first,
                    shown);
        }
    }

    /** Writes a line of the log. Does not throw. */
    interface Line {

        /**
         * @param attempts most of an object
         * @param first name of the first object
         * @param failure of the first
         */
        void log(int objects, long bytes, int attempts, String first, Throwable failure);
    }

    /** Objects of which no line was logged yet. Immutable. */
    private static final class Unsaid {

        private static final Unsaid NOTHING = new Unsaid(0, 0, 0, "", null);

        private final int objects;
        private final long bytes;
        private final int attempts;
        private final String first;
        private final Throwable failure;

        private Unsaid(int objects, long bytes, int attempts, String first, Throwable failure) {
            this.objects = objects;
            this.bytes = bytes;
            this.attempts = attempts;
            this.first = first;
            this.failure = failure;
        }

        private Unsaid and(
                List<? extends StreamStateHandle> more, int theirAttempts, Throwable theirFailure) {
            long theirBytes = more.stream().mapToLong(StreamStateHandle::getStateSize).sum();
            boolean isFirst = objects == 0;
            return new Unsaid(
                    objects + more.size(),
                    bytes + theirBytes,
                    Math.max(attempts, theirAttempts),
                    isFirst ? DeletionQueue.name(more.get(0)) : first,
                    isFirst ? theirFailure : failure);
        }
    }
}
