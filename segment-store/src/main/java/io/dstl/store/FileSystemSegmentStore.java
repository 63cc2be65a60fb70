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

import io.dstl.secret.Redaction;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.store.SegmentStore.Naming;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.SegmentStore.SegmentContent;
import java.io.BufferedOutputStream;
import java.io.FileNotFoundException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps segments as files of any file system Flink knows: {@code <base>/<job id>/dstl/<name>}.
 *
 * <p>Owns the paths and the streams. Does not own the threads, and does not retry.
 */
public final class FileSystemSegmentStore implements SegmentStore {

    private static final Logger LOG = LoggerFactory.getLogger(FileSystemSegmentStore.class);

    private static final String TAKEN = FileAlreadyExistsException.class.getSimpleName();

    private final FileSystemOpener opener = new FileSystemOpener();
    private final FileSystem files;
    private final SegmentDirectory directory;
    private final int bufferBytes;
    private final Executor executor;
    private final Redaction redaction;

    /**
     * @param directory of the segments; created by the first put if the file system needs it
     * @param bufferBytes gathered before they are handed to the file system
     * @param executor runs the puts
     * @param redaction for the errors of puts and deletions
     */
    public FileSystemSegmentStore(
            FileSystem files,
            SegmentDirectory directory,
            int bufferBytes,
            Executor executor,
            Redaction redaction) {
        this.files = files;
        this.directory = directory;
        this.bufferBytes = bufferBytes;
        this.executor = executor;
        this.redaction = redaction;
    }

    /** A file is visible, and on some file systems readable, while it is written. */
    @Override
    public Naming naming() {
        return Naming.WRITE_ONCE;
    }

    @Override
    public CompletableFuture<FileStateHandle> put(
            String name, SegmentContent content, PutListener listener) {
        CompletableFuture<FileStateHandle> stored = new CompletableFuture<>();
        try {
            executor.execute(() -> run(name, content, listener, stored));
        } catch (Throwable t) {
            listener.ended();
            stored.completeExceptionally(t);
        }
        return stored;
    }

    private void run(
            String name,
            SegmentContent content,
            PutListener listener,
            CompletableFuture<FileStateHandle> stored) {
        try {
            if (!stored.isDone()) {
                listener.begun();
                FileStateHandle segment = store(name, content, listener);
                if (!stored.complete(segment)) {
                    deleteUnwanted(segment);
                }
            }
        } catch (Throwable t) {
            Throwable shown = redaction.failure(t);
            if (!stored.completeExceptionally(shown)) {
                LOG.debug("A put that was given up failed", shown);
            }
        } finally {
            listener.ended();
        }
    }

    private FileStateHandle store(String name, SegmentContent content, PutListener listener)
            throws IOException {
        Path file = directory.file(name);
        try {
            return new FileStateHandle(file, write(content, file, listener));
        } catch (Throwable t) {
            if (!isTaken(t)) {
                deletePartial(file, t);
            }
            throw t;
        }
    }

    /** Whether another put has the file. Hadoop has its own class of this exception. */
    private static boolean isTaken(Throwable failure) {
        return failure.getClass().getSimpleName().equals(TAKEN);
    }

    /** Returns the bytes written. */
    private long write(SegmentContent content, Path file, PutListener listener) throws IOException {
        OutputStream stream = create(file);
        return Closeables.closeAfter(
                stream,
                () -> {
                    CountingOutput counted = new CountingOutput(stream, listener::progressed);
                    OutputStream buffered = new BufferedOutputStream(counted, bufferBytes);
                    content.writeTo(buffered);
                    buffered.flush();
                    return counted.count();
                });
    }

    private OutputStream create(Path file) throws IOException {
        try {
            return files.create(file, WriteMode.NO_OVERWRITE);
        } catch (IOException e) {
            if (!files.isDistributedFS()) {
                checkDirectory(file.getParent(), e);
            }
            throw e;
        }
    }

