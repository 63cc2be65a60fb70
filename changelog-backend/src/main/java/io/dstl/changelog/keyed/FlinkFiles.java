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
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStateToolset;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStorageWorkerView;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageLocation;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStreamFactory.FsCheckpointStateOutputStream;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.function.SupplierWithException;

/**
 * The files of a task's materializations by Flink's file system, with the names, places and buffers
 * that Flink would give them.
 *
 * <p><b>A store that hangs</b> keeps no task thread. An upload is ended by closing its streams, and
 * a stream to such a store hangs as it is closed. A materialization may be under way at any time,
 * so that a task that is cancelled then would not end within {@code task.cancellation.timeout},
 * after which Flink ends the TaskManager. So another thread closes a stream that its writer does
 * not close itself. And the streams are not those of {@link
 * org.apache.flink.core.fs.FileSystemSafetyNet}, which the task thread closes at its end, where the
 * storage is Flink's on files. It has none to close: who ends an upload closes its streams.
 *
 * <p>Thread-safe.
 */
final class FlinkFiles {
    /** Flink takes no larger threshold, and takes its default instead. */
    private static final long MOST_INLINE = 1 << 20;

    private final CheckpointStorageWorkerView storage;
    private final SupplierWithException<CheckpointStateOutputStream, IOException> opener;
    private final Executor endings;

    private FlinkFiles(
            CheckpointStorageWorkerView storage,
            SupplierWithException<CheckpointStateOutputStream, IOException> opener,
            Executor endings) {
        this.storage = requireNonNull(storage);
        this.opener = requireNonNull(opener);
        this.endings = requireNonNull(endings);
    }

    /**
     * @param endings runs what may hang with the store
     */
    static FlinkFiles of(CheckpointStorageWorkerView storage, Executor endings) {
        return new FlinkFiles(storage, storage::createTaskOwnedStateStream, endings);
    }

    /**
     * @param endings runs what may hang with the store
     */
    static FlinkFiles of(Environment env, Executor endings) throws IOException {
        CheckpointStorageWorkerView storage = env.getCheckpointStorageAccess();
        Optional<Path> found = directory(env);
        if (found.isEmpty()) {
            return of(storage, endings);
        }
        Path directory = found.get();
        FileSystem unguarded = FileSystem.getUnguardedFileSystem(directory.toUri());
        int inlineBytes = inlineBytes(env);
        int bufferBytes =
                Math.max(configured(env, CheckpointingOptions.FS_WRITE_BUFFER_SIZE), inlineBytes);
        return new FlinkFiles(
                storage,
                () ->
                        new FsCheckpointStateOutputStream(
                                directory, unguarded, bufferBytes, inlineBytes),
                endings);
    }

    /** Where the files are; empty for a storage that is not Flink's own, or not on files. */
    static Optional<Path> directory(Environment env) throws IOException {
        CheckpointStreamFactory location =
                env.getCheckpointStorageAccess()
                        .resolveCheckpointStorageLocation(
                                1, CheckpointStorageLocationReference.getDefault());
        return location.getClass().equals(FsCheckpointStorageLocation.class)
                ? Optional.of(((FsCheckpointStorageLocation) location).getTaskOwnedStateDirectory())
                : Optional.empty();
    }

    /** What is no larger is in the checkpoint's metadata. */
    static int inlineBytes(Environment env) {
        MemorySize configured = configured(env, CheckpointingOptions.FS_SMALL_FILE_THRESHOLD);
        return (int)
                (configured.getBytes() > MOST_INLINE
                                ? CheckpointingOptions.FS_SMALL_FILE_THRESHOLD.defaultValue()
                                : configured)
                        .getBytes();
    }

    private static <T> T configured(Environment env, ConfigOption<T> option) {
        return env.getJobConfiguration()
                .getOptional(option)
                .orElseGet(() -> env.getTaskManagerInfo().getConfiguration().get(option));
    }

    /** A new file, whose writer is the calling thread. */
    CheckpointStateOutputStream open() throws IOException {
        return new FileStream(opener.get(), endings);
    }

    CheckpointStateToolset toolset() {
        return storage.createTaskOwnedCheckpointStateToolset();
    }

    /** One file. Closed by its writer at once, and by any other thread on one of its own. */
    private static final class FileStream extends CheckpointStateOutputStream {
        private final CheckpointStateOutputStream stream;
        private final Executor endings;
        private final Thread writer = Thread.currentThread();

        FileStream(CheckpointStateOutputStream stream, Executor endings) {
            this.stream = stream;
            this.endings = endings;
        }

        @Override
        public void write(int value) throws IOException {
            stream.write(value);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            stream.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            stream.flush();
        }

        @Override
        public void sync() throws IOException {
            stream.sync();
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
            if (Thread.currentThread() == writer) {
                stream.close();
            } else {
                endings.execute(() -> IOUtils.closeQuietly(stream));
            }
        }
    }
}
