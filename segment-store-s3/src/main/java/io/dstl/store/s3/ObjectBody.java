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

import java.io.IOException;
import okhttp3.MediaType;
import okhttp3.RequestBody;
import okio.Buffer;

/** What a put stores, with the digests that may go with it. Any thread. */
abstract class ObjectBody extends RequestBody {

    /** The most that S3 takes in one request. */
    static final long MAX_BYTES = 5L << 30;

    /** Of the bytes, as S3 expects it: big-endian, in base64. */
    final String crc32c() throws IOException {
        return new Buffer().writeInt(crc32cBits()).readByteString().base64();
    }

    abstract int crc32cBits() throws IOException;

    /** In base64. Computed at each call, at about a second for 500 MB. */
    abstract String md5() throws IOException;

    /**
     * In hexadecimal digits. Computed once, at about two seconds for 1 GB: on the thread of the
     * first call, and again by concurrent first calls.
     */
    abstract String sha256() throws IOException;

    @Override
    public abstract long contentLength();

    /** None: it is a header of the request, as it is signed. */
    @Override
    public final MediaType contentType() {
        return null;
    }
}
