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

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;
import org.apache.flink.core.fs.FileSystemKind;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/**
 * Local files behind {@code hanging:///path}. After the first few it takes no byte of a file that a
 * task owns, and neither closes it, until it is released; no interrupt helps. One at a time.
 */
public final class HangingFileSystem extends LocalFileSystem {
    static final String SCHEME = "hanging";

    private static volatile CompletableFuture<Void> written = new CompletableFuture<>();
    private static volatile CompletableFuture<Void> released = new CompletableFuture<>();

    /** Has a party for each stream that hangs and is not closed. */
    private static volatile Phaser open = new Phaser(1);

    private static final AtomicInteger FILES_BEFORE = new AtomicInteger();

    /**
     * @param files that are stored before
     */
    static void hangAfter(int files) {
        FILES_BEFORE.set(files);
        written = new CompletableFuture<>();
        released = new CompletableFuture<>();
        open = new Phaser(1);
    }

    /** Until a task writes its first byte. */
    static void awaitWriter() {
        written.join();
    }

    static boolean hasWriter() {
        return written.isDone();
    }

    static void release() {
        released.complete(null);
    }

    /** Until all streams are closed. None is opened any more. */
    static void awaitClosed() {
        open.arriveAndAwaitAdvance();
    }

    @Override
    public FSDataOutputStream create(Path path, WriteMode mode) throws IOException {
        FSDataOutputStream file = super.create(path, mode);
        boolean hangs =
                path.getPath().contains("/taskowned/") && FILES_BEFORE.getAndDecrement() <= 0;
        return hangs ? new HangingStream(file) : file;
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

    private static final class HangingStream extends FSDataOutputStream {
        private final FSDataOutputStream file;

        HangingStream(FSDataOutputStream file) {
            this.file = file;
            open.register();
        }

        @Override
        public void write(int value) throws IOException {
            written.complete(null);
            released.join();
            file.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            written.complete(null);
            released.join();
            file.write(bytes, offset, length);
        }

        @Override
        public long getPos() throws IOException {
            return file.getPos();
        }

        @Override
        public void flush() throws IOException {
            file.flush();
        }

        @Override
        public void sync() throws IOException {
            file.sync();
        }

        @Override
        public void close() throws IOException {
            released.join();
            file.close();
            open.arriveAndDeregister();
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
