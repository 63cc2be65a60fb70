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
package io.dstl.store.s3;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The threads of OkHttp's dispatcher: a request for which there is none is refused, whatever the
 * cause. On anything but a {@link RejectedExecutionException} the dispatcher (4.12) drops all
 * requests that wait in it, and nobody hears of them: a moment in which the machine starts no
 * thread would leave puts that never end. Any thread.
 */
final class RequestThreads extends AbstractExecutorService {

    private final ExecutorService threads;

    /**
     * @param threads start one for each request, or throw; not owned
     */
    RequestThreads(ExecutorService threads) {
        this.threads = threads;
    }

    @Override
    public void execute(Runnable request) {
        try {
            threads.execute(request);
        } catch (RejectedExecutionException e) {
            throw e;
        } catch (Throwable t) {
            throw new RejectedExecutionException("There is no thread for a request to S3", t);
        }
    }

    @Override
    public void shutdown() {
        threads.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return threads.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return threads.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return threads.isTerminated();
    }

    @Override
    public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
        return threads.awaitTermination(time, unit);
    }
}