    /** Flink's local file system does not say why it makes no directory. */
    private static void checkDirectory(Path directory, IOException failure) throws IOException {
        try {
            Files.createDirectories(Paths.get(directory.getPath()));
        } catch (IOException e) {
            e.addSuppressed(failure);
            throw new IOException(failure.getMessage() + ": " + e.getMessage(), e);
        }
    }

    private void deletePartial(Path file, Throwable cause) {
        try {
            deleteFile(file);
        } catch (Throwable t) {
            ExceptionUtils.firstOrSuppressed(t, cause);
        }
    }

    private void deleteUnwanted(FileStateHandle segment) {
        try {
            delete(segment);
        } catch (Throwable t) {
            LOG.warn(
                    "Could not delete {} of a given-up put; nothing refers to it",
                    Redacted.of(segment),
                    t);
        }
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        return opener.open(segment);
    }

    @Override
    public void delete(StreamStateHandle segment) throws IOException {
        try {
            segment.discardState();
        } catch (IOException e) {
            throw redaction.failure(e);
        } catch (Exception e) {
            throw new IOException("Could not delete " + Redacted.of(segment), redaction.failure(e));
        }
    }

    @Override
    public void discard(String name) throws IOException {
        try {
            deleteFile(directory.file(name));
        } catch (FileNotFoundException e) {
            LOG.trace("{} is gone already", name);
        } catch (IOException e) {
            throw redaction.failure(e);
        }
    }

    /** Flink's local file system says false for a file that it may not delete. */
    private void deleteFile(Path file) throws IOException {
        if (!files.delete(file, false) && files.exists(file)) {
            throw new IOException(
                    "Could not delete "
                            + Redacted.of(file)
                            + ": see that this user may write to its directory");
        }
    }

    /**
     * Counts the bytes that pass and reports progress. Splits large arrays, since one call of the
     * stream below may block for as long as a slow store needs. One thread at a time.
     */
    static final class CountingOutput extends FilterOutputStream {

        private static final int PIECE_BYTES = 64 << 10;

        private final Runnable onBytes;
        private long count;

        /**
         * @param onBytes runs each time the stream has taken bytes
         */
        CountingOutput(OutputStream out, Runnable onBytes) {
            super(out);
            this.onBytes = onBytes;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
            count++;
            onBytes.run();
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            for (int done = 0; done < length; ) {
                int piece = Math.min(length - done, PIECE_BYTES);
                out.write(bytes, offset + done, piece);
                done += piece;
                count += piece;
                onBytes.run();
            }
        }

        long count() {
            return count;
        }
    }

    /**
     * Opens segments through the file system that their handle names, as streams that any thread
     * may close.
     */
    public static final class FileSystemOpener implements SegmentOpener {

        @Override
        public FSDataInputStream open(StreamStateHandle segment) throws IOException {
            try {
                return new CancellableInputStream(segment.openInputStream());
            } catch (FileNotFoundException e) {
                if (segment instanceof FileStateHandle) {
                    checkMissing(((FileStateHandle) segment).getFilePath(), e);
                }
                throw SegmentOpener.missing(
                        Redacted.of(segment.getStreamStateHandleID().getKeyString()),
                        segment.getStateSize(),
                        e);
            }
        }

        /**
         * Flink's local file system reports each file that it cannot open as one that is not there.
         *
         * @throws IOException if a file of this machine may be there all the same
         */
        public static void checkMissing(Path file, FileNotFoundException cause) throws IOException {
            if (file.getFileSystem().isDistributedFS()
                    || Files.notExists(Paths.get(file.getPath()))) {
                return;
            }
            throw new IOException(
                    "Cannot open "
                            + Redacted.of(file)
                            + ": "
                            + Redacted.text(String.valueOf(cause.getMessage()))
                            + ". See that this user has permission to read it, and that the process"
                            + " may have more file descriptors (ulimit -n)",
                    cause);
        }
    }
}
