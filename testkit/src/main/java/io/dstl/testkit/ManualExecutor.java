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
package io.dstl.testkit;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Runs what it is given when it is told to, on the thread of the test. */
public final class ManualExecutor implements Executor {

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean shutDown;
    private Optional<Error> failure = Optional.empty();
    private boolean takesWhatFails;

    @Override
    public void execute(Runnable task) {
        if (shutDown) {
            throw new RejectedExecutionException("the executor is shut down");
        }
        if (failure.isPresent()) {
            Error once = failure.get();
            failure = Optional.empty();
            if (takesWhatFails) {
                tasks.add(task);
            }
            throw once;
        }
        tasks.add(task);
    }

    public int size() {
        return tasks.size();
    }

    public void runNext() {
        tasks.remove().run();
    }

    /** Also what is added meanwhile. */
    public void runAll() {
        while (!tasks.isEmpty()) {
            runNext();
        }
    }

    /** The next task fails with this, as one for which no thread can be started. */
    public void failNext(Error error) {
        failNext(error, false);
    }

    /**
     * @param isTaken whether it is run all the same, as a pool may do that fails after its queue
     *     has the task
     */
    public void failNext(Error error, boolean isTaken) {
        failure = Optional.of(error);
        takesWhatFails = isTaken;
    }

    /** From now on every task is rejected; those that wait still run when they are told to. */
    public void shutDown() {
        shutDown = true;
    }
}
