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
package io.dstl.changelog.replay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.changelog.bulk.Cancellation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the parts of a log, in order, into a queue. Ends with the last part, or at the first that
 * it can't read, whose failure it hands over like a batch.
 *
 * <p>Owns its thread and the iterator that it reads.
 */
final class ReaderThread {
    private static final Logger LOG = LoggerFactory.getLogger(ReaderThread.class);

    private final LogSource source;
    private final List<LogSource.Part> parts;
    private final ChangeBatch.HandOver queue;
    private final RestoreProgress progress;
    private final CountDownLatch readOn;
    private final Thread thread;

    @GuardedBy("this")
    private LogSource.Ahead fetch = LogSource.Ahead.NONE;

    @GuardedBy("this")
    private Optional<CloseableIterator<StateChange>> open = Optional.empty();

    @GuardedBy("this")
    private LogSource.Part openPart;

    @GuardedBy("this")
    private boolean stopped;

    /**
     * @param source to which the thread announces the parts, and tells which ones it has read
     * @param progress counts how long that took
     * @param holdsBack whether only the first part is announced and read before {@link #readOn()}
     */
    ReaderThread(
            LogSource source,
            List<LogSource.Part> parts,
            ChangeBatch.HandOver queue,
            RestoreProgress progress,
            boolean holdsBack) {
        this.readOn = new CountDownLatch(holdsBack ? 1 : 0);
        this.source = source;
        this.parts = parts;
        this.queue = queue;
        this.progress = progress;
        this.thread = new Thread(this::run, Thread.currentThread().getName() + " reads ahead");
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            int first = readOn.getCount() > 0 ? 1 : 0;
            if (readAll(parts.subList(0, first)) && mayReadOn()) {
                readAll(parts.subList(first, parts.size()));
            }
        } catch (InterruptedException e) {
            LOG.debug("Reading ahead was stopped", e);
        } catch (Throwable t) {
            // Without it the replay would wait for ever.
            queue.fail(t);
        }
    }

    /** Waits for that. Returns false if the thread was stopped. */
    private boolean mayReadOn() throws InterruptedException {
        queue.mayWake();
        readOn.await();
        return !queue.isStopped();
    }

    /** Returns false if no parts are to be read after these. */
    private boolean readAll(List<LogSource.Part> next) throws InterruptedException {
        if (next.isEmpty()) {
            return true;
        }
        if (!announce(next)) {
            return false;
        }
        for (LogSource.Part part : next) {
            if (!read(part)) {
                return false;
            }
            fetched().done(part.log());
            progress.read();
        }
        return true;
    }

    /**
     * Announces the parts on this thread, as that may load the store's client. Returns false if
     * nobody needs them.
     */
    private boolean announce(List<LogSource.Part> next) throws InterruptedException {
        // All parts announced before are read.
        fetched().close();
        LogSource.Ahead announced;
        try {
            announced = source.announce(next);
        } catch (Throwable t) {
            queue.put(ChangeBatch.notOpened(next.get(0), t));
            return false;
        }
        synchronized (this) {
            fetch = announced;
            if (!stopped) {
                return true;
            }
        }
        announced.close();
        return false;
    }

    /** Makes the thread read the parts held back. Any thread; does not wait for it. */
    void readOn() {
        readOn.countDown();
    }

    private synchronized LogSource.Ahead fetched() {
        return fetch;
    }

    /** Returns false if no part is to be read after this one. */
    private boolean read(LogSource.Part part) throws InterruptedException {
        long begin = progress.now();
        CloseableIterator<StateChange> changes;
        try {
            changes = source.open(part.log(), part.keyGroups());
        } catch (Throwable t) {
            queue.put(ChangeBatch.notOpened(part, t));
            return false;
        }
        try {
            return keep(part, changes) && read(part, changes, begin);
        } finally {
            closeOpen();
        }
    }

    private boolean read(LogSource.Part part, CloseableIterator<StateChange> changes, long begin)
            throws InterruptedException {
        ChangeBatch batch = new ChangeBatch(part, true);
        try {
            // This first look opens the part, and waits for its download.
            boolean more = changes.hasNext();
            boolean grouped = ChangeCursor.isGrouped(changes);
            batch = new ChangeBatch(part, grouped);
            progress.fetched(progress.now() - begin);
            while (more) {
                more = fill(batch, changes);
                if (!queue.put(batch)) {
                    return false;
                }
                batch = new ChangeBatch(part, grouped);
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable t) {
            batch.cannotRead(t);
            queue.put(batch);
            return false;
        }
        batch.end();
        return queue.put(batch);
    }

    /** Returns false if there are no more changes. */
    private boolean fill(ChangeBatch batch, CloseableIterator<StateChange> changes) {
        long begin = progress.now();
        boolean more = true;
        while (more && !batch.isFull()) {
            batch.add(changes.next());
            more = changes.hasNext();
        }
        progress.decoded(progress.now() - begin);
        return more;
    }

    /** Returns false if the thread was stopped meanwhile. */
    private synchronized boolean keep(LogSource.Part part, CloseableIterator<StateChange> changes) {
        open = Optional.of(changes);
        openPart = part;
        return !stopped;
    }

    private void closeOpen() {
        Optional<CloseableIterator<StateChange>> toClose;
        LogSource.Part part;
        synchronized (this) {
            toClose = open;
            part = openPart;
            open = Optional.empty();
        }
        if (toClose.isPresent()) {
            try {
                toClose.get().close();
            } catch (Exception e) {
                LOG.warn("Could not close {} after reading it", part, e);
            }
        }
    }

    /** Makes the thread end soon, whatever it waits for. Any thread; does not wait for it. */
    void stop() {
        synchronized (this) {
            stopped = true;
        }
        queue.stop();
        readOn();
        // Closing what it opens may wait for it.
        thread.interrupt();
        fetched().close();
        closeOpen();
    }

    /** Waits for the thread's end, also when interrupted: nothing of the restore outlives it. */
    void join() {
        if (Cancellation.awaitEnd(thread)) {
            Thread.currentThread().interrupt();
        }
    }
}
