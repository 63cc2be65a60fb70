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
package io.dstl.fs.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.secret.Redaction.Redacted;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One segment's copy on local disk.
 *
 * <p>The counts are guarded by the cache's lock. The file is guarded by its own lock, which is held
 * during a download; the copy's monitor guards which thread may end the download.
 */
abstract class LocalCopy {

    private static final Logger LOG = LoggerFactory.getLogger(LocalCopy.class);

    /** Held by the thread that fills the file. */
    final ReentrantLock filling = new ReentrantLock();

    private final StreamStateHandle segment;
    private final Path file;

    private int users;
    private int fetchers;
    private int pins;
    private Future<?> idleTimer;

    @GuardedBy("this")
    private Optional<Closeable> download = Optional.empty();

    @GuardedBy("this")
    private boolean abandoned;

    /** No further download before the copy is used again. */
    @GuardedBy("this")
    private boolean unwanted;

    LocalCopy(StreamStateHandle segment, Path file) {
        this.segment = segment;
        this.file = file;
    }

    final StreamStateHandle segment() {
        return segment;
    }

    final PhysicalStateHandleID id() {
        return segment.getStreamStateHandleID();
    }

    final Path file() {
        return file;
    }

    /** Whether the file holds bytes that may be needed again. Any thread. */
    abstract boolean isFilled();

    /**
     * Fetches the bytes that reading these sets takes, unless another thread fetches. Any thread.
     *
     * @throws IOException if the segment cannot be read; nothing partial is left then
     */
    abstract void fetch(List<SetRequest> sets) throws IOException;

    /**
     * Begins a download that ends as soon as possible once nobody waits for it.
     *
     * @param stored is closed to end the download
     * @throws IOException if nobody waits for the download any more; {@code stored} is closed then
     */
    final void beginDownload(Closeable stored) throws IOException {
        synchronized (this) {
            if (!abandoned && !unwanted) {
                download = Optional.of(stored);
                return;
            }
        }
        stored.close();
        throw new IOException("No task needs " + Redacted.of(segment) + " any more");
    }

    /**
     * @return whether nobody waits for the download any more
     */
    final synchronized boolean endDownload() {
        download = Optional.empty();
        return abandoned;
    }

    /**
     * Nobody reads the copy any more. Its bytes stay valid unless a download is under way, and no
     * other download begins before the copy is used again.
     *
     * @return false if the copy is empty, or a download is under way
     */
    final synchronized boolean keepAsItIs() {
        if (!isFilled() || download.isPresent()) {
            return false;
        }
        unwanted = true;
        return true;
    }

    private synchronized void want() {
        unwanted = false;
    }

    /** Nobody waits for a download any more: it ends as soon as possible, and leaves nothing. */
    final void abandon() {
        Optional<Closeable> running;
        synchronized (this) {
            abandoned = true;
            running = download;
        }
        if (!running.isPresent()) {
            return;
        }
        try {
            running.get().close();
        } catch (IOException e) {
            // The class only: the message may hold secrets.
            LOG.debug(
                    "Could not close {}, which nobody reads: {}",
                    Redacted.of(segment),
                    e.getClass().getName());
        }
    }

    final boolean isUsed() {
        return users > 0;
    }

    /** Whether only fetches ahead use it, for nobody. */
    final boolean isForgotten() {
        return users > 0 && users == fetchers;
    }

    final void use() {
        want();
        users++;
        if (idleTimer != null) {
            idleTimer.cancel(false);
        }
    }

    final void endUse() {
        users--;
    }

    final void beginFetch() {
        use();
        fetchers++;
    }

    final void endFetch() {
        fetchers--;
        endUse();
    }

    /** Returns true for the first pin. */
    final boolean pin() {
        use();
        return ++pins == 1;
    }

    /** Returns true for the last pin. The caller ends the use. */
    final boolean unpin() {
        return --pins == 0;
    }

    final boolean isPinned() {
        return pins > 0;
    }

    final void idle(Future<?> timer) {
        idleTimer = timer;
    }

    final void lock() throws InterruptedIOException {
        try {
            filling.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(
                    "Interrupted while another task downloads " + Redacted.of(id()));
        }
    }

    final void delete() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("Could not delete {}, the local copy of {}", file, Redacted.of(id()), e);
        }
    }

    @Override
    public String toString() {
        return file + ", the local copy of " + Redacted.of(id());
    }
}
