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

import io.dstl.materializer.MaterializationPolicy.Reason;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Says when a materialization of one task is due. What is then done, and that no two are under way
 * at a time, is the {@link Materializer}'s.
 *
 * <p><b>Order.</b> {@link #start} once; then {@link #ended} after each materialization, and {@link
 * #checkpointed} in between; {@link #close} last, any number of times. After a call of {@code due},
 * a policy waits for {@link #ended} before it calls again. Several policies may share one {@code
 * due}: a call while a materialization is under way has no effect, and each hears of the end of
 * all.
 *
 * <p><b>Threading.</b> The methods are called on the task thread and return at once, but for {@link
 * #urgency}. {@code due} may be run on any thread and returns at once.
 */
public interface MaterializationPolicy extends AutoCloseable {

    /** What a materialization has begun for. */
    enum Reason {
        /** The period is over. */
        PERIOD("startedByPeriod"),
        /** The log has outgrown its share of what is materialized. */
        LOG_SIZE("startedByLogSize"),
        /** To replay the log would take longer than a recovery may. */
        RECOVERY_TARGET("startedByRecoveryTarget");

        private final String metric;

        Reason(String metric) {
            this.metric = MaterializationMetrics.GROUP + metric;
        }

        /** Its counter of materializations. */
        String metric() {
            return metric;
        }
    }

    /** What has become of a materialization. */
    enum Outcome {
        COMPLETED,
        /** It has failed, or found no room. */
        FAILED,
        /** Nothing has changed since the last one. */
        NOTHING_TO_DO
    }

    /** The task runs from now on. */
    void start(Consumer<Reason> due);

    /** A checkpoint has completed, which consists of so much. */
    default void checkpointed(LogSize size) {}

    /**
     * A materialization that was due has ended.
     *
     * @param took from its begin to its end, if it has completed; else zero
     */
    void ended(Outcome outcome, Duration took);

    /**
     * Where several tasks wait for their turn the highest goes first. Policies are compared with
     * each other, so all count in one unit: by how many bytes the log is longer than its limit. Any
     * thread.
     */
    default long urgency() {
        return Long.MIN_VALUE;
    }

    /** The task ends: {@code due} is not called any more. */
    @Override
    void close();

    /** Nothing is ever due. */
    static MaterializationPolicy never() {
        return new MaterializationPolicy() {
            @Override
            public void start(Consumer<Reason> due) {}

            @Override
            public void ended(Outcome outcome, Duration took) {}

            @Override
            public void close() {}
        };
    }

    /**
     * A materialization is due when one of several policies says so. All hear what becomes of it.
     */
    static final class EitherPolicy implements MaterializationPolicy {

        private final List<MaterializationPolicy> policies;

        EitherPolicy(MaterializationPolicy... policies) {
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
        public void ended(Outcome outcome, Duration took) {
            policies.forEach(policy -> policy.ended(outcome, took));
        }

        @Override
        public long urgency() {
            return policies.stream().mapToLong(MaterializationPolicy::urgency).max().orElseThrow();
        }

        @Override
        public void close() {
            policies.forEach(MaterializationPolicy::close);
        }
    }
}
