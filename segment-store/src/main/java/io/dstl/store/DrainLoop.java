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
package io.dstl.store;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs a step again and again, on one thread at a time, until nothing has changed since its last
 * run began.
 *
 * <p><b>Failure.</b> If the step throws (it is out of memory), the loop ends, and the next call
 * begins it anew.
 *
 * <p><b>Threading.</b> Any thread. A call from within the step, or while another thread is in the
 * loop, returns at once. What a caller did before its call is visible to the run after it.
 */
public final class DrainLoop {

    private final Runnable step;

    /** Calls since the last run began; the thread that made it 1 is in the loop. */
    private final AtomicInteger calls = new AtomicInteger();

    public DrainLoop(Runnable step) {
        this.step = step;
    }

    /** Something has changed: the step runs once more, here or on the thread in the loop. */
    public void run() {
        if (calls.getAndIncrement() != 0) {
            return;
        }
        try {
            int seen;
            do {
                seen = calls.get();
                step.run();
            } while (calls.addAndGet(-seen) != 0);
        } catch (Throwable t) {
            calls.set(0);
            throw t;
        }
    }
}
