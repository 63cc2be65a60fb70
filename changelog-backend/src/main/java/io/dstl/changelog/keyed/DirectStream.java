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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.store.FileUploads.FileUpload;
import io.dstl.store.LateException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.IOUtils;
import org.apache.flink.util.function.FunctionWithException;
import org.apache.flink.util.function.SupplierWithException;

/**
 * One file of a materialization on its way to {@link DirectFiles}: in memory first, then on the
 * local disk, stored when it is complete.
 *
 * <p>Goes by Flink's file system instead, with all that was written so far, if the file is small
 * enough to be part of the metadata, or too large for one request, or if the local disk or the
 * upload fails.
 *
 * <p>Threading: one thread, but {@link #close} any.
 */
final class DirectStream extends CheckpointStateOutputStream {
    /** Also the size of the memory outside of the heap that the JDK keeps for a thread. */
    private static final int PIECE_BYTES = 64 << 10;

    private final DirectFiles files;
    private final SupplierWithException<CheckpointStateOutputStream, IOException> flinks;
    private final Runnable progress;
    private final Consumer<Closeable> ended;

    /** What is not on the disk yet. */
    private final ByteBuffer buffer;

    private Optional<FileChannel> local = Optional.empty();
    private Optional<CheckpointStateOutputStream> instead = Optional.empty();
    private long position;

    @GuardedBy("this")
    private final List<Closeable> open = new ArrayList<>();

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param flinks opens a stream of Flink's file system for the same file
     * @param progress runs when the transport has taken bytes; any thread
     * @param ended takes this stream when it is closed
     */
    DirectStream(
            DirectFiles files,
            SupplierWithException<CheckpointStateOutputStream, IOException> flinks,
            Runnable progress,
            Consumer<Closeable> ended) {
        this.files = requireNonNull(files);
        this.flinks = requireNonNull(flinks);
        this.progress = requireNonNull(progress);
        this.ended = requireNonNull(ended);
        this.buffer = ByteBuffer.allocate(Math.max(PIECE_BYTES, files.inlineBytes()));
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (instead.isEmpty() && position + length > files.maxBytes()) {
            goByFlinks();
        }
        for (int done = 0; done < length; ) {
            if (instead.isPresent()) {
                instead.get().write(bytes, offset + done, length - done);
                position += length - done;
                break;
            }
            int count = Math.min(length - done, buffer.remaining());
            buffer.put(bytes, offset + done, count);
            done += count;
            position += count;
            if (!buffer.hasRemaining()) {
                spill();
            }
        }
    }

    /** How much is on the local disk: all but what is in the buffer. */
    private long spilled() {
        return position - buffer.position();
    }

    /** Moves the buffer's content to the local disk, or all to Flink's stream. */
    private void spill() throws IOException {
        try {
            if (local.isEmpty()) {
                local = Optional.of(opened(files.openLocal()));
            }
            append(local.get());
            buffer.clear();
        } catch (IOException e) {
            throwIfGivenUp(e);
            files.noRoom(e);
            goByFlinks();
        }
    }

    /** The buffer stays as it is, as a failed write may have written part of it. */
    private void append(FileChannel file) throws IOException {
        long end = spilled();
        ByteBuffer all = buffer.duplicate().flip();
        while (all.hasRemaining()) {
            int from = all.position();
            ByteBuffer piece = all.duplicate();
            piece.limit(from + Math.min(PIECE_BYTES, all.remaining()));
            int written = file.write(piece, end + from);
            all.position(from + written);
        }
    }

    private void goByFlinks() throws IOException {
        CheckpointStateOutputStream stream = opened(flinks.get());
        long end = spilled();
        ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
        for (long copied = 0; copied < end; ) {
            piece.clear().limit((int) Math.min(PIECE_BYTES, end - copied));
            int count = local.get().read(piece, copied);
            if (count < 0) {
                throw new IOException("A local file has lost bytes from " + copied + " on");
            }
            stream.write(piece.array(), 0, count);
            copied += count;
        }
        stream.write(buffer.array(), 0, buffer.position());
        instead = Optional.of(stream);
        local.ifPresent(IOUtils::closeQuietly);
        local = Optional.empty();
    }

