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

import java.time.Duration;
import org.apache.flink.configuration.ReadableConfig;

/** When changes are sealed and how they are gathered into one segment. */
public final class BatchSettings {

    /** What fits an arena with its offsets, with room for the record that crosses the threshold. */
    private static final long MAX_CHANGE_SET_BYTES = 1L << 30;

    private final int preemptiveThresholdBytes;
    private final Duration delay;
    private final long sizeThresholdBytes;

    private BatchSettings(int preemptiveThresholdBytes, Duration delay, long sizeThresholdBytes) {
        this.preemptiveThresholdBytes = preemptiveThresholdBytes;
        this.delay = delay;
        this.sizeThresholdBytes = sizeThresholdBytes;
    }

    static BatchSettings from(ReadableConfig config) {
        OptionCheck check = new OptionCheck(config);
        long preemptive =
                check.bytesWithin(1, Long.MAX_VALUE, DstlOptions.PREEMPTIVE_PERSIST_THRESHOLD);
        return new BatchSettings(
                (int) Math.min(preemptive, MAX_CHANGE_SET_BYTES),
                check.notNegative(DstlOptions.PERSIST_DELAY),
                check.bytesWithin(0, Long.MAX_VALUE, DstlOptions.PERSIST_SIZE_THRESHOLD));
    }

    /**
     * Bytes of changes of one writer at which they are sealed and handed to upload. At most 1 GiB,
     * whatever is configured: beyond it the arena of a change set ends.
     */
    public int preemptiveThresholdBytes() {
        return preemptiveThresholdBytes;
    }

    /** How long a change set waits for others; zero: not at all. */
    public Duration delay() {
        return delay;
    }

    /** Bytes of waiting change sets that end the waiting. */
    public long sizeThresholdBytes() {
        return sizeThresholdBytes;
    }
}
