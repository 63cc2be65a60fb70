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
package io.dstl.changelog.keyed;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import org.apache.flink.util.clock.Clock;
import org.apache.flink.util.clock.SystemClock;
import org.apache.flink.util.concurrent.ExecutorThreadFactory;

/**
 * Where this module meets real time and real chance.
 *
 * <p>One timer thread serves all backends of the process, however many tasks it runs: it only posts
 * mails. It is a daemon and lives as long as the classes do.
 */
final class SystemScheduler {

    private SystemScheduler() {}

    static ScheduledExecutorService shared() {
        return Timer.INSTANCE;
    }

    static Clock clock() {
        return SystemClock.getInstance();
    }

    /** Draws from [0, 1). */
    static DoubleSupplier uniform() {
        return () -> ThreadLocalRandom.current().nextDouble();
    }

    /** Started with the first backend. */
    private static final class Timer {
        static final ScheduledExecutorService INSTANCE = create();

        private static ScheduledExecutorService create() {
            ScheduledThreadPoolExecutor timer =
                    new ScheduledThreadPoolExecutor(
                            1, new ExecutorThreadFactory("dstl-materialization-timer"));
            timer.setRemoveOnCancelPolicy(true);
            return timer;
        }
    }
}