    @Override
    public long getPos() {
        return position;
    }

    /** Whether the file goes by Flink's file system, as far as is known by now. */
    boolean isFlinks() {
        return instead.isPresent();
    }

    @Override
    public void flush() throws IOException {
        if (instead.isPresent()) {
            instead.get().flush();
        }
    }

    @Override
    public void sync() throws IOException {
        if (instead.isPresent()) {
            instead.get().sync();
        }
    }

    @Nullable
    @Override
    public StreamStateHandle closeAndGetHandle() throws IOException {
        try {
            if (instead.isEmpty() && position > files.inlineBytes()) {
                spill();
            } else if (instead.isEmpty()) {
                goByFlinks();
            }
            return instead.isPresent() ? completed(instead.get()) : stored(local.get());
        } finally {
            close();
        }
    }

    private StreamStateHandle stored(FileChannel content) throws IOException {
        int failures = files.failures();
        try {
            StreamStateHandle handle = uploaded(content);
            files.succeeded();
            return handle;
        } catch (IOException e) {
            throwIfGivenUp(e);
            return storedByFlinks(e, failures);
        }
    }

    private StreamStateHandle uploaded(FileChannel content) throws IOException {
        try {
            return uploaded(content, FileUpload::storeUnlessLate);
        } catch (LateException e) {
            throwIfGivenUp(e);
            return uploaded(content, FileUpload::store);
        }
    }

    /** By a path of its own, under which nothing is left of a failure. */
    private StreamStateHandle uploaded(
            FileChannel content,
            FunctionWithException<FileUpload, StreamStateHandle, IOException> storing)
            throws IOException {
        Path target = files.newTarget();
        try (FileUpload upload = opened(files.upload(target, content, progress))) {
            StreamStateHandle handle = storing.apply(upload);
            // Flink drops the result of a snapshot that was cancelled, without deleting it.
            throwIfGivenUp(new ClosedByInterruptException());
            return handle;
        } catch (Throwable t) {
            files.discard(target, position);
            throw t;
        }
    }

    /** Throws if the stream was closed, or its thread interrupted: Flink wants no file any more. */
    private void throwIfGivenUp(IOException cause) throws IOException {
        synchronized (this) {
            if (closed) {
                throw new IOException("The stream is closed", cause);
            }
        }
        if (Thread.currentThread().isInterrupted()) {
            throw cause;
        }
    }

    /** Its client sends parts, which a proxy may let through that takes no body as large. */
    private StreamStateHandle storedByFlinks(IOException failure, int failures) throws IOException {
        try {
            goByFlinks();
            StreamStateHandle handle = completed(instead.get());
            files.failed(failure, failures);
            return handle;
        } catch (IOException e) {
            e.addSuppressed(failure);
            throw e;
        }
    }

    /** As with Flink, it can't be closed from now on: that would wait for the store. */
    private StreamStateHandle completed(CheckpointStateOutputStream stream) throws IOException {
        synchronized (this) {
            open.remove(stream);
        }
        return stream.closeAndGetHandle();
    }

    private <C extends Closeable> C opened(C resource) throws IOException {
        synchronized (this) {
            if (!closed) {
                open.add(resource);
                return resource;
            }
        }
        IOUtils.closeQuietly(resource);
        throw new IOException("The stream is closed");
    }

    /** Ends whatever the writing thread is doing. */
    @Override
    public void close() {
        List<Closeable> toClose;
        synchronized (this) {
            closed = true;
            toClose = new ArrayList<>(open);
            open.clear();
        }
        toClose.forEach(IOUtils::closeQuietly);
        ended.accept(this);
    }
}
