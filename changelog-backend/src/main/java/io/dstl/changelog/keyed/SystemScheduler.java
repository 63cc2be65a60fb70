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

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.apache.flink.util.clock.Clock;
import org.apache.flink.util.clock.SystemClock;
import org.apache.flink.util.concurrent.ExecutorThreadFactory;

/**
 * Where this module meets real time, real chance and real threads.
 *
 * <p>One timer thread serves all backends of the process, however many tasks it runs: it only posts
 * mails. As many threads as there are processors upload materializations and delete what nobody
 * refers to; more would wait for the same network. All are daemons, and none keeps the class loader
 * of the job that happened to start it.
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

    /** Runs what takes long and nobody waits for; first come, first served. */
    static Executor background() {
        return Background.INSTANCE;
    }

    private static ThreadFactory threads(String name) {
        ThreadFactory factory = new ExecutorThreadFactory(name);
        return work -> {
            Thread thread = factory.newThread(work);
            thread.setContextClassLoader(SystemScheduler.class.getClassLoader());
            return thread;
        };
    }

    /** Started with the first backend. */
    private static final class Timer {
        static final ScheduledExecutorService INSTANCE = create();

        private static ScheduledExecutorService create() {
            ScheduledThreadPoolExecutor timer =
                    new ScheduledThreadPoolExecutor(1, threads("dstl-materialization-timer"));
            timer.setRemoveOnCancelPolicy(true);
            return timer;
        }
    }

    /** Started with the first materialization. */
    private static final class Background {
        static final Executor INSTANCE = create();

        private static Executor create() {
            int processors = Runtime.getRuntime().availableProcessors();
            ThreadPoolExecutor pool =
                    new ThreadPoolExecutor(
                            processors,
                            processors,
                            60,
                            TimeUnit.SECONDS,
                            new LinkedBlockingQueue<>(),
                            threads("dstl-materialization"));
            pool.allowCoreThreadTimeOut(true);
            return pool;
        }
    }
}
