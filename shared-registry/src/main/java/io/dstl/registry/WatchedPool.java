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
package io.dstl.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs deletions on as many threads as a pool has. One that hangs is interrupted and left to
 * itself: another thread takes the place of its own until it ends.
 *
 * <p><b>Threading.</b> Any thread; no call blocks.
 */
public final class WatchedPool implements Executor {

    private static final Logger LOG = LoggerFactory.getLogger(WatchedPool.class);

    /** Long enough for the clients of S3 and HDFS to fail first, with an error that says more. */
    public static final Duration ALLOWED = Duration.ofMinutes(10);

    /** More threads that hang are not replaced: the process needs some for other work. */
    private static final int MOST_REPLACED = 64;

    private final ThreadPoolExecutor pool;
    private final ScheduledExecutorService timer;

    /** Without those in the place of others. */
    @GuardedBy("this")
    private int threads;

    @GuardedBy("this")
    private int hanging;

    /**
     * @param pool with a queue without a limit; nobody else sets its size
     * @param timer not shut down before the pool has ended
     */
    public WatchedPool(ThreadPoolExecutor pool, ScheduledExecutorService timer) {
        this.pool = pool;
        this.timer = timer;
        this.threads = pool.getCorePoolSize();
        pool.setMaximumPoolSize(Integer.MAX_VALUE);
    }

    @Override
    public void execute(Runnable work) {
        pool.execute(new Deletion(work));
        adapt();
    }

    synchronized void resize(int newThreads) {
        threads = newThreads;
        adapt();
    }

    /** Does not throw: what is queued runs, if by fewer threads. */
    private synchronized void adapt() {
        int before = pool.getCorePoolSize();
        int now = threads + Math.min(hanging, MOST_REPLACED);
        if (now == before) {
            return;
        }
        try {
            pool.setCorePoolSize(now);
        } catch (Throwable t) {
            LOG.debug("There are no more threads for deletions", t);
            pool.setCorePoolSize(before);
        }
    }

    /** Its state is guarded by the lock of its pool. */
    private final class Deletion implements Runnable {
        private final Runnable work;
        private boolean hangs;
        private boolean ended;

        Deletion(Runnable work) {
            this.work = work;
        }

        @Override
        public void run() {
            Future<?> limit = limit(Thread.currentThread());
            try {
                work.run();
            } finally {
                limit.cancel(false);
                end();
            }
        }

        private Future<?> limit(Thread thread) {
            try {
                return timer.schedule(
                        () -> giveUp(thread), ALLOWED.toMillis(), TimeUnit.MILLISECONDS);
            } catch (Throwable t) {
                LOG.debug("A deletion runs without a limit", t);
                return CompletableFuture.completedFuture(null);
            }
        }

        private void giveUp(Thread thread) {
            synchronized (WatchedPool.this) {
                if (ended) {
                    return;
                }
                hangs = true;
                hanging++;
                thread.interrupt();
                adapt();
            }
            LOG.warn(
                    "A deletion by thread {} has taken {}: it is interrupted, and others go on. See"
                            + " that the file system can be reached from here",
                    thread.getName(),
                    ALLOWED);
        }

        private void end() {
            synchronized (WatchedPool.this) {
                ended = true;
                if (hangs) {
                    // What it has not noticed is not for the next deletion of its thread.
                    Thread.interrupted();
                    hanging--;
                    adapt();
                }
            }
        }
    }
}
