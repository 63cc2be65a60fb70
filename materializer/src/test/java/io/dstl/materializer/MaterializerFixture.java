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

import io.dstl.materializer.MaterializationPolicy.AnyPolicy;
import io.dstl.testkit.ManualExecutor;
import io.dstl.testkit.ManualMailbox;
import io.dstl.testkit.ManualTimer;
import io.dstl.testkit.RecordedMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.util.clock.ManualClock;

/** A materializer whose threads, timers and mails the test moves. */
abstract class MaterializerFixture {

    static final Duration INTERVAL = Duration.ofMinutes(10);
    static final Duration ALLOWED = Duration.ofMinutes(3);
    static final Duration CHECKPOINTS = Duration.ofSeconds(10);
    static final int MAX_FAILURES = 2;

    /** Over its limit. */
    static final LogSize LARGE = new LogSize(5 << 20, 0, 0);

    final ManualTimer scheduler = new ManualTimer();
    final ManualMailbox mailbox = new ManualMailbox();
    final ManualExecutor uploads = new ManualExecutor();
    final ManualExecutor deletions = new ManualExecutor();
    final List<String> givenUp = new ArrayList<>();
    final List<Throwable> jobFailures = new ArrayList<>();
    final ScriptedTarget target = new ScriptedTarget();
    final RecordedMetrics metrics = new RecordedMetrics();
    final ManualClock clock = new ManualClock();
    final ReplayRate rate = new ReplayRate();
    final LogLimit limit = new LogLimit(0.25, 4 << 20, Duration.ofSeconds(10), rate);
    final Materializer materializer =
            materializer(
                    new AnyPolicy(
                            new PeriodicPolicy(INTERVAL, scheduler, () -> 0.0),
                            new LogLimitPolicy(
                                    limit, CHECKPOINTS, clock::relativeTimeMillis, () -> 0.0)),
                    this::submit);

    final Materializer materializer(MaterializationPolicy policy, UploadLane lane) {
        return new Materializer(
                target,
                policy,
                MAX_FAILURES,
                new HostTask(
                        "flights (2/4)#0",
                        mailbox,
                        lane,
                        this::delete,
                        jobFailures::add,
                        failure -> failure),
                new MaterializationMetrics(metrics, limit, clock),
                new StallWatch(ALLOWED, scheduler));
    }

    private void delete(SnapshotResult<KeyedStateHandle> result) {
        deletions.execute(
                () -> {
                    try {
                        result.discardState();
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
    }

    /** No upload is taken for now. */
    boolean full;

    final UploadLane.Ticket submit(Runnable upload) {
        if (full) {
            throw new UploadLane.FullException("too much hangs");
        }
        uploads.execute(upload);
        return () -> givenUp.add(upload.toString());
    }

    /** Up to the upload of the first materialization, which has not begun yet. */
    final void begin() {
        begin(materializer);
    }

    final void begin(Materializer of) {
        of.start();
        scheduler.advance(Duration.ZERO);
        mailbox.runAll();
    }

    final void startAndMaterialize() {
        startAndMaterialize(materializer);
    }

    final void startAndMaterialize(Materializer of) {
        of.start();
        materializeOnce(Duration.ZERO);
    }

    /** What the next upload makes. */
    final TrackedHandle planTrackedUpload() {
        TrackedHandle handle = new TrackedHandle();
        target.planUpload(() -> SnapshotResult.of(handle));
        return handle;
    }

    /** What the next materialization does, each part for as long. */
    final void planTaking(Duration begin, Duration upload) {
        target.plan(
                () -> {
                    clock.advanceTime(begin);
                    return Optional.of(
                            () -> {
                                clock.advanceTime(upload);
                                return SnapshotResult.empty();
                            });
                });
    }

    final void materializeOnce(Duration after) {
        scheduler.advance(after);
        mailbox.runAll();
        uploads.runAll();
        mailbox.runAll();
    }

    final void checkpointed(LogSize size) {
        target.size = Optional.of(size);
        materializer.checkpointed();
    }

    /** A whole materialization, with up to three flushes ahead. */
    final void run() {
        for (int i = 0; i < 3; i++) {
            mailbox.runAll();
            uploads.runAll();
        }
        mailbox.runAll();
    }

    /** A snapshot in memory that counts how often it is discarded. */
    static final class TrackedHandle extends KeyGroupsStateHandle {

        int discards;

        TrackedHandle() {
            super(
                    new KeyGroupRangeOffsets(KeyGroupRange.of(0, 0)),
                    new ByteStreamStateHandle("snapshot", new byte[] {1}));
        }

        @Override
        public void discardState() {
            discards++;
        }
    }
}
