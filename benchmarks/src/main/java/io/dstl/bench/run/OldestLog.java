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
package io.dstl.bench.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Tells when the log of a task is about as old as it gets: just before a materialization ends it.
 * One rule for all variants, whatever makes a materialization due, as it goes by size alone:
 *
 * <ol>
 *   <li>the job has been at work for a period, and since then each task has materialized once;
 *   <li>its largest log of a task has 90% of the most that one had so far, in a period or more.
 * </ol>
 *
 * <p>Two periods after the first of these the second is waived. What a task brings along from a
 * restore does not count until it has materialized. Without a changelog there is nothing to
 * materialize and the log is empty: that job is due after a period. For one thread.
 */
final class OldestLog {
    static final double SHARE = 0.9;
    private static final int PATIENCE = 2;

    private final Duration period;
    private Duration watched = Duration.ZERO;
    private Instant backAtWork = Instant.MIN;
    private Optional<Instant> settled = Optional.empty();
    private Instant last = Instant.MIN;
    private double most;

    /**
     * @param period the longest time from one materialization of a task to the next
     */
    OldestLog(Duration period) {
        this.period = period;
    }

    /** The tasks have been started anew. How large their logs get is still known from before. */
    void backAtWork(Instant at) {
        backAtWork = at;
        settled = Optional.empty();
    }

    /**
     * Takes a look at the job, and tells whether it is time to restore it.
     *
     * @param bytes of the log of the task that has the largest, in the last checkpoint
     * @param materialized whether each task has done so since it was last started, and a checkpoint
     *     was made since
     */
    boolean isDue(Instant at, double bytes, boolean materialized) {
        if (settled.isEmpty()) {
            if (!materialized) {
                return false;
            }
            settled = Optional.of(at);
            last = at;
        }
        watched = watched.plus(Duration.between(last, at));
        last = at;
        most = Math.max(most, bytes);
        Instant atWork = backAtWork.plus(period);
        if (at.isBefore(atWork) || watched.compareTo(period) < 0) {
            return false;
        }
        return bytes >= SHARE * most || !at.isBefore(patienceEnds(atWork));
    }

    /** The longest that a job can take to be due, once each of its tasks has materialized. */
    static Duration longest(Duration period) {
        return period.multipliedBy(PATIENCE + 1);
    }

    /** That the log of a task had so far, in bytes. */
    double most() {
        return most;
    }

    private Instant patienceEnds(Instant atWork) {
        Instant both = settled.orElseThrow().isAfter(atWork) ? settled.orElseThrow() : atWork;
        return both.plus(period.multipliedBy(PATIENCE));
    }
}
