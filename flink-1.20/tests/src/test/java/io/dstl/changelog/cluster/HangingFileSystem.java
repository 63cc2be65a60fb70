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
package io.dstl.changelog.cluster;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.FileSystemKind;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/**
 * Local files behind {@code hanging:///path}. Those that a task owns are as on an object store:
 * there once their stream is closed, and a stream that is being closed is not closed again; and an
 * interrupt ends a deletion. From some file and byte on it takes no byte, and closes no stream that
 * has met this, until it is released; no interrupt helps. One at a time.
 */
public final class HangingFileSystem extends LocalFileSystem {
    public static final String SCHEME = "hanging";

    private static final AtomicInteger FILES_BEFORE = new AtomicInteger();
    private static volatile int bytesBefore;
    private static volatile boolean hangsInClose;
    private static volatile CountDownLatch met = new CountDownLatch(1);
    private static volatile CompletableFuture<Void> released = new CompletableFuture<>();

    /** Has a party for each stream that may hang and is not closed. */
    private static volatile Phaser open = new Phaser(1);

    /**
     * @param files that are stored before
     * @param bytes of each file that are taken
     */
    public static void hangAfter(int files, int bytes) {
        FILES_BEFORE.set(files);
        bytesBefore = bytes;
        hangsInClose = false;
        met = new CountDownLatch(1);
        released = new CompletableFuture<>();
        open = new Phaser(1);
    }

    /** It takes all bytes, and closes no stream. */
    public static void hangInClose() {
        hangAfter(0, Integer.MAX_VALUE);
        hangsInClose = true;
    }

    /** Until it hangs. */
    public static void awaitWriter() throws InterruptedException {
        met.await();
    }

    static boolean hasWriter() {
        return met.getCount() == 0;
    }

    public static void release() {
        released.complete(null);
    }

    /** Until all streams are closed. None is opened any more. */
    static void awaitClosed() throws InterruptedException {
        open.awaitAdvanceInterruptibly(open.arrive());
    }

    @Override
    public FSDataOutputStream create(Path path, WriteMode mode) throws IOException {
        return isOfTask(path) ? new ObjectStream(this, path) : super.create(path, mode);
    }

    private void store(Path path, byte[] content) throws IOException {
        try (FSDataOutputStream file = super.create(path, WriteMode.NO_OVERWRITE)) {
            file.write(content);
        }
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        if (isOfTask(path) && Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("The deletion of " + path + " was interrupted");
        }
        return super.delete(path, recursive);
    }

    private static boolean isOfTask(Path path) {
        return path.getPath().contains("/taskowned/");
    }

    @Override
    public URI getUri() {
        return URI.create(SCHEME + ":///");
    }

    @Override
    public boolean isDistributedFS() {
        return true;
    }

    /** Flink 1 asks for it, and Flink 2 has none. */
    @Deprecated
    @SuppressWarnings("MissingOverride")
    public FileSystemKind getKind() {
        return FileSystemKind.OBJECT_STORE;
    }

    private static final class ObjectStream extends FSDataOutputStream {
        private final HangingFileSystem store;
        private final Path path;
        private final boolean hangs = FILES_BEFORE.getAndDecrement() <= 0;
        private final Phaser openAtStart = open;
        private final CompletableFuture<Void> end = released;
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();
        private final AtomicBoolean closed = new AtomicBoolean();
        private volatile boolean metIt;

        ObjectStream(HangingFileSystem store, Path path) {
            this.store = store;
            this.path = path;
            openAtStart.register();
        }

        @Override
        public void write(int value) {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            if (hangs && (long) content.size() + length > bytesBefore) {
                metIt = true;
                hang();
            }
            synchronized (content) {
                content.write(bytes, offset, length);
            }
        }

        private void hang() {
            met.countDown();
            end.join();
        }

        @Override
        public long getPos() {
            return content.size();
        }

        @Override
        public void flush() {}

        @Override
        public void sync() {}

        @Override
        public void close() throws IOException {
            if (!closed.compareAndSet(false, true)) {
                return;
            }
            if (metIt || hangsInClose) {
                hang();
            }
            try {
                synchronized (content) {
                    store.store(path, content.toByteArray());
                }
            } finally {
                openAtStart.arriveAndDeregister();
            }
        }
    }

    /** Found as a service. */
    public static final class Factory implements FileSystemFactory {
        @Override
        public String getScheme() {
            return SCHEME;
        }

        @Override
        public void configure(Configuration config) {}

        @Override
        public FileSystem create(URI uri) {
            return new HangingFileSystem();
        }
    }
}
