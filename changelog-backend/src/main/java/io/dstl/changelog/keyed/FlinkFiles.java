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
import java.util.Optional;
import java.util.concurrent.Executor;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemSafetyNet;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStateToolset;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStorageWorkerView;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageAccess;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageLocation;
import org.apache.flink.util.IOUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one materialization by Flink's file system, as {@link
 * CheckpointStorageWorkerView#createTaskOwnedStateStream} makes them.
 *
 * <p><b>A store that hangs</b> keeps no task from its end. Whoever ends an upload closes its
 * streams, and a stream to such a store hangs as it is closed. So only the threads of the upload
 * close streams, and for any other thread another one does. What an upload leaves open is closed by
 * Flink's {@link FileSystemSafetyNet}: by that of its own thread, as with the checkpoints of Flink,
 * not by that of the task, which the task thread closes.
 *
 * <p>Thread-safe, but each file has one writer.
 */
final class FlinkFiles {
    private static final Logger LOG = LoggerFactory.getLogger(FlinkFiles.class);

    /** Has no part in the names of these files. */
    private static final long ANY_CHECKPOINT = 1;

    private final CheckpointStorageWorkerView storage;
    private final Executor endings;

    /** Null before the upload runs. */
    private volatile @Nullable Thread uploader;

    /** The directory of the files, within the safety net of the upload's thread. */
    private volatile Optional<CheckpointStreamFactory> directory = Optional.empty();

    /**
     * @param endings closes streams for threads that do not wait
     */
    FlinkFiles(CheckpointStorageWorkerView storage, Executor endings) {
        this.storage = requireNonNull(storage);
        this.endings = requireNonNull(endings);
    }

    /** Runs the upload, and closes what it has left open. Call it once. */
    void run(Runnable upload) {
        uploader = Thread.currentThread();
        Optional<Path> path = path();
        boolean opensNet = path.isPresent() && !hasSafetyNet(path.get());
        if (opensNet) {
            FileSystemSafetyNet.initializeSafetyNetForThread();
        }
        try {
            directory = path.flatMap(this::resolved);
            upload.run();
        } finally {
            if (opensNet) {
                FileSystemSafetyNet.closeSafetyNetAndGuardedResourcesForThread();
            }
        }
    }

    /** Empty for a storage that is not Flink's own, or not on files: its streams are used. */
    private Optional<Path> path() {
        if (!storage.getClass().equals(FsCheckpointStorageAccess.class)) {
            return Optional.empty();
        }
        return location(CheckpointStorageLocationReference.getDefault())
                .map(FsCheckpointStorageLocation::getTaskOwnedStateDirectory);
    }

    /** As the directory of a checkpoint, which takes its file system from the calling thread. */
    private Optional<CheckpointStreamFactory> resolved(Path path) {
        return location(AbstractFsCheckpointStorageAccess.encodePathAsReference(path))
                .map(CheckpointStreamFactory.class::cast);
    }

    private Optional<FsCheckpointStorageLocation> location(
            CheckpointStorageLocationReference reference) {
        try {
            return Optional.of(
                    (FsCheckpointStorageLocation)
                            storage.resolveCheckpointStorageLocation(ANY_CHECKPOINT, reference));
        } catch (IOException e) {
            LOG.debug("The files go by the storage's own streams", e);
            return Optional.empty();
        }
    }

    /** Whether the thread has one: that of a checkpoint has. */
    private static boolean hasSafetyNet(Path path) {
        try {
            return path.getFileSystem() != FileSystem.getUnguardedFileSystem(path.toUri());
        } catch (IOException e) {
            LOG.debug("No file system for the files of a materialization", e);
            return true;
        }
    }

    /** A new file, whose writer is the calling thread. */
    CheckpointStateOutputStream open() throws IOException {
        Optional<CheckpointStreamFactory> found = directory;
        return new FileStream(
                found.isPresent()
                        ? found.get()
                                .createCheckpointStateOutputStream(CheckpointedStateScope.SHARED)
                        : storage.createTaskOwnedStateStream());
    }

    CheckpointStateToolset toolset() {
        return storage.createTaskOwnedCheckpointStateToolset();
    }

    /**
     * One file. No other thread than its writer writes to it: Flink's stream to two places writes
     * what is left in its buffer as it is closed.
     */
    private final class FileStream extends CheckpointStateOutputStream {
        private final CheckpointStateOutputStream stream;
        private final Thread writer = Thread.currentThread();

        FileStream(CheckpointStateOutputStream stream) {
            this.stream = stream;
        }

        @Override
        public void write(int value) throws IOException {
            checkWriter();
            stream.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            checkWriter();
            stream.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            checkWriter();
            stream.flush();
        }

        @Override
        public void sync() throws IOException {
            checkWriter();
            stream.sync();
        }

        private void checkWriter() throws IOException {
            if (Thread.currentThread() != writer) {
                throw new IOException(Thread.currentThread().getName() + " writes no part of this");
            }
        }

        @Override
        public long getPos() throws IOException {
            return stream.getPos();
        }

        @Nullable
        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
            return stream.closeAndGetHandle();
        }

        @Override
        public void close() throws IOException {
            Thread caller = Thread.currentThread();
            if (caller == writer || caller == uploader) {
                stream.close();
            } else {
                endings.execute(() -> IOUtils.closeQuietly(stream));
            }
        }
    }
}
