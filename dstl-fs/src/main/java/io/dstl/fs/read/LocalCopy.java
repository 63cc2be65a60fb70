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

import io.dstl.registry.Shown;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One segment's place on local disk, filled by the first reader that gets there.
 *
 * <p>The use count is guarded by the cache's lock, the file by a lock of its own, which is held for
 * the length of a download.
 */
final class LocalCopy {

    private static final Logger LOG = LoggerFactory.getLogger(LocalCopy.class);

    /** Fills the file, or throws. */
    interface Download {
        void run() throws IOException;
    }

    private final PhysicalStateHandleID id;
    private final Path file;
    private final ReentrantLock filling = new ReentrantLock();

    /** Written with {@link #filling} held. */
    private volatile boolean ready;

    private int users;
    private Future<?> idleTimer;

    LocalCopy(PhysicalStateHandleID id, Path file) {
        this.id = id;
        this.file = file;
    }

    PhysicalStateHandleID id() {
        return id;
    }

    Path file() {
        return file;
    }

    boolean isReady() {
        return ready;
    }

    boolean isUsed() {
        return users > 0;
    }

    void use() {
        users++;
        if (idleTimer != null) {
            idleTimer.cancel(false);
        }
    }

    void endUse() {
        users--;
    }

    void idle(Future<?> timer) {
        idleTimer = timer;
    }

    /** Opens the file from a position on, after filling it where nobody has. */
    InputStream open(Download download, long position) throws IOException {
        lock();
        try {
            if (!ready) {
                fill(download);
            }
        } finally {
            filling.unlock();
        }
        SeekableByteChannel channel = Files.newByteChannel(file);
        try {
            return Channels.newInputStream(channel.position(position));
        } catch (Throwable t) {
            channel.close();
            throw t;
        }
    }

    private void lock() throws InterruptedIOException {
        try {
            filling.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(
                    "Interrupted while another task downloads " + Shown.of(id));
        }
    }

    private void fill(Download download) throws IOException {
        try {
            download.run();
            ready = true;
        } catch (Throwable t) {
            delete();
            throw t;
        }
    }

    void delete() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("Could not delete {}, the local copy of {}", file, Shown.of(id), e);
        }
    }

    @Override
    public String toString() {
        return file + ", the local copy of " + Shown.of(id);
    }
}
