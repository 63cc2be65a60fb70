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

import java.util.Locale;
import org.apache.flink.configuration.MemorySize;

/** The resources of the TaskManager for uploads and deletions. */
public final class UploadSettings {

    private static final int MAX_BUFFER_BYTES = 1 << 30;

    private final int bufferBytes;
    private final int threads;
    private final int discardThreads;
    private final long maxInFlightBytes;
    private final long hardMaxInFlightBytes;

    private UploadSettings(
            int bufferBytes,
            int threads,
            int discardThreads,
            long maxInFlightBytes,
            long hardMaxInFlightBytes) {
        this.bufferBytes = bufferBytes;
        this.threads = threads;
        this.discardThreads = discardThreads;
        this.maxInFlightBytes = maxInFlightBytes;
        this.hardMaxInFlightBytes = hardMaxInFlightBytes;
    }

    static UploadSettings from(OptionCheck check) {
        long maxInFlight = check.bytesWithin(1, Long.MAX_VALUE, DstlOptions.IN_FLIGHT_DATA_LIMIT);
        return new UploadSettings(
                (int) check.bytesWithin(1, MAX_BUFFER_BYTES, DstlOptions.UPLOAD_BUFFER_SIZE),
                check.atLeast(1, DstlOptions.NUM_UPLOAD_THREADS),
                check.atLeast(1, DstlOptions.NUM_DISCARD_THREADS),
                maxInFlight,
                hardMaxInFlight(maxInFlight, check));
    }

    private static long hardMaxInFlight(long maxInFlight, OptionCheck check) {
        long twice = maxInFlight + Math.min(maxInFlight, Long.MAX_VALUE - maxInFlight);
        MemorySize hard =
                check.read(DstlOptions.HARD_IN_FLIGHT_DATA_LIMIT, "a size such as 200 mb");
        if (hard == null) {
            return twice;
        }
        if (hard.getBytes() < maxInFlight) {
            check.refuse(
                    DstlOptions.HARD_IN_FLIGHT_DATA_LIMIT,
                    hard,
                    String.format(
                            Locale.ROOT,
                            "task threads would wait before the tasks stop taking records; set it"
                                    + " to %s (%s) or more, or leave it out for twice that",
                            check.key(DstlOptions.IN_FLIGHT_DATA_LIMIT),
                            new MemorySize(maxInFlight)));
            return twice;
        }
        return hard.getBytes();
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

    /** Heap of changes handed to upload and not yet stored, above which tasks are unavailable. */
    public long maxInFlightBytes() {
        return maxInFlightBytes;
    }

    /** The same heap, above which task threads wait; not below the soft limit. */
    public long hardMaxInFlightBytes() {
        return hardMaxInFlightBytes;
    }
}
