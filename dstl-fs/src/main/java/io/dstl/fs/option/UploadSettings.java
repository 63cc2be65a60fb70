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
package io.dstl.fs.option;

/** What uploads and deletions may use of the TaskManager. */
public final class UploadSettings {

    private static final int MAX_BUFFER_BYTES = 1 << 30;

    private final int bufferBytes;
    private final int threads;
    private final int discardThreads;
    private final long maxInFlightBytes;

    private UploadSettings(
            int bufferBytes, int threads, int discardThreads, long maxInFlightBytes) {
        this.bufferBytes = bufferBytes;
        this.threads = threads;
        this.discardThreads = discardThreads;
        this.maxInFlightBytes = maxInFlightBytes;
    }

    static UploadSettings from(OptionCheck check) {
        return new UploadSettings(
                (int) check.bytesWithin(1, MAX_BUFFER_BYTES, DstlOptions.UPLOAD_BUFFER_SIZE),
                check.atLeast(1, DstlOptions.NUM_UPLOAD_THREADS),
                check.atLeast(1, DstlOptions.NUM_DISCARD_THREADS),
                check.bytesWithin(1, Long.MAX_VALUE, DstlOptions.IN_FLIGHT_DATA_LIMIT));
    }

    /** Per running upload. */
    public int bufferBytes() {
        return bufferBytes;
    }

    /** Uploads that run at the same time. */
    public int threads() {
        return threads;
    }

    /** Deletions that run at the same time. */
    public int discardThreads() {
        return discardThreads;
    }

    /** Bytes handed to upload and not yet stored, above which tasks are unavailable. */
    public long maxInFlightBytes() {
        return maxInFlightBytes;
    }
}
