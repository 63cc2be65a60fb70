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

import io.dstl.bench.job.LeapSignal;
import io.dstl.bench.job.Updates;
import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.run.Fault.FaultPhase;
import io.dstl.bench.run.Phase.Unfinished;
import io.dstl.harness.proxy.Disturbance;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The watermark passes all timers that were set, as the store begins to do something wrong; when
 * that is over, the job gets back to completing checkpoints, and all of those timers have fired.
 * The TaskManager has a heap of its own, which may not run out.
 */
final class BurstPhase implements Phase {
    /** What Flink adds to the heap of the tasks, in MB. */
    private static final int FRAMEWORK_HEAP = 128;

    /** What a TaskManager has beside its heap, managed memory included, in MB. */
    private static final int BESIDE_HEAP = 2560;

    /** With more, the network memory, which is a tenth, leaves Flink too little of that, in MB. */
    private static final int MOST_HEAP = 7000;

    private static final String WATERMARK = "currentInputWatermark";
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    private final FaultPhase outage;
    private final Duration limit;
    private final Quantity timers;

    /**
     * @param sources where they look for the signal to let time leap
     * @param limit how long to wait for the timers once there are checkpoints again
     */
    BurstPhase(Fault outage, Disturbance disturbance, Path sources, Duration limit) {
        Fault burst = outage.with("burst", () -> LeapSignal.give(sources));
        this.outage = new FaultPhase(burst, disturbance);
        this.limit = limit;
        this.timers =
                Quantity.of(
                        burst.title() + ": timers that fired at once",
                        burst.title() + ".timers",
                        "%.0f");
    }

    /**
     * @param heap of the TaskManager's JVM, in MB: more than Flink itself takes of it
     */
    static void requireHeap(int heap) {
        if (heap <= FRAMEWORK_HEAP || heap > MOST_HEAP) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "--heap is %d: give %d to %d MB",
                            heap,
                            FRAMEWORK_HEAP + 1,
                            MOST_HEAP));
        }
    }

    /** What the cluster needs for such a heap. */
    static Map<String, String> clusterSettings(int heap) {
        return Map.of(
                "taskmanager.memory.task.heap.size",
                heap - FRAMEWORK_HEAP + "mb",
                "taskmanager.memory.managed.size",
                "1024mb",
                "taskmanager.memory.process.size",
                heap + BESIDE_HEAP + "mb",
                "env.java.opts.taskmanager",
                "-XX:+ExitOnOutOfMemoryError");
    }

    @Override
    public String title() {
        return outage.title();
    }

    @Override
    public List<Quantity> quantities() {
        List<Quantity> all = new ArrayList<>(outage.quantities());
        all.add(timers);
        return all;
    }

    /** What the outage cost counts even when not all timers fire. */
    @Override
    public List<Finding> of(BenchJob job) throws Unfinished, IOException, InterruptedException {
        // Until time leaps, each record that the state has read is a timer that waits.
        long waiting = job.sample().records;
        List<Finding> findings = new ArrayList<>(outage.of(job));
        findings.add(awaitFired(job, waiting));
        return findings;
    }

    private Finding awaitFired(BenchJob job, long waiting)
            throws IOException, InterruptedException {
        try {
            job.runUntil(
                    "the timers",
                    limit,
                    BETWEEN_LOOKS,
                    now -> fired(job.smallest(WATERMARK).orElse(Long.MIN_VALUE)) >= waiting);
        } catch (Unfinished e) {
            job.say(title() + ": not all timers fired: " + e.getMessage());
            return Finding.none(timers, "not all");
        }
        job.say(String.format(Locale.ROOT, "%s: %,d timers fired", title(), waiting));
        return Finding.of(timers, waiting);
    }

    /**
     * How many timers have fired at least: each split has an update, with a timer, at each moment
     * from 0 on.
     *
     * @param watermark the smallest that any operator has: the one after the state has it only when
     *     the state has fired its timers up to there
     */
    static double fired(double watermark) {
        return Math.max(0, Updates.SPLITS * (watermark + 1));
    }
}
