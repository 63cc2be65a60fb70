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
import io.dstl.registry.SegmentRegistry;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;

/** What a log works with: what all logs of a storage share, and the local disk of its task. */
public final class LogServices {

    private final SegmentBatcher batcher;
    private final SegmentRegistry registry;
    private final InFlightLimit inFlight;
    private final ScheduledExecutorService timer;
    private final Duration resendPause;
    private final LogBackup backup;

    /**
     * For logs that keep no backups.
     *
     * @param resendPause from the failure of an upload to the next one, unless a checkpoint needs
     *     it earlier
     */
    public LogServices(
            SegmentBatcher batcher,
            SegmentRegistry registry,
            InFlightLimit inFlight,
            ScheduledExecutorService timer,
            Duration resendPause) {
        this(batcher, registry, inFlight, timer, resendPause, LogBackup.NONE);
    }

    private LogServices(
            SegmentBatcher batcher,
            SegmentRegistry registry,
            InFlightLimit inFlight,
            ScheduledExecutorService timer,
            Duration resendPause,
            LogBackup backup) {
        this.batcher = requireNonNull(batcher);
        this.registry = requireNonNull(registry);
        this.inFlight = requireNonNull(inFlight);
        this.timer = requireNonNull(timer);
        this.resendPause = requireNonNull(resendPause);
        this.backup = requireNonNull(backup);
    }

    /** The same for a log that keeps backups. */
    public LogServices with(LogBackup ofLog) {
        return new LogServices(batcher, registry, inFlight, timer, resendPause, ofLog);
    }

    SegmentBatcher batcher() {
        return batcher;
    }

    SegmentRegistry registry() {
        return registry;
    }

    InFlightLimit inFlight() {
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
}
