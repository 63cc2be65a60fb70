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
package io.dstl.tools.verify;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Has objects checked by a number of threads, and hands the findings out in the order in which the
 * objects came, on the caller's thread.
 *
 * <p>Owns the threads, which end when it is closed. Holds a bounded number of objects under way, so
 * that findings don't pile up behind a slow one. For one thread.
 */
final class ParallelChecks implements AutoCloseable {
    private static final int AHEAD_OF_EACH_THREAD = 64;

    private final Function<StoredObject, Finding> check;
    private final Progress progress;
    private final int mostUnderWay;
    private final ExecutorService threads;
    private final Deque<UnderWay> underWay = new ArrayDeque<>();

    /**
     * @param check called by the threads
     * @param progress told of each finding, and asked to show itself while the caller waits
     */
    ParallelChecks(Function<StoredObject, Finding> check, int threads, Progress progress) {
        this.check = check;
        this.progress = progress;
        this.mostUnderWay = threads * AHEAD_OF_EACH_THREAD;
        AtomicInteger number = new AtomicInteger();
        this.threads =
                Executors.newFixedThreadPool(
                        threads,
                        task -> {
                            Thread thread = new Thread(task, "verify-" + number.incrementAndGet());
                            thread.setDaemon(true);
                            return thread;
                        });
    }

    /** Takes what has been found of one object. */
    interface Taker {
        void take(StoredObject object, Finding finding) throws IOException;
    }

    /** Begins with an object; waits for an earlier one where too many are under way. */
    void submit(StoredObject object, Taker taker) throws Exception {
        if (underWay.size() == mostUnderWay) {
            takeNext(taker);
        }
        underWay.add(new UnderWay(object, threads.submit(() -> check.apply(object))));
    }

    /** Waits for all that are under way. */
    void finish(Taker taker) throws Exception {
        while (!underWay.isEmpty()) {
            takeNext(taker);
        }
    }

    private void takeNext(Taker taker) throws Exception {
        UnderWay next = underWay.remove();
        Finding finding = await(next.finding);
        progress.done(next.object);
        taker.take(next.object, finding);
        progress.show();
    }

    private Finding await(Future<Finding> finding) throws InterruptedException {
        while (true) {
            try {
                return finding.get(progress.untilNextMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                progress.show();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    private static final class UnderWay {
        private final StoredObject object;
        private final Future<Finding> finding;

        UnderWay(StoredObject object, Future<Finding> finding) {
            this.object = object;
            this.finding = finding;
        }
    }
}
