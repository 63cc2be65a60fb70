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
package io.dstl.changelog.keyed;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemSafetyNet;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStateToolset;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStorageWorkerView;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageAccess;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageLocation;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.function.SupplierWithException;

/**
 * The files of one materialization by Flink's file system, as {@link
 * CheckpointStorageWorkerView#createTaskOwnedStateStream} makes them.
 *
 * <p><b>A store that hangs</b> keeps no task from its end. Whoever ends an upload closes its
 * streams, and a stream to such a store hangs as it is closed. So only the writer of a file closes
 * it, and for any other thread another one does: also for that of the upload, as it may be
 * interrupted, which may end a deletion.
 *
 * <p><b>The upload's thread leaves last</b>, and counts as hanging until then. It waits for the
 * writers and for those that close a file. Then it closes what Flink's streams have left open by a
 * {@link FileSystemSafetyNet} of its own, as Flink does for its checkpoints; not by that of the
 * task, which the task thread closes. A store may make a file as its stream is closed, and it is
 * Flink's stream that deletes the file. So nothing must close below that stream.
 *
 * <p>Thread-safe, but each file has one writer, the thread that opens it.
 */
final class FlinkFiles {
    /** Has no part in the names of these files. */
    private static final long ANY_CHECKPOINT = 1;

    private final CheckpointStorageWorkerView storage;
    private final Executor endings;

    /**
     * The thread of the upload; null where it has the safety net of somebody else, and does not
     * wait.
     */
    private volatile @Nullable Thread uploader;

    /** Opens a file of the storage; within the safety net of the upload's thread, once it runs. */
    private volatile SupplierWithException<CheckpointStateOutputStream, IOException> opener;

    private final Set<FileStream> open = ConcurrentHashMap.newKeySet();

    /** Ends of closes by other threads. */
    private final Queue<CompletableFuture<Void>> givenAway = new ConcurrentLinkedQueue<>();

    /**
     * @param endings closes streams for other threads
     */
    FlinkFiles(CheckpointStorageWorkerView storage, Executor endings) {
        this.storage = requireNonNull(storage);
        this.endings = requireNonNull(endings);
        this.opener = storage::createTaskOwnedStateStream;
    }

    /**
     * Runs the upload, and closes what it has left open. A thread that has a safety net, as one of
     * a checkpoint, leaves that to the net, and does not wait. Call it once.
     */
    void run(Runnable upload) {
        boolean hasNet = FileSystem.getLocalFileSystem() != LocalFileSystem.getSharedInstance();
        if (hasNet) {
            runWithin(upload);
            return;
        }
        FileSystemSafetyNet.initializeSafetyNetForThread();
        uploader = Thread.currentThread();
        try {
            runWithin(upload);
        } finally {
            try {
                open.forEach(FileStream::giveAway);
                awaitOthers();
                open.forEach(FileStream::awaitWriter);
                awaitOthers();
            } finally {
                FileSystemSafetyNet.closeSafetyNetAndGuardedResourcesForThread();
            }
        }
    }

    private void runWithin(Runnable upload) {
        if (storage.getClass().equals(FsCheckpointStorageAccess.class)) {
            opener = openerOfThisThread();
        }
        upload.run();
    }

    /**
     * A location that is told by its path takes the file system of the calling thread. If there is
     * none, the first file fails, and so does the upload, which then releases its snapshot.
     */
    private SupplierWithException<CheckpointStateOutputStream, IOException> openerOfThisThread() {
        try {
            Path directory =
                    location(CheckpointStorageLocationReference.getDefault())
                            .getTaskOwnedStateDirectory();
            FsCheckpointStorageLocation location =
                    location(AbstractFsCheckpointStorageAccess.encodePathAsReference(directory));
            return () -> location.createCheckpointStateOutputStream(CheckpointedStateScope.SHARED);
        } catch (IOException e) {
            return () -> {
                throw new IOException("The directory of the task's files cannot be opened", e);
            };
        }
    }

    private FsCheckpointStorageLocation location(CheckpointStorageLocationReference reference)
            throws IOException {
        return (FsCheckpointStorageLocation)
                storage.resolveCheckpointStorageLocation(ANY_CHECKPOINT, reference);
    }

    private void awaitOthers() {
        for (CompletableFuture<Void> closed = givenAway.poll();
                closed != null;
                closed = givenAway.poll()) {
            closed.join();
        }
    }

    /** A new file, whose writer is the calling thread. */
    CheckpointStateOutputStream open() throws IOException {
        FileStream file = new FileStream(opener.get());
        open.add(file);
        return file;
    }

    CheckpointStateToolset toolset() {
        return storage.createTaskOwnedCheckpointStateToolset();
    }

    private enum Use {
        OPEN,
        /** Its writer makes a handle of it. As with Flink, nobody closes it: that would wait. */
        COMPLETING,
        /** Another thread closes it. */
        GIVEN_AWAY
    }

    /** One file. */
    private final class FileStream extends CheckpointStateOutputStream {
        private final CheckpointStateOutputStream stream;
        private final Thread writer = Thread.currentThread();
        private final AtomicReference<Use> use = new AtomicReference<>(Use.OPEN);

        /** Held by the writer during each call. */
        private final Object calls = new Object();

        FileStream(CheckpointStateOutputStream stream) {
            this.stream = stream;
        }

        @Override
        public void write(int value) throws IOException {
            synchronized (calls) {
                checkOpen();
                stream.write(value);
            }
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            synchronized (calls) {
                checkOpen();
                stream.write(bytes, offset, length);
            }
        }

        @Override
        public void flush() throws IOException {
            synchronized (calls) {
                checkOpen();
                stream.flush();
            }
        }

        @Override
        public void sync() throws IOException {
            synchronized (calls) {
                checkOpen();
                stream.sync();
            }
        }

        private void checkOpen() throws IOException {
            if (use.get() == Use.GIVEN_AWAY) {
                throw new IOException("The file is closed, as its upload ends");
            }
        }

        @Override
        public long getPos() throws IOException {
            return stream.getPos();
        }

        @Nullable
        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
            synchronized (calls) {
                use.compareAndSet(Use.OPEN, Use.COMPLETING);
                checkOpen();
                try {
                    StreamStateHandle handle = stream.closeAndGetHandle();
                    open.remove(this);
                    return handle;
                } catch (Throwable t) {
                    // A storage that is not Flink's own may clean up as it is closed.
                    use.set(Use.OPEN);
                    throw t;
                }
            }
        }

        @Override
        public void close() throws IOException {
            Thread caller = Thread.currentThread();
            if (caller != writer || caller == uploader) {
                giveAway();
                return;
            }
            synchronized (calls) {
                stream.close();
                open.remove(this);
            }
        }

        /** Has another thread close the file, unless that does or the file is being completed. */
        void giveAway() {
            CompletableFuture<Void> closed = new CompletableFuture<>();
            // First, so that who comes second finds it.
            givenAway.add(closed);
            if (!use.compareAndSet(Use.OPEN, Use.GIVEN_AWAY)) {
                closed.complete(null);
                return;
            }
            try {
                endings.execute(
                        () -> {
                            IOUtils.closeQuietly(stream);
                            closed.complete(null);
                        });
            } catch (Throwable t) {
                closed.complete(null);
                throw t;
            }
        }

        /** And gives away what nobody has closed. */
        void awaitWriter() {
            synchronized (calls) {
                giveAway();
            }
        }
    }
}
