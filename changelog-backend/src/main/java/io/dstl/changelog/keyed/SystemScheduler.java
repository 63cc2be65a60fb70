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

import io.dstl.materializer.MaterializationTurns;
import io.dstl.materializer.ReplayRate;
import io.dstl.materializer.StallWatch;
import io.dstl.materializer.UploadLane;
import io.dstl.registry.TimerThread;
import io.dstl.registry.WatchedPool;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.util.FatalExitExceptionHandler;
import org.apache.flink.util.clock.Clock;
import org.apache.flink.util.clock.SystemClock;

/**
 * Binds this module to real time, real chance and real threads.
 *
 * <p>One timer thread serves all backends of the process, however many tasks it runs, and runs
 * nothing that blocks. It calls for materializations and passes turns on; finds uploads, deletions
 * and checkpoints that take too long; queues deletions after their pause; logs the progress of long
 * restores; ends the pauses of replays and of flushes; and starts the warm-up. Uploads and
 * deletions run on the threads of {@link JobBulkheads}: as many as there are processors, but at
 * least four, and one for each job, as more would wait for the same network. All threads are
 * daemons. None keeps the class loader of the job that happened to start it, neither as its context
 * nor through the inheritable variables or the stack of the starting thread.
 */
final class SystemScheduler {
    /** The name of threads that end what may hang. */
    static final String GIVE_UP = "dstl-give-up";

    /** A few more waiting threads cost little. */
    private static final int LEAST_THREADS = 4;

    private static final int THREADS =
            Math.max(LEAST_THREADS, Runtime.getRuntime().availableProcessors());

    private static final JobBulkheads UPLOADS =
            new JobBulkheads(
                    "dstl-materialization",
                    THREADS,
                    THREADS,
                    THREADS,
                    SystemScheduler::thread,
                    shared());

    /** A task needs less time than this for a record or a timer. */
    private static final Duration TURN_PATIENCE = Duration.ofSeconds(5);

    /** The other half of the processors is for the tasks, which run meanwhile. */
    private static final MaterializationTurns<JobID> TURNS =
            new MaterializationTurns<>(
                    Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                    TURN_PATIENCE,
                    shared());

    private static final ReplayRate REPLAY_RATE = new ReplayRate();
    private static final BackgroundLoad BACKGROUND_LOAD =
            new BackgroundLoad(Runtime.getRuntime().availableProcessors(), clock());
    private static final RestoreWatch.Turns RESTORE_TURNS = new RestoreWatch.Turns();

    /** One thread for a job: deletions are short, and nobody waits for them. */
    private static final JobBulkheads DELETIONS =
            new JobBulkheads(
                    "dstl-materialization-deletion",
                    THREADS,
                    1,
                    Integer.MAX_VALUE,
                    SystemScheduler::thread,
                    shared());

    /** The threads that deletions which hang may keep: the process needs some for other work. */
    private static final Semaphore HANGING_DELETIONS = new Semaphore(64);

    /** The threads that streams which hang as they are closed may keep, as with deletions. */
    private static final int HANGING_ENDINGS = 64;

    private static final UploadEndings UPLOAD_ENDINGS =
            new UploadEndings(HANGING_ENDINGS, ending -> thread(GIVE_UP, ending));

    private SystemScheduler() {}

    static ScheduledExecutorService shared() {
        return SharedTimer.INSTANCE;
    }

    static Clock clock() {
        return SystemClock.getInstance();
    }

    /** Draws from [0, 1). */
    static DoubleSupplier uniform() {
        return () -> ThreadLocalRandom.current().nextDouble();
    }

    /** Names of files, as Flink draws them. */
    static Supplier<String> names() {
        return () -> UUID.randomUUID().toString();
    }

    /** Gives up hanging uploads of one task. */
    static StallWatch stallWatch() {
        return new StallWatch(WatchedPool.ALLOWED, shared());
    }

    /** Uploads materializations of the job, which take turns with those of all jobs. */
    static UploadLane uploads(JobID job) {
        return new UploadLane() {
            @Override
            public Ticket submit(Runnable upload) {
                return UPLOADS.submit(job, upload);
            }

            @Override
            public Turn turn(LongSupplier urgency) {
                return TURNS.of(job, urgency);
            }
        };
    }

    /** The rate at which this process has replayed logs. */
    static ReplayRate replayRate() {
        return REPLAY_RATE;
    }

    /** What the tasks of this process replay while they run. */
    static BackgroundLoad backgroundLoad() {
        return BACKGROUND_LOAD;
    }

    /** The turns of all restores of this process. */
    static RestoreWatch.Turns restoreTurns() {
        return RESTORE_TURNS;
    }

    /** Deletes files of the job, one after the other. */
    static Executor deletions(JobID job) {
        return new WatchedDeletions(
                job,
                deletion -> DELETIONS.submit(job, deletion),
                shared(),
                WatchedPool.ALLOWED,
                HANGING_DELETIONS);
    }

    /** Closes streams of uploads, and does not wait for the store. */
    static Executor uploadEndings() {
        return UPLOAD_ENDINGS;
    }

    /** Keeps the calling thread for {@link SnapshotPreparation#PAUSE}. */
    static void pause() throws InterruptedException {
        CountDownLatch timeUp = new CountDownLatch(1);
        long millis = SnapshotPreparation.PAUSE.toMillis();
        shared().schedule(timeUp::countDown, millis, TimeUnit.MILLISECONDS);
        timeUp.await();
    }

    /** Makes a thread without starting it. An uncaught exception ends the process, as in Flink. */
    static Thread thread(String name, Runnable work) {
        Thread thread =
                AccessController.doPrivileged(
                        (PrivilegedAction<Thread>) () -> new Thread(null, work, name, 0, false));
        thread.setDaemon(true);
        thread.setContextClassLoader(SystemScheduler.class.getClassLoader());
        thread.setUncaughtExceptionHandler(FatalExitExceptionHandler.INSTANCE);
        return thread;
    }

    /** Starts with the first backend, or earlier with the warm-up. */
    private static final class SharedTimer {
        static final ScheduledExecutorService INSTANCE =
                TimerThread.named("dstl-materialization-timer");
    }
}
