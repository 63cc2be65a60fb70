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
package io.dstl.tools.inspect;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Does the same for many things, some at a time. Owns its threads, which end with it.
 *
 * <p>Memory: the things themselves are the caller's; as many results wait as there are threads.
 */
final class Lanes implements AutoCloseable {
    private final ExecutorService threads;
    private final int count;

    Lanes(int count) {
        this.count = count;
        AtomicInteger number = new AtomicInteger();
        this.threads =
                Executors.newFixedThreadPool(
                        count,
                        task -> {
                            Thread thread = new Thread(task, "inspect-" + number.incrementAndGet());
                            thread.setDaemon(true);
                            return thread;
                        });
    }

    /** What is done with a thing, on one of the threads. */
    interface Step<T, R> {
        R apply(T thing) throws Exception;
    }

    /** Takes results on the caller's thread, in the order of the things. */
    interface Taker<R> {
        void take(R result) throws Exception;
    }

    /**
     * @throws Exception the first failure of a step; later things are not begun then
     */
    <T, R> void forEach(Iterator<T> things, Step<T, R> step, Taker<R> taker) throws Exception {
        List<Future<R>> running = new ArrayList<>();
        while (things.hasNext() || !running.isEmpty()) {
            while (things.hasNext() && running.size() < count) {
                T thing = things.next();
                running.add(threads.submit(() -> step.apply(thing)));
            }
            taker.take(resultOf(running.remove(0)));
        }
    }

    private static <R> R resultOf(Future<R> future) throws Exception {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception ? (Exception) e.getCause() : e;
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
