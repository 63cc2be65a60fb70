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
package io.dstl.materializer;

import static org.apache.flink.configuration.StateChangelogOptions.MATERIALIZATION_MAX_FAILURES_ALLOWED;

import java.util.function.Predicate;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the materializations of one task that have failed in a row, those aside that the store
 * throttled. Without a completed checkpoint between two failures only the first counts: the store
 * may be down, which other options bound, and a restart could not restore. Task thread only.
 */
final class FailureStreak {

    private static final Logger LOG = LoggerFactory.getLogger(FailureStreak.class);

    private final HostTask task;
    private final int allowed;
    private final Predicate<Throwable> uncounted;
    private int length;
    private boolean checkpointed = true;

    FailureStreak(HostTask task, int allowed, Predicate<Throwable> uncounted) {
        this.task = task;
        this.allowed = allowed;
        this.uncounted = uncounted;
    }

    void end() {
        length = 0;
    }

    /** A checkpoint has completed. */
    void checkpointed() {
        checkpointed = true;
    }

    /** Fails the job if this failure is one too many. */
    void extend(String which, Throwable cause) {
        Throwable shown = task.shown(cause);
        if (uncounted.test(cause)) {
            LOG.warn(
                    "Materialization {} of {} failed, as the store wants fewer requests. This does"
                            + " not count for {}. The log stays as it is.",
                    which,
                    task.name(),
                    MATERIALIZATION_MAX_FAILURES_ALLOWED.key(),
                    shown);
            return;
        }
        if (!checkpointed) {
            LOG.warn(
                    "Materialization {} of {} failed, and no checkpoint has completed since the one"
                            + " before failed: the store may be down. This does not count for {}."
                            + " The log stays as it is.",
                    which,
                    task.name(),
                    MATERIALIZATION_MAX_FAILURES_ALLOWED.key(),
                    shown);
            return;
        }
        checkpointed = false;
        length++;
        LOG.warn(
                "Materialization {} of {} failed, {} in a row; {} allows {}. The log stays as it"
                        + " is.",
                which,
                task.name(),
                length,
                MATERIALIZATION_MAX_FAILURES_ALLOWED.key(),
                allowed,
                shown);
        if (isTooLong()) {
            task.fail(
                    new FlinkRuntimeException(
                            length
                                    + " materializations of "
                                    + task.name()
                                    + " in a row have failed, and "
                                    + MATERIALIZATION_MAX_FAILURES_ALLOWED.key()
                                    + " allows "
                                    + allowed
                                    + ". Remove the cause, or raise the number: the log grows"
                                    + " until a materialization succeeds.",
                            shown));
        }
    }

    boolean isTooLong() {
        return length > allowed;
    }
}
