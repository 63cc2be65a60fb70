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

import io.dstl.materializer.MaterializationPolicy.Reason;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Decides when a materialization of one task is due. The {@link Materializer} runs it, and never
 * two at a time.
 *
 * <p><b>Order.</b> {@link #start} once; then {@link #ended} after each materialization, and {@link
 * #checkpointed} in between; {@link #close} last, any number of times. After a call of {@code due},
 * a policy waits for {@link #ended} before it calls again. Several policies may share one {@code
 * due}: a call while a materialization is under way has no effect, and all policies are notified of
 * each end.
 *
 * <p><b>Threading.</b> The methods are called on the task thread, except for {@link #urgency}, and
 * return at once. {@code due} may be run on any thread and returns at once.
 */
public interface MaterializationPolicy extends AutoCloseable {

    /** Why a materialization has begun. */
    enum Reason {
        /** The period is over. */
        PERIOD("startedByPeriod"),
        /** The log has outgrown its share of what is materialized. */
        LOG_SIZE("startedByLogSize"),
        /** The replay of the log would take longer than a recovery may. */
        RECOVERY_TARGET("startedByRecoveryTarget");

        private final String metric;

        Reason(String metric) {
            this.metric = MaterializationMetrics.GROUP + metric;
        }

        /** Name of the counter of materializations for this reason. */
        String metric() {
            return metric;
        }
    }

    /** How a materialization ended. */
    enum Outcome {
        COMPLETED,
        /** It failed, or found no room. */
        FAILED,
        /** Nothing has changed since the last one. */
        NOTHING_TO_DO
    }

    /** How long a materialization took, without waits for room in the log. Immutable. */
    final class Took {
        static final Took NOTHING = new Took(Duration.ZERO, Duration.ZERO);

        private final Duration all;
        private final Duration waited;

        /**
         * @param all the log grows meanwhile
         * @param waited of that: for what RocksDB does whether somebody waits or not
         */
        Took(Duration all, Duration waited) {
            this.all = requireNonNull(all);
            this.waited = requireNonNull(waited);
        }

        Duration all() {
            return all;
        }

        /** What it cost. */
        Duration work() {
            return all.minus(waited);
        }
    }

    /** The task runs from now on. */
    void start(Consumer<Reason> due);

    /** A checkpoint of this size has completed. */
    default void checkpointed(LogSize size) {}

    /**
     * A materialization that was due has ended.
     *
     * @param took of a completed materialization; else nothing
     */
    void ended(Outcome outcome, Took took);

    /**
     * Of several tasks that wait for a turn, the one with the highest urgency goes first. All
     * policies count in one unit: the bytes by which the log is longer than its limit. Any thread.
     */
    default long urgency() {
        return Long.MIN_VALUE;
    }

    /** The task ends: {@code due} is not called any more. */
    @Override
    void close();

    /** A policy by which no materialization is ever due. */
    static MaterializationPolicy never() {
        return new AnyPolicy();
    }

    /** Makes a materialization due when any of its policies says so. Notifies all of its end. */
    final class AnyPolicy implements MaterializationPolicy {

        private final List<MaterializationPolicy> policies;

        AnyPolicy(MaterializationPolicy... policies) {
            this.policies = List.of(policies);
        }

        @Override
        public void start(Consumer<Reason> due) {
            policies.forEach(policy -> policy.start(due));
        }

        @Override
        public void checkpointed(LogSize size) {
            policies.forEach(policy -> policy.checkpointed(size));
        }

        @Override
        public void ended(Outcome outcome, Took took) {
            policies.forEach(policy -> policy.ended(outcome, took));
        }

        @Override
        public long urgency() {
            return policies.stream()
                    .mapToLong(MaterializationPolicy::urgency)
                    .max()
                    .orElse(Long.MIN_VALUE);
        }

        @Override
        public void close() {
            policies.forEach(MaterializationPolicy::close);
        }
    }
}
