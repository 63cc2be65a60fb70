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

import static io.dstl.fs.option.DstlOptions.PERSIST_DELAY;
import static io.dstl.fs.option.DstlOptions.PERSIST_SIZE_THRESHOLD;
import static io.dstl.fs.option.DstlOptions.PREEMPTIVE_PERSIST_THRESHOLD;

import java.time.Duration;
import org.apache.flink.configuration.MemorySize;

/** When changes are sealed, and how they are gathered into one segment. */
public final class BatchSettings {

    /** Fits an arena with its offsets, with room for the record that crosses the threshold. */
    private static final long MAX_CHANGE_SET_BYTES = 1L << 30;

    private final int preemptiveThresholdBytes;
    private final Duration delay;
    private final long sizeThresholdBytes;

    private BatchSettings(int preemptiveThresholdBytes, Duration delay, long sizeThresholdBytes) {
        this.preemptiveThresholdBytes = preemptiveThresholdBytes;
        this.delay = delay;
        this.sizeThresholdBytes = sizeThresholdBytes;
    }

    static BatchSettings from(OptionCheck check) {
        BatchSettings settings =
                new BatchSettings(
                        preemptiveThreshold(check),
                        check.notNegative(PERSIST_DELAY),
                        check.bytesWithin(0, Long.MAX_VALUE, PERSIST_SIZE_THRESHOLD));
        settings.warnOfNoEffect(check);
        return settings;
    }

    private static int preemptiveThreshold(OptionCheck check) {
        long bytes = check.bytesWithin(0, Long.MAX_VALUE, PREEMPTIVE_PERSIST_THRESHOLD);
        if (bytes == 0) {
            check.warn(
                    PREEMPTIVE_PERSIST_THRESHOLD,
                    new MemorySize(bytes),
                    "it counts as 1 byte, and each change is handed to upload by itself. Set it to"
                            + " what an upload is worth, such as "
                            + PREEMPTIVE_PERSIST_THRESHOLD.defaultValue());
        }
        if (bytes > MAX_CHANGE_SET_BYTES) {
            check.warnIfChanged(
                    PREEMPTIVE_PERSIST_THRESHOLD,
                    "a change set ends at 1 gb, and that is what counts. Set it to 1 gb or less");
        }
        return (int) Math.max(1, Math.min(bytes, MAX_CHANGE_SET_BYTES));
    }

    private void warnOfNoEffect(OptionCheck check) {
        if (sizeThresholdBytes == 0) {
            check.warnIfChanged(
                    PERSIST_DELAY,
                    "it has no effect, as "
                            + check.key(PERSIST_SIZE_THRESHOLD)
                            + " is 0 and nothing waits. Leave out one of them");
        } else if (delay.isZero()) {
            check.warnIfChanged(
                    PERSIST_SIZE_THRESHOLD,
                    "it has no effect, as "
                            + check.key(PERSIST_DELAY)
                            + " is 0 and nothing waits. Leave out one of them");
        }
    }

    /** Warns if one writer gathers more than all tasks may have in flight. */
    void warnIfBeyond(UploadSettings upload, OptionCheck check) {
        if (preemptiveThresholdBytes > upload.maxInFlightBytes()) {
            check.warn(
                    PREEMPTIVE_PERSIST_THRESHOLD,
                    new MemorySize(preemptiveThresholdBytes),
                    "it is more than "
                            + check.key(DstlOptions.IN_FLIGHT_DATA_LIMIT)
                            + " ("
                            + new MemorySize(upload.maxInFlightBytes())
                            + "), so each upload ahead of a checkpoint stops the job's"
                            + " tasks on this TaskManager until it is done. Set it to less");
        }
    }

    /**
     * Bytes of changes of one writer at which they are sealed and handed to upload. At most 1 GiB,
     * whatever is configured: more does not fit the arena of a change set.
     */
    public int preemptiveThresholdBytes() {
        return preemptiveThresholdBytes;
    }

    /** How long a change set waits for others; zero: not at all. */
    public Duration delay() {
        return delay;
    }

    /** Bytes of waiting change sets at which the wait ends. */
    public long sizeThresholdBytes() {
        return sizeThresholdBytes;
    }
}
