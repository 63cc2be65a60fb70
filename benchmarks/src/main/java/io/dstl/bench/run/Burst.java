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

import io.dstl.harness.proxy.Disturbance;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/**
 * All timers fire at once while the store does something wrong, on a TaskManager with a heap of its
 * own that may not run out. Immutable.
 */
final class Burst {
    /** What Flink adds to the heap of the tasks, in MB. */
    private static final int FRAMEWORK_HEAP = 128;

    /** What a TaskManager has beside its heap, managed memory included, in MB. */
    private static final int BESIDE_HEAP = 2560;

    /** With more, the network memory, which is a tenth, leaves Flink too little of that, in MB. */
    private static final int MOST_HEAP = 7000;

    private final Fault outage;
    private final int heap;

    /**
     * @param heap of the TaskManager's JVM, in MB: more than Flink itself takes of it
     */
    Burst(Fault outage, int heap) {
        if (heap <= FRAMEWORK_HEAP || heap > MOST_HEAP) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "--heap is %d: give %d to %d MB",
                            heap,
                            FRAMEWORK_HEAP + 1,
                            MOST_HEAP));
        }
        this.outage = outage;
        this.heap = heap;
    }

    Duration length() {
        return outage.length();
    }

    /** What the cluster needs for it. */
    Map<String, String> clusterSettings() {
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

    /**
     * @param sources where they look for the signal to let time leap
     * @param limit how long to wait for the timers once there are checkpoints again
     */
    Phase phase(Disturbance disturbance, Path sources, Duration limit) {
        return new BurstPhase(outage, disturbance, sources, limit);
    }

    /** For the reader of the report. */
    @Override
    public String toString() {
        return outage.title() + ", TaskManager heap " + heap + " MB";
    }
}
