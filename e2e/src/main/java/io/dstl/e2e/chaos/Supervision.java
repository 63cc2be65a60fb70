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
package io.dstl.e2e.chaos;

import io.dstl.harness.wait.Await;
import io.dstl.harness.wait.Await.Time;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Lets time pass in a chaos run: until a moment, or until something has come about. Meanwhile the
 * logs are followed, and processes that have ended are started again. For one thread.
 */
final class Supervision {
    /** How long nothing may move: many times what the slowest machine needs. */
    private static final Duration STALL_LIMIT = Duration.ofMinutes(5);

    private static final Duration PACE = Duration.ofMillis(50);

    private final ChaosHost host;
    private final JobHistory history;
    private final FaultInjector injector;
    private final Time time;

    Supervision(ChaosHost host, JobHistory history, FaultInjector injector, Time time) {
        this.host = host;
        this.history = history;
        this.injector = injector;
        this.time = time;
    }

    /** Up to date whenever time has been let pass. */
    JobHistory history() {
        return history;
    }

    Instant now() {
        return time.clock().instant();
    }

    long nanos() {
        return time.nanos();
    }

    /** Returns when {@link #nanos} has reached that. */
    void passUntil(long moment) throws IOException, InterruptedException {
        look();
        while (time.nanos() - moment < 0) {
            time.pause(PACE);
            look();
        }
    }

    void pass(Duration length) throws IOException, InterruptedException {
        passUntil(time.nanos() + length.toNanos());
    }

    /** Asks until there is an answer; gives up when no checkpoint is completed for minutes. */
    <T> T until(String what, Condition<T> condition) throws IOException, InterruptedException {
        return until(what, condition, history::completed);
    }

    /**
     * As {@link #until(String, Condition)}, with another sign that it comes nearer.
     *
     * @param progress changes as long as it does
     */
    <T> T until(String what, Condition<T> condition, LongSupplier progress)
            throws IOException, InterruptedException {
        return new Await(time)
                .until(
                        what,
                        STALL_LIMIT,
                        new Await.Probe<T>() {
                            @Override
                            public Optional<T> ask() throws IOException, InterruptedException {
                                look();
                                return condition.ask();
                            }

                            @Override
                            public long progress() {
                                return progress.getAsLong();
                            }
                        });
    }

    private void look() throws IOException, InterruptedException {
        injector.supervise(now());
        history.read(host.cluster.jobManagerLogs());
    }

    /** Something that may have come about. */
    interface Condition<T> {
        Optional<T> ask() throws IOException, InterruptedException;
    }
}
