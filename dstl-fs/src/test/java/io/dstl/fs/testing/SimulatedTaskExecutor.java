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
package io.dstl.fs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.metric.StorageMetrics;
import io.dstl.fs.option.DstlOptions;
import io.dstl.fs.option.DstlSettings;
import io.dstl.store.Cleanups;
import io.dstl.store.PutContext;
import io.dstl.store.PutObserver;
import io.dstl.store.PutRules;
import io.dstl.store.RetrySettings;
import io.dstl.store.testing.CountedNames;
import io.dstl.testkit.ManualTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/** A process with a storage of its own, which can be frozen: its time stands still then. */
final class SimulatedTaskExecutor {

    /** Little, so that some requests are aborted beside the one that stored the segment. */
    private static final long LOSING_BYTES = 500;

    private final Random random;
    private final ManualTimer timer = new ManualTimer();

    /** Of the process: the job leaves, and it goes on. */
    private final ManualTimer deletionTimer = new ManualTimer();

    private final SimulatedStore.Client store;
    private final RandomExecutor cleanups;
    private final PutContext puts;
    private final List<SimulatedTask> tasks = new ArrayList<>();
    private boolean frozen;

    final LogHarness harness;

    SimulatedTaskExecutor(int number, SimulatedStore objects, Random random) {
        this.random = random;
        this.store = objects.client();
        this.cleanups = new RandomExecutor(random);
        MetricGroup metrics = new UnregisteredMetricsGroup();
        PutObserver observer = new StorageMetrics(metrics);
        this.puts =
                new PutContext(
                        store,
                        PutRules.of(
                                retries(),
                                LOSING_BYTES,
                                random::nextDouble,
                                timer::nanos,
                                observer),
                        timer,
                        new CountedNames("segment-" + number + "-"),
                        new Cleanups(cleanups, deletionTimer),
                        observer);
        this.harness = new LogHarness(store, puts, timer, deletionTimer);
    }

    private static RetrySettings retries() {
        Configuration config = new Configuration();
        config.set(DstlOptions.BASE_PATH, "file:///unused");
        config.set(DstlOptions.RETRY_MAX_ATTEMPTS, 2);
        config.set(DstlOptions.RETRY_DELAY_AFTER_FAILURE, Duration.ofMillis(200));
        config.set(DstlOptions.HEDGE_MAX_SHARE, 0.5);
        return DstlSettings.from(config).retry();
    }

    SimulatedTask start(SimulatedTask.Answer from, OptionalLong restoredFrom) {
        SimulatedTask task = new SimulatedTask(harness.createLog(restoredFrom), random, from);
        tasks.add(task);
        return task;
    }

    void freeze() {
        frozen = true;
        store.freeze(true);
    }

    /** Goes on as if nothing had been. */
    void thaw() {
        frozen = false;
        store.freeze(false);
    }

    void stopTasks() {
        tasks.forEach(SimulatedTask::close);
        tasks.clear();
    }

    /** Without effect if it is another one's. */
    void stop(SimulatedTask task) {
        if (tasks.remove(task)) {
            task.close();
        }
    }

    List<SimulatedTask> tasks() {
        return tasks;
    }

    void pass(Duration time) {
        if (!frozen) {
            timer.advance(time);
            deletionTimer.advance(time);
        }
    }

    void cleanUpOne() {
        if (!frozen) {
            cleanups.runOne();
        }
    }

    void cleanUp() {
        if (!frozen) {
            cleanups.runAll();
        }
    }

    void checkHoldsNothing() {
        assertThat(harness.inFlight.bytes()).isZero();
        assertThat(harness.batcher.size()).isZero();
    }

    /** The job leaves it, whatever it stores. */
    void leave() {
        harness.batcher.close();
        harness.registry.close();
        harness.deletions.close();
        puts.close();
        timer.shutdown();
        assertThat(harness.fatal).as("errors that would have ended the process").isEmpty();
    }
}
