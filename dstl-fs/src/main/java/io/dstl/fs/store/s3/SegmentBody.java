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
package io.dstl.fs.store.s3;

import io.dstl.fs.store.SegmentContent;
import java.io.IOException;
import java.io.OutputStream;
import okhttp3.MediaType;
import okhttp3.RequestBody;
import okio.Buffer;
import okio.BufferedSink;

/**
 * The encoded bytes of one segment in memory: so its length is known before the first byte is sent,
 * and a connection that was closed while it lay idle costs no second encoding. Immutable once
 * encoded.
 */
final class SegmentBody extends RequestBody {

    /** What S3 takes in one request. */
    static final long MAX_BYTES = 5L << 30;

    private final Buffer bytes;

    private SegmentBody(Buffer bytes) {
        this.bytes = bytes;
    }

    /**
     * @throws IOException of the content, or if it is longer than one request may be
     */
    static SegmentBody encode(SegmentContent content, long maxBytes) throws IOException {
        Buffer bytes = new Buffer();
        content.writeTo(new Limited(bytes, maxBytes));
        return new SegmentBody(bytes);
    }

    @Override
    public long contentLength() {
        return bytes.size();
    }

    /** None: it is a header of the request, as it is signed. */
    @Override
    public MediaType contentType() {
        return null;
    }

    /** Hands over the memory itself; nothing is copied but into the socket. */
    @Override
    public void writeTo(BufferedSink sink) throws IOException {
        sink.write(bytes.clone(), bytes.size());
    }

    private static final class Limited extends OutputStream {

        private final Buffer bytes;
        private final long maxBytes;

        Limited(Buffer bytes, long maxBytes) {
            this.bytes = bytes;
            this.maxBytes = maxBytes;
        }

        @Override
        public void write(int b) throws IOException {
            checkRoom(1);
            bytes.writeByte(b);
        }

        @Override
        public void write(byte[] source, int offset, int length) throws IOException {
            checkRoom(length);
            bytes.write(source, offset, length);
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
