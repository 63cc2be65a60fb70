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
package io.dstl.fs.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;

/** Runs tasks when told to, in random order. */
final class RandomExecutor implements Executor {

    private final List<Runnable> tasks = new ArrayList<>();
    private final Random random;

    RandomExecutor(Random random) {
        this.random = random;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    void runOne() {
        if (!tasks.isEmpty()) {
            tasks.remove(random.nextInt(tasks.size())).run();
        }
    }

    void runAll() {
        while (!tasks.isEmpty()) {
            runOne();
        }
    }
}
