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

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.replay.RestoreProgress;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackend.KeyedStateBackendParameters;

/**
 * Makes a delegate with its materialized state, and tells how far that is.
 *
 * <p>Threading: the task thread.
 */
final class BaseRestore<K> {
    private final StateBackend delegateBackend;
    private final KeyedStateBackendParameters<K> parameters;
    private final CloseableRegistry cancellation;

    /**
     * @param cancellation ends the check of the schemas soon after it is closed
     */
    BaseRestore(
            StateBackend delegateBackend,
            KeyedStateBackendParameters<K> parameters,
            CloseableRegistry cancellation) {
        this.delegateBackend = requireNonNull(delegateBackend);
        this.parameters = requireNonNull(parameters);
        this.cancellation = requireNonNull(cancellation);
    }

    /**
     * @return a delegate, which the caller disposes of
     * @throws IllegalStateException if it cannot be used with a changelog
     */
    AbstractKeyedStateBackend<K> restore(List<KeyedStateHandle> bases, RestoreProgress progress)
            throws Exception {
        new RestoredSchemas(
                        parameters.getOperatorIdentifier(),
                        parameters.getEnv().getUserCodeClassLoader().asClassLoader(),
                        cancellation)
                .check(bases);
        progress.baseBegins(
                bases.stream().mapToLong(KeyedStateHandle::getStateSize).sum(), onDisk(bases));
        CheckpointableKeyedStateBackend<K> delegate =
                delegateBackend.createKeyedStateBackend(
                        new KeyedStateBackendParametersImpl<>(parameters).setStateHandles(bases));
        if (delegate instanceof AbstractKeyedStateBackend) {
            progress.baseRestored();
            return (AbstractKeyedStateBackend<K>) delegate;
        }
        delegate.dispose();
        throw new IllegalStateException(
                "state.backend.type: the keyed state backend "
                        + delegate.getClass().getName()
                        + " cannot be used with state.changelog.enabled: true, as it is not an"
                        + " AbstractKeyedStateBackend. Use rocksdb or hashmap, or disable the"
                        + " changelog.");
    }

    /** Files that are taken as they are. What is read and written anew has another size. */
    private LongSupplier onDisk(List<KeyedStateHandle> bases) {
        DelegateSupport support = DelegateSupport.get();
        return support.isRaw(delegateBackend)
                        && bases.stream().allMatch(IncrementalKeyedStateHandle.class::isInstance)
                ? support.bytesOfNext(
                        delegateBackend, parameters.getEnv(), parameters.getOperatorIdentifier())
                : () -> 0;
    }
}
