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
package io.dstl.fs.log;

import static java.util.Objects.requireNonNull;

import io.dstl.fs.backup.LogBackup;
import io.dstl.fs.batch.SegmentBatcher;
import io.dstl.fs.log.InFlightLimit.WaitListener;
import io.dstl.registry.SegmentRegistry;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;

/** The services of a log: those shared by all logs of a storage, and its task's local disk. */
public final class LogServices {

    private final SegmentBatcher batcher;
    private final SegmentRegistry registry;
    private final InFlightLimit limit;
    private final InFlightLimit.Share inFlight;
    private final ScheduledExecutorService timer;
    private final Duration resendPause;
    private final Thread.UncaughtExceptionHandler ofErrors;
    private final LogBackup backup;

    /**
     * For logs without backups and without a listener for their waits.
     *
     * @param resendPause from the failure of an upload to the next one, unless a checkpoint needs
     *     it earlier
     * @param ofErrors ends the process
     */
    public LogServices(
            SegmentBatcher batcher,
            SegmentRegistry registry,
            InFlightLimit limit,
            ScheduledExecutorService timer,
            Duration resendPause,
            Thread.UncaughtExceptionHandler ofErrors) {
        this.batcher = requireNonNull(batcher);
        this.registry = requireNonNull(registry);
        this.limit = requireNonNull(limit);
        this.timer = requireNonNull(timer);
        this.resendPause = requireNonNull(resendPause);
        this.ofErrors = requireNonNull(ofErrors);
        this.inFlight = limit.share(WaitListener.NONE);
        this.backup = LogBackup.NONE;
    }

    private LogServices(LogServices shared, LogBackup backup, InFlightLimit.Share inFlight) {
        this.batcher = shared.batcher;
        this.registry = shared.registry;
        this.limit = shared.limit;
        this.timer = shared.timer;
        this.resendPause = shared.resendPause;
        this.ofErrors = shared.ofErrors;
        this.inFlight = inFlight;
        this.backup = requireNonNull(backup);
    }

    /** A copy for one log, with its own share of the bytes in flight. */
    public LogServices forLog(LogBackup ofLog, WaitListener waits) {
        return new LogServices(this, ofLog, limit.share(waits));
    }

    SegmentBatcher batcher() {
        return batcher;
    }

    SegmentRegistry registry() {
        return registry;
    }

    InFlightLimit.Share inFlight() {
        return inFlight;
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    Duration resendPause() {
        return resendPause;
    }

    LogBackup backup() {
        return backup;
    }

    /** Something of a log is left half done, which nobody does later. Returns the cause. */
    Error unfinished(Error cause) {
        ofErrors.uncaughtException(Thread.currentThread(), cause);
        return cause;
    }
}
