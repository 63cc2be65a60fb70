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

import io.dstl.store.PutLatencies;
import io.dstl.store.PutLatencies.SizeClass;
import io.dstl.store.PutObserver;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
import org.apache.flink.runtime.metrics.DescriptiveStatisticsHistogram;

/** The metrics of one storage, with the names of Flink's own, and of its puts. Any thread. */
public final class StorageMetrics implements PutObserver {

    public static final String UPLOAD_REQUESTS = "ChangelogStorage.numberOfUploadRequests";
    public static final String UPLOAD_FAILURES = "ChangelogStorage.numberOfUploadFailures";
    public static final String UPLOAD_SIZES = "ChangelogStorage.uploadSizes";
    public static final String UPLOAD_LATENCIES = "ChangelogStorage.uploadLatenciesNanos";
    public static final String ATTEMPTS_PER_UPLOAD = "ChangelogStorage.attemptsPerUpload";
    public static final String TOTAL_ATTEMPTS_PER_UPLOAD =
            "ChangelogStorage.totalAttemptsPerUpload";
    public static final String ESTIMATED_REQUESTS = "ChangelogStorage.estimatedRequests";
    public static final String BATCH_SIZES = "ChangelogStorage.uploadBatchSizes";
    public static final String VOID_CHANGES = "ChangelogStorage.voidChanges";
    public static final String VOID_BYTES = "ChangelogStorage.voidBytes";
    public static final String QUEUE_SIZE = "ChangelogStorage.uploadQueueSize";
    public static final String IN_FLIGHT_BYTES = "ChangelogStorage.inFlightBytes";
    public static final String RETAINED_BYTES = "ChangelogStorage.retainedBytes";
    public static final String BACKPRESSURED = "ChangelogStorage.backpressured";
    public static final String WAITING_TASKS = "ChangelogStorage.waitingTasks";
    public static final String HEDGES_SENT = "ChangelogStorage.hedgesSent";
    public static final String HEDGES_WON = "ChangelogStorage.hedgesWon";
    public static final String RETRIES = "ChangelogStorage.retries";
    public static final String THROTTLES = "ChangelogStorage.throttles";

    /** Followed by the name of a size class, in lower case. */
    public static final String LATENCY_PREFIX = "ChangelogStorage.putLatencyNanos_";

    /** The number of last values from which a histogram takes percentiles. */
    private static final int WINDOW = 1000;

    private final MetricGroup group;
    private final Counter requests;
    private final Counter failures;
    private final Counter estimatedRequests;
    private final Counter hedgesSent;
    private final Counter hedgesWon;
    private final Counter retries;
    private final Counter throttles;
    private final Counter voidChanges;
    private final Counter voidBytes;
    private final Histogram sizes;
    private final Histogram latencies;
    private final Histogram attempts;
    private final Histogram totalAttempts;
    private final Histogram batchSizes;

    public StorageMetrics(MetricGroup group) {
        this.group = group;
        this.requests = counter(UPLOAD_REQUESTS);
        this.failures = counter(UPLOAD_FAILURES);
        this.estimatedRequests = counter(ESTIMATED_REQUESTS);
        this.hedgesSent = counter(HEDGES_SENT);
        this.hedgesWon = counter(HEDGES_WON);
        this.retries = counter(RETRIES);
        this.throttles = counter(THROTTLES);
        this.voidChanges = counter(VOID_CHANGES);
        this.voidBytes = counter(VOID_BYTES);
        this.sizes = histogram(UPLOAD_SIZES);
        this.latencies = histogram(UPLOAD_LATENCIES);
        this.attempts = histogram(ATTEMPTS_PER_UPLOAD);
        this.totalAttempts = histogram(TOTAL_ATTEMPTS_PER_UPLOAD);
        this.batchSizes = histogram(BATCH_SIZES);
    }

    private Counter counter(String name) {
        return group.counter(name, new ThreadSafeSimpleCounter());
    }

    private Histogram histogram(String name) {
        return group.histogram(name, new DescriptiveStatisticsHistogram(WINDOW));
    }

    @Override
    public void latencies(PutLatencies ofPuts) {
        for (SizeClass size : SizeClass.values()) {
            String name = LATENCY_PREFIX + size.name().toLowerCase(Locale.ROOT);
            group.histogram(name, ofPuts.of(size));
        }
    }

    @Override
    public void requestBegun() {
        requests.inc();
        estimatedRequests.inc();
    }

    @Override
    public void otherRequests(int sent) {
        estimatedRequests.inc(sent);
    }

    @Override
    public void requestStored(long bytes, long nanos) {
        sizes.update(bytes);
        latencies.update(nanos);
    }

    @Override
    public void requestFailed() {
        failures.inc();
    }

    @Override
    public void throttled() {
        throttles.inc();
    }

    @Override
    public void retried() {
        retries.inc();
    }

    @Override
    public void hedgeSent() {
        hedgesSent.inc();
    }

    @Override
    public void hedgeWon() {
        hedgesWon.inc();
    }

    @Override
    public void stored(int winner, int started) {
        attempts.update(winner);
        totalAttempts.update(started);
    }

    /** A segment is made of this many change sets. */
    public void batchFlushed(int changeSets) {
        batchSizes.update(changeSets);
    }

    /** A change set has been stored without the changes that its later ones make void. */
    public void leftOut(int changes, int bytes) {
        voidChanges.inc(changes);
        voidBytes.inc(bytes);
    }

    /** Shows the change sets that wait for a batch, or in one for its upload. */
    public void showQueue(Gauge<Integer> size) {
        group.gauge(QUEUE_SIZE, size);
    }

    /**
     * Shows the heap that changes hold.
     *
     * @param inFlight handed to upload and not stored
     * @param retained the part whose upload has failed, and that are not stored since
     */
    public void showBytes(LongSupplier inFlight, LongSupplier retained) {
        group.gauge(IN_FLIGHT_BYTES, inFlight::getAsLong);
        group.gauge(RETAINED_BYTES, retained::getAsLong);
    }

    /**
     * Shows whether bytes in flight stop the tasks.
     *
     * @param reached whether they take no records; shown as 0 or 1
     * @param waiting how many task threads wait until changes are stored
     */
    public void showBackpressure(BooleanSupplier reached, IntSupplier waiting) {
        group.gauge(BACKPRESSURED, () -> reached.getAsBoolean() ? 1 : 0);
        group.gauge(WAITING_TASKS, waiting::getAsInt);
    }
}
