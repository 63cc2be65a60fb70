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
package io.dstl.materializer;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Runs what it was given when the test says so, on the test's thread. */
final class QueuedExecutor implements Executor {

    private final Queue<Runnable> commands = new ArrayDeque<>();
    private boolean shutDown;

    @Override
    public void execute(Runnable command) {
        if (shutDown) {
            throw new RejectedExecutionException("shut down");
        }
        commands.add(command);
    }

    int size() {
        return commands.size();
    }

    void runAll() {
        while (!commands.isEmpty()) {
            commands.remove().run();
        }
    }

    void shutDown() {
        shutDown = true;
    }
}
