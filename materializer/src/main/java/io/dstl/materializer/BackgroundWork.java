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
package io.dstl.materializer;

import static java.util.Objects.requireNonNull;

import io.dstl.materializer.MaterializationTarget.Flush;
import io.dstl.materializer.MaterializationTarget.WorkAhead;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A part of one materialization that runs on a background thread. Either the work ends, or the task
 * gives it up first; the first of the two wins.
 *
 * <p>Thread-safe.
 */
abstract class BackgroundWork implements StallWatch.Watched {

    private enum State {
        WAITING,
        RUNNING,
        ENDED,
        GIVEN_UP
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /**
     * The error for work that was given up since it made no progress for the allowed time.
     *
     * @param task name of the task
     */
    abstract TimeoutException silence(String task, Duration allowed);

    /**
     * @return false, and without effect, if the work has been given up
     */
    final boolean begin() {
        return state.compareAndSet(State.WAITING, State.RUNNING);
    }

    @Override
    public final boolean isRunning() {
        return state.get() == State.RUNNING;
    }

    /** Whether it was given up as it ran, and runs still. */
    final boolean isGivenUp() {
        return state.get() == State.GIVEN_UP;
    }

    /**
     * @return false if the work has been given up
     */
    final boolean end() {
        return state.getAndSet(State.ENDED) == State.RUNNING;
    }

    /**
     * @return false if the work has ended
     */
    final boolean giveUp() {
        return state.compareAndSet(State.RUNNING, State.GIVEN_UP)
                || state.compareAndSet(State.WAITING, State.GIVEN_UP);
    }

    /**
     * Flushes RocksDB's memory before one materialization begins; RocksDB first waits for as long
     * as the flush would stall the task's writes. The flush shows no progress, so its whole run may
     * take as long as an upload may be silent.
     */
    static final class FlushAhead extends BackgroundWork {

        private static final Logger LOG = LoggerFactory.getLogger(FlushAhead.class);

        /** The most flushes in a row: a task may write as fast as it is flushed. */
        private static final int MOST = 3;

        private final WorkAhead flush;
        private final int number;
        private volatile Duration waited = Duration.ZERO;

        private FlushAhead(WorkAhead flush, int number) {
            this.flush = requireNonNull(flush);
            this.number = number;
        }

        static Optional<FlushAhead> of(MaterializationTarget target) {
            return target.flushAhead(Flush.FIRST).map(flush -> new FlushAhead(flush, 1));
        }

        /** Of what the task has written during this one; empty if that is little. */
        Optional<FlushAhead> next(MaterializationTarget target) {
            return number < MOST ? again(target, number + 1) : Optional.empty();
        }

        /** Of what the task has written since this one, in another turn; there is no next one. */
        Optional<FlushAhead> last(MaterializationTarget target) {
            return again(target, MOST);
        }

        private static Optional<FlushAhead> again(MaterializationTarget target, int number) {
            return target.flushAhead(number < MOST ? Flush.AGAIN : Flush.LAST)
                    .map(again -> new FlushAhead(again, number));
        }

        /**
         * Runs the flush once, on any thread. A failure is only logged: the snapshot flushes again
         * and reports the error.
         *
         * @return whether the task waits for the end of this work
         */
        boolean run(HostTask task) {
            if (!begin()) {
                return false;
            }
            try {
                waited = flush.run();
            } catch (Throwable t) {
                LOG.debug("Could not flush ahead for {}", task.name(), task.shown(t));
                ExceptionUtils.rethrowIfFatalError(t);
            }
            return end();
        }

        /** Which is no cost, and so makes no pause. */
        Duration waited() {
            return waited;
        }

        @Override
        public long steps() {
            return 0;
        }

        @Override
        TimeoutException silence(String task, Duration allowed) {
            return new TimeoutException(
                    "The flush ahead of a materialization of "
                            + task
                            + " was given up: it has not ended for "
                            + allowed.getSeconds()
                            + " s. RocksDB waits with it for as long as it would stall the task's"
                            + " writes, and a snapshot would wait for the same. The"
                            + " materialization is tried again at the first completed checkpoint"
                            + " after its end, and the log grows until then. See that the disk of"
                            + " state.backend.rocksdb.localdir takes writes, and what the file LOG"
                            + " of RocksDB says of stalls. If its compactions don't keep up: raise"
                            + " state.backend.rocksdb.thread.num. The thread, named"
                            + " dstl-materialization in a thread dump, stays until RocksDB lets it"
                            + " go: until compactions have caught up, or the task ends.");
        }

        @Override
        public String toString() {
            return "what is done ahead of a materialization";
        }
    }
}
