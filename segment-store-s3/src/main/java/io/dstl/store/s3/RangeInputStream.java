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
package io.dstl.store.s3;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.secret.Redaction;
import io.dstl.store.LogThrottle;
import io.dstl.store.RefusedException;
import io.dstl.store.SegmentOpener;
import io.dstl.store.SegmentOpener.RangedReads;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import okhttp3.Call;
import okhttp3.Response;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.util.TemporaryClassLoaderContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one object from the current position: the first read sends one request for the rest of the
 * object, or up to the end that its reader declares ({@link #readUntil}), and so does the first
 * read after a seek back or far ahead.
 *
 * <p>The connection of an answer that was read to its end, or nearly, serves the next request. One
 * with more left over is closed, and so is one whose rest does not come at once.
 *
 * <p>If a connection breaks, or the store throttles or fails, or it refuses credentials that are
 * renewed, another request follows from the same position: after a pause, and as often as {@link
 * Retries} allows while not one byte comes. A refusal of the store fails at once.
 *
 * <p><b>Threading.</b> One reader. {@link #close} may come from any thread, and ends a read that
 * blocks or pauses. It then only cancels the request: the reader closes the answer as it leaves, as
 * OkHttp's streams are for one thread. An interrupt ends a pause too. Requests are sent with the
 * class loader of this class as the thread's, not the user's: the HTTP client starts threads that
 * outlive the job, and inherit it.
 */
final class RangeInputStream extends FSDataInputStream implements RangedReads {

    private static final Logger LOG = LoggerFactory.getLogger(RangeInputStream.class);

    /** Gap to read over, as that costs less than a request. */
    private static final long MAX_SKIPPED_BYTES = 128 * 1024;

    private final S3Client client;
    private final S3Object object;
    private final long expectedBytes;
    private final Retries retries;
    private final Redaction redaction;

    /** Opened with the lock held, so that nothing begins after it. */
    private final CountDownLatch closed = new CountDownLatch(1);

    private long position;

    /** Exclusive. */
    private long until = Long.MAX_VALUE;

    /** Position of the next byte in the answer; only if there is one. */
    private long answered;

    /** End of the requested range, exclusive. */
    private long asked;

    /** Where the answer begins. */
    private long begin;

    /** Failures in a row since the last byte. */
    private int failures;

    /** When the first of them was, if there is one. */
    private Instant firstFailure;

    /** All failures. */
    private int failuresInAll;

    @GuardedBy("this")
    private Call call;

    @GuardedBy("this")
    private Response answer;

    /** Whether the reader is in {@link #read}, and so the one who closes the answer. */
    @GuardedBy("this")
    private boolean reading;

    /**
     * @param expectedBytes for the message if the object is missing
     */
    RangeInputStream(
            S3Client client,
            S3Object object,
            long expectedBytes,
            Retries retries,
            Redaction redaction) {
        this.client = client;
        this.object = object;
        this.expectedBytes = expectedBytes;
        this.retries = retries;
        this.redaction = redaction;
    }

    @Override
    public void seek(long desired) throws IOException {
        if (desired < 0) {
            throw new EOFException("Cannot seek to " + desired + " in " + object);
        }
        position = desired;
    }

    @Override
    public long getPos() {
        return position;
    }

    @Override
    public void readUntil(long end) {
        until = end;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        try (TemporaryClassLoaderContext ignored = ourClassLoader()) {
            beginReading();
            try {
                return readRetrying(target, offset, length);
            } finally {
                endReading();
            }
        }
    }

    private synchronized void beginReading() throws IOException {
        if (isClosed()) {
            throw closedWhileReading(null);
        }
        reading = true;
    }

    private void endReading() {
        boolean leftToClose;
        synchronized (this) {
            reading = false;
            leftToClose = isClosed();
        }
        if (leftToClose) {
            disconnect();
        }
    }

    private static TemporaryClassLoaderContext ourClassLoader() {
        return TemporaryClassLoaderContext.of(RangeInputStream.class.getClassLoader());
    }

    private int readRetrying(byte[] target, int offset, int length) throws IOException {
        for (; ; ) {
            try {
                InputStream content = content();
                int count = content.read(target, offset, length);
                if (count > 0) {
                    position += count;
                    answered = position;
                    failures = 0;
                    retries.received();
                } else if (count < 0 && isCutShort()) {
                    disconnect();
                    continue;
                }
                return count;
            } catch (FileNotFoundException e) {
                throw redaction.failure(
                        (IOException) SegmentOpener.missing(object, expectedBytes, e));
            } catch (RefusedException e) {
                throw redaction.failure((IOException) e);
            } catch (IOException e) {
                reconnectAfter(e);
            }
        }
    }

    /**
     * Whether the answer has ended before what was asked for and is there: its length was not told,
     * or it is of a gateway that sends less. An answer without a byte is the end of the object.
     */
    private boolean isCutShort() {
        return position > begin && position < Math.min(asked, expectedBytes);
    }

    private void reconnectAfter(IOException failure) throws IOException {
        disconnect();
        if (isClosed()) {
            throw redaction.failure(failure);
        }
        if (failures++ == 0) {
            firstFailure = retries.now();
        }
        failuresInAll++;
        IOException shown = redaction.failure(failure);
        if (retries.isOver(failures, firstFailure, failure)) {
            throw new IOException(
                    String.format(
                            Locale.ROOT,
                            "Gave up reading %s at byte %d after %d tries: %s",
                            object,
                            position,
                            failures,
                            shown.getMessage()),
                    shown);
        }
        LogThrottle.Length ofRow = retries.ofRow("read", failures, failure);
        LogThrottle.Length ofRead =
                ofRow == LogThrottle.Length.NOTHING
                        ? retries.ofRead(failuresInAll, failure)
                        : LogThrottle.Length.NOTHING;
        if (ofRow != LogThrottle.Length.NOTHING) {
            LOG.warn(
                    "Reading {} at byte {} has failed {} times in a row, and is tried again: {}",
                    object,
                    position,
                    failures,
                    shown.toString(),
                    ofRow.trace(shown));
        } else if (ofRead != LogThrottle.Length.NOTHING) {
            LOG.warn(
                    "Reading {} has failed {} times by byte {}, and goes on each time: look at the"
                            + " network between this machine and the store. The last failure: {}",
                    object,
                    failuresInAll,
                    position,
                    shown.toString(),
                    ofRead.trace(shown));
        } else {
            LOG.debug("Reading {} at byte {} is tried again", object, position, shown);
        }
        pause(shown);
    }

    private void pause(IOException shown) throws IOException {
        try {
            if (retries.pause(failures, closed)) {
                throw closedWhileReading(shown);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted =
                    new InterruptedIOException("Interrupted before reading " + object + " again");
            interrupted.initCause(shown);
            throw interrupted;
        }
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    private IOException closedWhileReading(IOException cause) {
        return new IOException("Closed while reading " + object, cause);
    }

    private InputStream content() throws IOException {
        long gap = position - answered;
        InputStream content = current();
        if (content != null && gap >= 0 && gap <= MAX_SKIPPED_BYTES && position < asked) {
            skip(content, gap);
            answered = position;
            return content;
        }
        if (content != null && asked - answered <= MAX_SKIPPED_BYTES) {
            readOver();
        }
        disconnect();
        return request();
    }

    /**
     * Lets the connection serve the next request: creating one takes longer. When an answer is
     * closed whose call is not cancelled, OkHttp reads the rest, for 100 ms at most: after that it
     * closes the connection.
     */
    private void readOver() {
        Response left;
        synchronized (this) {
            left = answer;
        }
        if (left != null) {
            left.close();
        }
    }

    private void skip(InputStream content, long bytes) throws IOException {
        for (long left = bytes; left > 0; ) {
            long skipped = content.skip(left);
            if (skipped <= 0 && content.read() < 0) {
                return;
            }
            left -= Math.max(1, skipped);
        }
    }

    private synchronized InputStream current() {
        return answer == null ? null : answer.body().byteStream();
    }

    private InputStream request() throws IOException {
        asked = until > position ? until : Long.MAX_VALUE;
        Response received = send();
        if (client.learnsToSign(object, received)) {
            received.close();
            received = send();
        }
        if (received.isSuccessful() && (position == 0 || received.code() == 206)) {
            keep(received);
            answered = position;
            begin = position;
            return received.body().byteStream();
        }
        try (Response refused = received) {
            if (refused.code() == 416) {
                begin = position;
                return InputStream.nullInputStream();
            }
            throw client.failure(S3Failures.READ, object, refused);
        }
    }

    private Response send() throws IOException {
        Call next = client.get(object, position, asked);
        synchronized (this) {
            if (isClosed()) {
                throw closedWhileReading(null);
            }
            call = next;
        }
        return next.execute();
    }

    private void keep(Response received) throws IOException {
        synchronized (this) {
            if (!isClosed()) {
                answer = received;
                return;
            }
        }
        received.close();
        throw closedWhileReading(null);
    }

    /** Closes a connection with bytes left over: reading them to use it again could take long. */
    private void disconnect() {
        Call running;
        Response received;
        synchronized (this) {
            running = call;
            received = answer;
            call = null;
            answer = null;
        }
        if (running != null) {
            running.cancel();
        }
        if (received != null) {
            received.close();
        }
    }

    @Override
    public void close() {
        Call running;
        boolean isRead;
        synchronized (this) {
            closed.countDown();
            running = call;
            isRead = reading;
        }
        try (TemporaryClassLoaderContext ignored = ourClassLoader()) {
            if (!isRead) {
                disconnect();
            } else if (running != null) {
                running.cancel();
            }
        }
    }
}
