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
package io.dstl.fs.metric;

import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.MetricGroup;

/** What the tasks of one storage have under way, and whether it stops them. Any thread. */
public final class FlightMetrics {

    public static final String IN_FLIGHT_BYTES = "ChangelogStorage.inFlightBytes";
    public static final String RETAINED_BYTES = "ChangelogStorage.retainedBytes";
    public static final String BACKPRESSURED = "ChangelogStorage.backpressured";
    public static final String WAITING_TASKS = "ChangelogStorage.waitingTasks";

    private final MetricGroup group;

    public FlightMetrics(MetricGroup group) {
        this.group = group;
    }

    /**
     * Shows the heap that changes hold.
     *
     * @param inFlight handed to upload and not stored
     * @param retained of these, those whose upload has failed and is to be repeated
     */
    public void showBytes(LongSupplier inFlight, LongSupplier retained) {
        group.gauge(IN_FLIGHT_BYTES, inFlight::getAsLong);
        group.gauge(RETAINED_BYTES, retained::getAsLong);
    }

    /** Shows whether the tasks take no records, as 0 or 1. */
    public void showBackpressured(BooleanSupplier reached) {
        group.gauge(BACKPRESSURED, () -> reached.getAsBoolean() ? 1 : 0);
    }

    /** Shows the task threads that wait until something is stored. */
    public void showWaiting(IntSupplier threads) {
        group.gauge(WAITING_TASKS, threads::getAsInt);
    }
}
