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
package io.dstl.changelog.keyed;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.Executor;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;

/** A keyed backend that materializes when the test says so. */
public final class SteeredBackend<K> {

    private final LoggedKeyedStateBackend<K> backend;
    private final ManualPolicy policy;

    private SteeredBackend(LoggedKeyedStateBackend<K> backend, ManualPolicy policy) {
        this.backend = requireNonNull(backend);
        this.policy = requireNonNull(policy);
    }

    /**
     * @param uploads runs the asynchronous part of a materialization
     */
    public static <K> SteeredBackend<K> create(
            StateBackend delegate, KeyedStateBackendParameters<K> parameters, Executor uploads)
            throws Exception {
        ManualPolicy policy = new ManualPolicy();
        return new SteeredBackend<>(
                new LoggedKeyedStateBackendBuilder<>(delegate, parameters)
                        .with(policy, uploads)
                        .build(),
                policy);
    }

    public AbstractKeyedStateBackend<K> backend() {
        return backend;
    }

    public void materialize() {
        policy.materialize();
    }
}
