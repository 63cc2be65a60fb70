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
package io.dstl.tools.cli;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.util.function.BiConsumerWithException;
import org.apache.flink.util.function.FunctionWithException;

/**
 * Does the same for many things on a number of threads, and hands the results out in the order of
 * the things, on the caller's thread.
 *
 * <p>Owns the threads, which end when it is closed, and never keep the process alive. Takes a
 * bounded number of things ahead, so that results don't pile up behind a slow one. For one thread.
 */
public final class ParallelWork implements AutoCloseable {
    private static final int MOST_THREADS = 256;

    /** Results that wait, at most, for each thread. */
    static final int AHEAD_OF_EACH_THREAD = 64;

    private final Progress progress;
    private final int mostUnderWay;
    private final ExecutorService threads;

    /**
     * @param name of the threads
     * @param progress asked to show itself after each result, and while the caller waits
     */
    public ParallelWork(String name, int threads, Progress progress) {
        this(name, threads, AHEAD_OF_EACH_THREAD, progress);
    }

    private ParallelWork(String name, int threads, int aheadOfEach, Progress progress) {
        this.progress = progress;
        this.mostUnderWay = threads * aheadOfEach;
        AtomicInteger number = new AtomicInteger();
        this.threads =
                Executors.newFixedThreadPool(
                        threads,
                        task -> {
                            String ofOne = name + "-" + number.incrementAndGet();
                            Thread thread = new Thread(task, ofOne);
                            thread.setDaemon(true);
                            return thread;
                        });
    }

    /** Of things with large results: no more of them are held than there are threads. */
    public static ParallelWork withoutWaitingResults(String name, int threads, Progress progress) {
        return new ParallelWork(name, threads, 1, progress);
    }

    /**
     * The value of {@code --threads}.
     *
     * @throws CommandFailure with argument, value and remedy if it is out of bounds
     */
    public static int checked(int threads) throws CommandFailure {
        if (threads < 1 || threads > MOST_THREADS) {
            throw CommandFailure.usage(
                    "--threads is " + threads + ": give a number from 1 to " + MOST_THREADS);
        }
        return threads;
    }

    /**
     * @param things asked for the next one when there is room for it
     * @param step what is done with a thing, on one of the threads
     * @param taker takes a thing and its result, on the caller's thread
     * @throws Exception the first failure of a step; later things may have begun, none is taken
     */
    public <T, R> void forEach(
            Iterator<T> things,
            FunctionWithException<T, R, Exception> step,
            BiConsumerWithException<T, R, Exception> taker)
            throws Exception {
        Deque<UnderWay<T, R>> underWay = new ArrayDeque<>();
        while (things.hasNext()) {
            T thing = things.next();
            underWay.add(new UnderWay<>(thing, threads.submit(() -> step.apply(thing))));
            if (underWay.size() == mostUnderWay) {
                takeNext(underWay, taker);
            }
        }
        while (!underWay.isEmpty()) {
            takeNext(underWay, taker);
        }
    }

    private <T, R> void takeNext(
            Deque<UnderWay<T, R>> underWay, BiConsumerWithException<T, R, Exception> taker)
            throws Exception {
        UnderWay<T, R> next = underWay.remove();
        taker.accept(next.thing, await(next.result));
        progress.show();
    }

    private <R> R await(Future<R> result) throws Exception {
        while (true) {
            try {
                return result.get(progress.untilNextMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                progress.show();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception ? (Exception) e.getCause() : e;
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    private static final class UnderWay<T, R> {
        private final T thing;
        private final Future<R> result;

        UnderWay(T thing, Future<R> result) {
            this.thing = thing;
            this.result = result;
        }
    }
}
