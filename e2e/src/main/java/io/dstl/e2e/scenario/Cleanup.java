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
package io.dstl.e2e.scenario;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a run has started and must stop, whatever ends it: its own end, a failure or Ctrl-C.
 *
 * <p>Stops in reverse order, each once. Thread-safe: a shutdown hook may run it while the scenario
 * still starts things; what comes too late is stopped at once.
 */
public final class Cleanup implements AutoCloseable {
    @GuardedBy("this")
    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean closed;

    /** Hands the thing over; returns it. */
    public synchronized <T extends AutoCloseable> T add(T thing) throws Exception {
        if (closed) {
            thing.close();
            throw new IllegalStateException("the run is being stopped");
        }
        started.push(thing);
        return thing;
    }

    /** Stops that one now. */
    public synchronized void closeNow(AutoCloseable thing) throws Exception {
        if (started.remove(thing)) {
            thing.close();
        }
    }

    @Override
    public synchronized void close() throws Exception {
        closed = true;
        Exception first = null;
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
