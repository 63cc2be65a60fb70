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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.registry.DaemonThreads;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataInputStreamWrapper;
import org.apache.flink.util.function.SupplierWithException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream whose {@link #close} never waits for its reader: those of Hadoop let it wait for the
 * read that it is to end. And whose {@link #seek} ends, however short the file is.
 *
 * <p><b>Threading.</b> One reader. {@link #close} may come from any thread. It interrupts a read
 * that is under way, but nothing that the reader's thread does afterwards, and the rest is left to
 * a thread that ends when the read has ended: at most one for each read that hangs.
 */
final class CancellableInputStream extends FSDataInputStreamWrapper {

    private static final Logger LOG = LoggerFactory.getLogger(CancellableInputStream.class);

    /**
     * Bytes, as of Flink's {@code HadoopDataInputStream#MIN_SKIP_BYTES}. To go ahead by so few,
     * that one skips too, but never ends where a file ends before.
     */
    private static final long MOST_SKIPPED = 1 << 20;

    private static final DaemonThreads CLOSING = new DaemonThreads("dstl-close");

    /** Null but during a call of it. */
    @GuardedBy("this")
    private Thread reader;

    @GuardedBy("this")
    private boolean closed;

    /** Whether the reader was interrupted by this stream, and has not left it since. */
    @GuardedBy("this")
    private boolean interrupted;

    CancellableInputStream(FSDataInputStream stream) {
        super(stream);
    }

    @Override
    public int read() throws IOException {
        return call(inputStream::read);
    }

    @Override
    public int read(byte[] target) throws IOException {
        return read(target, 0, target.length);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        return call(() -> inputStream.read(target, offset, length));
    }

    @Override
    public long skip(long bytes) throws IOException {
        return call(() -> inputStream.skip(bytes));
    }

    /**
     * @throws EOFException if the file ends before the position, though not on each file system
     */
    @Override
    public void seek(long position) throws IOException {
        call(
                () -> {
                    long ahead = position - inputStream.getPos();
                    if (ahead > 0 && ahead <= MOST_SKIPPED) {
                        skip(inputStream, ahead);
                    } else {
                        inputStream.seek(position);
                    }
                    return position;
                });
    }

    private static void skip(InputStream stream, long bytes) throws IOException {
        long left = bytes;
        while (left > 0) {
            long skipped = stream.skip(left);
            if (skipped <= 0) {
                if (stream.read() < 0) {
                    throw new EOFException("The file ends " + left + " bytes early");
                }
                skipped = 1;
            }
            left -= skipped;
        }
    }

    private <T> T call(SupplierWithException<T, IOException> reading) throws IOException {
        synchronized (this) {
            if (closed) {
                throw new IOException("The stream was closed");
            }
            reader = Thread.currentThread();
        }
        try {
            return reading.get();
        } finally {
            leave();
        }
    }

    private synchronized void leave() {
        reader = null;
        if (interrupted) {
            // What it has not noticed is not for what its thread does next.
            Thread.interrupted();
            interrupted = false;
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            if (reader != null) {
                if (!reader.isInterrupted()) {
                    interrupted = true;
                    reader.interrupt();
                }
                if (startClosing()) {
                    return;
                }
            }
        }
        inputStream.close();
    }

    /** False if the process has no thread to spare: then the caller waits for the read. */
    private boolean startClosing() {
        try {
            CLOSING.newThread(this::closeAfterRead).start();
            return true;
        } catch (Throwable t) {
            LOG.debug("There is no thread to close a stream: {}", t.getClass().getName());
            return false;
        }
    }

    private void closeAfterRead() {
        try {
            inputStream.close();
        } catch (IOException | RuntimeException e) {
            // The class only: the message may hold secrets.
            LOG.debug("Could not close a stream that nobody reads: {}", e.getClass().getName());
        }
    }
}
