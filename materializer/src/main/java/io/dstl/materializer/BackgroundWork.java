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

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A part of one materialization that another thread than the task's does. It ends, or the task
 * gives it up first, and whichever comes first wins.
 *
 * <p>Thread-safe.
 */
abstract class BackgroundWork {

    private enum State {
        WAITING,
        RUNNING,
        ENDED,
        GIVEN_UP
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /** Another number whenever it has got any further. */
    abstract long steps();

    /**
     * What it was given up for: it got nowhere for so long.
     *
     * @param task whose it is
     */
    abstract TimeoutException silence(String task, Duration allowed);

    /**
     * @return false, and without effect, if it has been given up
     */
    final boolean begin() {
        return state.compareAndSet(State.WAITING, State.RUNNING);
    }

    final boolean isRunning() {
        return state.get() == State.RUNNING;
    }

    /**
     * @return false if nobody wants to know
     */
    final boolean end() {
        return state.compareAndSet(State.RUNNING, State.ENDED);
    }

    /**
     * @return false if it has ended
     */
    final boolean giveUp() {
        return state.compareAndSet(State.RUNNING, State.GIVEN_UP)
                || state.compareAndSet(State.WAITING, State.GIVEN_UP);
    }
}
