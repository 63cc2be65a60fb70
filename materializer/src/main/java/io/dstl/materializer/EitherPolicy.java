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

/** A materialization is due when one of several policies says so. All hear what becomes of it. */
final class EitherPolicy implements MaterializationPolicy {

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
