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
package io.dstl.store;

import io.dstl.registry.DeletionQueue;
import io.dstl.registry.DeletionSchedule;
import io.dstl.registry.RegistryListener;
import io.dstl.secret.Redaction.Redacted;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.function.ThrowingConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the objects that lost requests have stored, or may have, off the caller's thread. Uses
 * its own {@link DeletionQueue}, which retries: an outage that fails a put fails its first deletion
 * too.
 *
 * <p><b>Close.</b> As of the queue: what waits for another attempt is deleted at once, and later
 * deletions go on as before.
 *
 * <p><b>Threading.</b> Any thread; requests are made on the executor of the {@link Cleanups}.
 */
final class LoserDeletion implements AutoCloseable {

    /** The store may still carry out a request that was aborted or lost its connection. */
    static final Duration STRAY_REQUEST = Duration.ofSeconds(60);

    /** Limit of names that wait for their second deletion; about 2 MB. */
    static final int MAX_WAITING = 10_000;

    private static final long SIZE_UNKNOWN = 0;

    private static final Logger LOG = LoggerFactory.getLogger(LoserDeletion.class);

    private final ScheduledExecutorService timer;
    private final DeletionQueue queue;

    /** Names that wait for their second deletion. */
    private final AtomicInteger waiting = new AtomicInteger();

    /**
     * @param discard deletes what is stored under a name; blocks
     */
    LoserDeletion(ThrowingConsumer<String, IOException> discard, Cleanups cleanups) {
        this.timer = cleanups.timer;
        this.queue =
                new DeletionQueue(
                        object ->
                                discard.accept(((FileStateHandle) object).getFilePath().getName()),
                        cleanups.executor,
                        DeletionSchedule.on(timer),
                        RegistryListener.none());
    }

    /** Deletes the object now. */
    void delete(String name) {
        queue.delete(new FileStateHandle(new Path(name), SIZE_UNKNOWN));
    }

    /** Deletes the object now, and later what requests that ended without an answer store. */
    void deleteNowAndLater(String name) {
        delete(name);
        if (waiting.incrementAndGet() > MAX_WAITING || !isScheduled(name)) {
            waiting.decrementAndGet();
            LOG.debug("{} is not deleted again", Redacted.of(name));
        }
    }

    private boolean isScheduled(String name) {
        Runnable later =
                () -> {
                    waiting.decrementAndGet();
                    delete(name);
                };
        try {
            timer.schedule(later, STRAY_REQUEST.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Idempotent. */
    @Override
    public void close() {
        queue.close();
    }
}
