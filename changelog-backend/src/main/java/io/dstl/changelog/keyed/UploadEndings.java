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

import static java.util.Objects.requireNonNull;

import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes files of uploads, each on a thread of its own, as that may hang with the store. There is a
 * limit for the process: what comes beyond it, or gets no thread, runs on the caller's. Any thread.
 */
final class UploadEndings implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(UploadEndings.class);

    private final Semaphore room;
    private final Function<Runnable, Thread> threads;

    /**
     * @param most threads at a time
     * @param threads makes a thread without starting it
     */
    UploadEndings(int most, Function<Runnable, Thread> threads) {
        this.room = new Semaphore(most);
        this.threads = requireNonNull(threads);
    }

    @Override
    public void execute(Runnable ending) {
        if (!starts(ending)) {
            ending.run();
        }
    }

    private boolean starts(Runnable ending) {
        if (!room.tryAcquire()) {
            LOG.warn(
                    "{} has to close a file of an upload itself, as too many others hang as they"
                            + " are closed. See that the file system of the checkpoints can be"
                            + " reached from here, and restart the TaskManager if they go on to"
                            + " hang",
                    Thread.currentThread().getName());
            return false;
        }
        try {
            threads.apply(() -> run(ending)).start();
            return true;
        } catch (OutOfMemoryError e) {
            room.release();
            LOG.warn(
                    "{} has to close a file of an upload itself, as this process gets no more"
                            + " threads",
                    Thread.currentThread().getName(),
                    e);
            return false;
        }
    }

    private void run(Runnable ending) {
        try {
            ending.run();
        } finally {
            room.release();
        }
    }
}
