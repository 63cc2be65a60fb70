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
package io.dstl.changelog.bulk;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * What the task thread has handed over to the partitions' threads, and they have not taken: bounded
 * in bytes, for all of them together. And the first failure of any of them, which ends all.
 *
 * <p>Any thread, but for one that hands over.
 */
final class HandedOver {
    private final int limit;
    private final Semaphore free;

    private volatile Throwable failure;
    private volatile String failed;

    /**
     * @param limit in bytes; what is larger is handed over when nothing else is
     */
    HandedOver(int limit) {
        this.limit = limit;
        this.free = new Semaphore(limit);
    }

    /** Whether there is room for so many bytes, or is within this time; they are in it then. */
    boolean enter(long bytes, long millis) throws InterruptedException {
        return free.tryAcquire(share(bytes), millis, TimeUnit.MILLISECONDS);
    }

    /** They are taken. */
    void leave(long bytes) {
        free.release(share(bytes));
    }

    private int share(long bytes) {
        return (int) Math.min(limit, bytes);
    }

    /**
     * @param thread by its name
     */
    void fail(String thread, Throwable cause) {
        failed = thread;
        failure = cause;
    }

    /** Throws what one of the threads has failed with. */
    void check() throws IOException {
        Throwable first = failure;
        if (first instanceof IOException) {
            throw (IOException) first;
        }
        if (first instanceof Error) {
            // Whoever has to end the process for one asks for its class.
            throw (Error) first;
        }
        if (first != null) {
            throw new IOException(failed + " has failed: " + first, first);
        }
    }
}
