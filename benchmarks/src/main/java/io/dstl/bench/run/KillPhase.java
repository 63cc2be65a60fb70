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

import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.run.Phase.Unfinished;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** The TaskManager is killed, another takes its place, and the job gets its state back. */
final class KillPhase implements Phase {
    private static final Quantity INITIALIZING =
            Quantity.of(
                    "kill -9: longest INITIALIZING of a task, ms",
                    "kill.initializingMillis",
                    "%.0f");
    private static final Quantity RECOVERY =
            Quantity.of(
                    "kill -9: until the next checkpoint is complete, ms",
                    "kill.recoveryMillis",
                    "%.0f");

    @Override
    public String title() {
        return "kill -9";
    }

    @Override
    public List<Quantity> quantities() {
        return List.of(INITIALIZING, RECOVERY);
    }

    @Override
    public List<Finding> of(BenchJob job) throws Unfinished, IOException, InterruptedException {
        Recovery recovery = Recovery.ofKill(job);
        job.say("killed: " + recovery);
        return List.of(
                Finding.of(INITIALIZING, recovery.initializing.toMillis()),
                Finding.of(RECOVERY, recovery.toNextCheckpoint.toMillis()));
    }

    /** How long a job took to get back to work after its TaskManager was killed. */
    static final class Recovery {
        /** The longest of the tasks with the state. */
        final Duration initializing;

        /**
         * From the kill to the end of the first checkpoint triggered when all tasks were at work.
         */
        final Duration toNextCheckpoint;

        private Recovery(Duration initializing, Duration toNextCheckpoint) {
            this.initializing = initializing;
            this.toNextCheckpoint = toNextCheckpoint;
        }

        /** Kills the TaskManager, starts another, and waits for the first checkpoint after that. */
        static Recovery ofKill(BenchJob job) throws Unfinished, IOException, InterruptedException {
            Instant killed = job.killTaskManager();
            job.happened("SIGKILL");
            Duration initializing = job.awaitInitialized(killed);
            Instant back = job.awaitBackAtWork();
            job.happened("restored");
            CompletedCheckpoint first = job.awaitTriggeredAfter(back);
            job.deleteFilesOfKilled();
            return new Recovery(
                    initializing, Duration.between(killed, first.triggered.plus(first.duration)));
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%d ms to restore, next checkpoint after %d ms",
                    initializing.toMillis(),
                    toNextCheckpoint.toMillis());
        }
    }
}
