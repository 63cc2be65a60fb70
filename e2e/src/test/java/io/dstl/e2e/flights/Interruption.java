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
package io.dstl.e2e.flights;

import io.dstl.e2e.flights.input.Flight;
import io.dstl.e2e.flights.source.Pace;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Stops the job midway without a clock: the readers hold at a row until a checkpoint of what came
 * before it has been completed, and then the test, or a failure, takes over.
 *
 * <p>Its parts find each other by name, since they are serialized on their way to the tasks.
 */
final class Interruption {
    private static final Map<String, Interruption> BY_NAME = new ConcurrentHashMap<>();

    /** How many rows the readers pass before they hold. */
    private static final long ROWS_BEFORE = 2_000;

    /** How many of them each of two subtasks has at least seen when it counts as midway. */
    private static final long FLIGHTS_BEFORE = 500;

    private final String name;
    private final boolean fails;
    private final CompletableFuture<Void> checkpointed = new CompletableFuture<>();
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    private Interruption(String name, boolean fails) {
        this.name = name;
        this.fails = fails;
        BY_NAME.put(name, this);
    }

    /** A task fails right after the checkpoint; then the readers go on. */
    static Interruption byFailure(String name) {
        return new Interruption(name, true);
    }

    /** The readers hold for good; the test has to cancel the job. */
    static Interruption byTheTest(String name) {
        return new Interruption(name, false);
    }

    /** Completes when the checkpoint has been completed. */
    CompletableFuture<Void> checkpointed() {
        return checkpointed;
    }

    Pace.Starter pace() {
        String sameName = name;
        return () -> new HeldPace(BY_NAME.get(sameName));
    }

    /** Watches over checkpoints from between the source and the rest. */
    DataStream<Flight> watch(DataStream<Flight> flights) {
        return flights.map(new Watch(name)).uid("watch");
    }

    private void completed() {
        if (checkpointed.complete(null) && fails) {
            released.complete(null);
            throw new IllegalStateException("asked to fail");
        }
    }

    private static final class HeldPace implements Pace {
        private final Interruption interruption;

        HeldPace(Interruption interruption) {
            this.interruption = interruption;
        }

        @Override
        public boolean permits(long passed) {
            return passed < ROWS_BEFORE || interruption.released.isDone();
        }

        @Override
        public CompletableFuture<Void> pause() {
            return interruption.released;
        }
    }

    private static final class Watch
            implements MapFunction<Flight, Flight>, CheckpointedFunction, CheckpointListener {
        private final String name;
        private transient long passed;
        private transient long firstMidway;

        Watch(String name) {
            this.name = name;
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {
            firstMidway = Long.MAX_VALUE;
        }

        @Override
        public Flight map(Flight flight) {
            passed++;
            return flight;
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) {
            if (passed >= FLIGHTS_BEFORE) {
                firstMidway = Math.min(firstMidway, context.getCheckpointId());
            }
        }

        @Override
        public void notifyCheckpointComplete(long checkpointId) {
            if (checkpointId >= firstMidway) {
                BY_NAME.get(name).completed();
            }
        }
    }
}
