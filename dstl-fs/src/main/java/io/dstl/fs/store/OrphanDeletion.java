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

import io.dstl.registry.DeletionQueue;
import io.dstl.registry.DeletionSchedule;
import io.dstl.registry.RegistryListener;
import io.dstl.registry.SegmentDeleter;
import io.dstl.registry.Shown;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what lost requests have stored, or may have, off the caller's thread. By a {@link
 * DeletionQueue} of its own, which tries again: the outage that lets a put fail lets the first
 * deletion behind it fail too.
 *
 * <p><b>Close.</b> There is nothing to close. What waits when the timer is shut down is not tried
 * again; {@code dstl orphans} finds it.
 *
 * <p><b>Threading.</b> Any thread; requests are made on the executor.
 */
final class OrphanDeletion {

    /** Once a request was aborted, or its connection lost, the store may still carry it out. */
    static final Duration STRAY_REQUEST = Duration.ofSeconds(60);

    /** For the repetition. About 2 MB of them. */
    static final int MAX_WAITING = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(OrphanDeletion.class);

    private final ScheduledExecutorService timer;
    private final DeletionQueue queue;

    /** For the repetition. */
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * @param executor runs the deletions; takes them until the last request of the storage has
     *     ended
     * @param timer keeps the pauses; does not block
     */
    OrphanDeletion(Executor executor, ScheduledExecutorService timer) {
        this.timer = timer;
        this.queue =
                new DeletionQueue(
                        SegmentDeleter.throughHandle(),
                        executor,
                        DeletionSchedule.on(timer),
                        RegistryListener.none());
    }

    /** A request that deletes. */
    interface Deletion {
        void run() throws IOException;
    }

    /** Of what is there. */
    void delete(String name, Deletion deletion) {
        queue.delete(new Orphan(name, deletion));
    }

    /** Of what is there, and what requests that have ended without an answer bring later. */
    void deleteNowAndLater(String name, Deletion deletion) {
        delete(name, deletion);
        if (waiting.incrementAndGet() > MAX_WAITING || !isScheduled(name, deletion)) {
            waiting.decrementAndGet();
            LOG.debug("{} is not deleted again", Shown.of(name));
        }
    }

    private boolean isScheduled(String name, Deletion deletion) {
        Runnable later =
                () -> {
                    waiting.decrementAndGet();
                    delete(name, deletion);
                };
        try {
            timer.schedule(later, STRAY_REQUEST.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** What nothing refers to, as the queue takes it. */
    private static final class Orphan implements StreamStateHandle {

        private static final long serialVersionUID = 1L;

        private final String name;
        private final transient Deletion deletion;

        private Orphan(String name, Deletion deletion) {
            this.name = name;
            this.deletion = deletion;
        }

        @Override
        public void discardState() throws IOException {
            deletion.run();
        }

        @Override
        public PhysicalStateHandleID getStreamStateHandleID() {
            return new PhysicalStateHandleID(name);
        }

        /** Not known. */
        @Override
        public long getStateSize() {
            return 0;
        }

        @Override
        public FSDataInputStream openInputStream() throws IOException {
            throw new IOException("Nobody reads " + Shown.of(name));
        }

        @Override
        public Optional<byte[]> asBytesIfInMemory() {
            return Optional.empty();
        }
    }
}
