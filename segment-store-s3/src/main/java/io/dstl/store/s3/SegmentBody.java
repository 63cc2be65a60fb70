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

import io.dstl.store.SegmentStore.SegmentContent;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;
import okio.Buffer;
import okio.BufferedSink;

/**
 * The encoded bytes of one segment in memory: so its length is known before the first byte is sent,
 * and an idle connection that was closed costs no second encoding. Immutable once encoded;
 * concurrent requests share the memory.
 */
final class SegmentBody extends ObjectBody {

    /** Bytes sent at a time, so that a slow connection shows progress early. */
    private static final long PIECE_BYTES = 16 << 10;

    private final Buffer bytes;
    private final int crc32c;
    private final Runnable onBytes;

    /** Computed at the first call, for all puts of these bytes; null before. */
    private final AtomicReference<String> sha256;

    private final AtomicInteger sends = new AtomicInteger();

    private SegmentBody(
            Buffer bytes, int crc32c, AtomicReference<String> sha256, Runnable onBytes) {
        this.bytes = bytes;
        this.crc32c = crc32c;
        this.sha256 = sha256;
        this.onBytes = onBytes;
    }

    /**
     * @throws IOException of the content, or if it is longer than one request may be
     */
    static SegmentBody encode(SegmentContent content, long maxBytes) throws IOException {
        Buffer bytes = new Buffer();
        Limited out = new Limited(bytes, maxBytes);
        content.writeTo(out);
        return new SegmentBody(bytes, (int) out.crc.getValue(), new AtomicReference<>(), () -> {});
    }

    /**
     * The same bytes, for one put.
     *
     * @param onBytes runs each time the transport has taken bytes; must not block
     */
    SegmentBody followedBy(Runnable onBytes) {
        return new SegmentBody(bytes, crc32c, sha256, onBytes);
    }

    @Override
    int crc32cBits() {
        return crc32c;
    }

    @Override
    String md5() {
        return bytes.clone().md5().base64();
    }

    @Override
    String sha256() {
        if (sha256.get() == null) {
            sha256.set(bytes.sha256().hex());
        }
        return sha256.get();
    }

    /**
     * Whether the transport has sent them more than once, as it does by itself when a connection
     * breaks: then the answer is to the last time, and says nothing of the others.
     */
    boolean isSentAgain() {
        return sends.get() > 1;
    }

    @Override
    public long contentLength() {
        return bytes.size();
    }

    /** Hands over the memory itself, without a copy before the socket. */
    @Override
    public void writeTo(BufferedSink sink) throws IOException {
        sends.incrementAndGet();
        Buffer left = bytes.clone();
        while (!left.exhausted()) {
            sink.write(left, Math.min(left.size(), PIECE_BYTES));
            onBytes.run();
        }
    }

    private static final class Limited extends OutputStream {

        private final Buffer bytes;
        private final long maxBytes;
        private final CRC32C crc = new CRC32C();

        Limited(Buffer bytes, long maxBytes) {
            this.bytes = bytes;
            this.maxBytes = maxBytes;
        }

        @Override
        public void write(int b) throws IOException {
            checkRoom(1);
            bytes.writeByte(b);
            crc.update(b);
        }

        @Override
        public void write(byte[] source, int offset, int length) throws IOException {
            checkRoom(length);
            bytes.write(source, offset, length);
            crc.update(source, offset, length);
        }

        private void checkRoom(int length) throws IOException {
            if (bytes.size() + length > maxBytes) {
                throw new IOException(
                        "A segment is longer than one request to S3 may be, "
                                + maxBytes
                                + " bytes; set a lower upload.max-in-flight");
            }
        }
    }
}
