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

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;

/**
 * The upload of one materialization, and who answers for what it makes. It ends, and the task takes
 * its result over; or the task gives it up first, and the thread that runs it has to discard what
 * it makes all the same. Whichever comes first wins, so a result is taken or discarded, and once.
 *
 * <p>Thread-safe.
 */
final class Upload {

    private enum State {
        WAITING,
        RUNNING,
        ENDED,
        GIVEN_UP
    }

    private final Materialization materialization;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    private volatile Optional<SnapshotResult<KeyedStateHandle>> result = Optional.empty();

    Upload(Materialization materialization) {
        this.materialization = requireNonNull(materialization);
    }

    Materialization materialization() {
        return materialization;
    }

    /** Without effect if it has been given up. */
    void begin() {
        state.compareAndSet(State.WAITING, State.RUNNING);
    }

    boolean isRunning() {
        return state.get() == State.RUNNING;
    }

    /**
     * The upload has succeeded.
     *
     * @return false if nobody wants the result, which is the caller's to discard
     */
    boolean end(SnapshotResult<KeyedStateHandle> made) {
        result = Optional.of(made);
        return end();
    }

    /**
     * The upload has come to nothing.
     *
     * @return false if nobody wants to know
     */
    boolean end() {
        return state.compareAndSet(State.RUNNING, State.ENDED);
    }

    /**
     * @return false if it has ended: its {@link #result} is the caller's
     */
    boolean giveUp() {
        return state.compareAndSet(State.RUNNING, State.GIVEN_UP)
                || state.compareAndSet(State.WAITING, State.GIVEN_UP);
    }

    /** Of an upload that has ended; empty if it has failed. */
    Optional<SnapshotResult<KeyedStateHandle>> result() {
        return result;
    }

    @Override
    public String toString() {
        return materialization.toString();
    }
}
