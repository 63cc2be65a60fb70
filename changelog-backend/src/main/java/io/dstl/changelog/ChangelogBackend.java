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
package io.dstl.changelog;

import static java.util.Objects.requireNonNull;

import io.dstl.changelog.delegate.FlinkVersion;
import io.dstl.changelog.keyed.DelegateRestore;
import io.dstl.changelog.keyed.LoggedKeyedStateBackend;
import io.dstl.changelog.keyed.LoggedKeyedStateBackendBuilder;
import io.dstl.changelog.keyed.RestoredDelegate;
import java.util.Set;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AsyncKeyedStateBackend;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.delegate.DelegatingStateBackend;

/**
 * The base of both entry classes: a backend around the delegate, the backend that keeps the state.
 *
 * <p>Owns only the delegate. Operator state, broadcast state, managed memory and savepoint formats
 * are the delegate's business and pass through untouched.
 */
public abstract class ChangelogBackend implements DelegatingStateBackend, ConfigurableStateBackend {
    private static final String FORST = "org.apache.flink.state.forst.";

    private static final long serialVersionUID = 1L;

    private final StateBackend delegate;

    ChangelogBackend(StateBackend delegate) {
        requireNonNull(delegate, "delegate");
        if (delegate instanceof ChangelogBackend) {
            throw new IllegalArgumentException(
                    "A changelog backend cannot be the delegate of another: "
                            + delegate.getClass().getName());
        }
        this.delegate = delegate;
    }

    /** The same entry class around another delegate. */
    protected abstract StateBackend around(StateBackend newDelegate);

    @Override
    public StateBackend getDelegatedStateBackend() {
        return delegate;
    }

    @Override
    public StateBackend configure(ReadableConfig config, ClassLoader classLoader) {
        return delegate instanceof ConfigurableStateBackend
                ? around(((ConfigurableStateBackend) delegate).configure(config, classLoader))
                : this;
    }

    @Override
    public OperatorStateBackend createOperatorStateBackend(
            OperatorStateBackendParameters parameters) throws Exception {
        return delegate.createOperatorStateBackend(parameters);
    }

    /**
     * The delegate decides: a full checkpoint is a snapshot of the delegate, and without a
     * changelog the delegate takes over with the first checkpoint.
     */
    @Override
    public boolean supportsNoClaimRestoreMode() {
        return delegate.supportsNoClaimRestoreMode();
    }

    @Override
    public boolean useManagedMemory() {
        return delegate.useManagedMemory();
    }

    @Override
    public boolean supportsSavepointFormat(SavepointFormatType formatType) {
        return delegate.supportsSavepointFormat(formatType);
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + " around " + delegate;
    }

    /** Nobody has tried ForSt's synchronous backend with a log, or the base of another backend. */
    final void refuseForSt(String reason) {
        String delegate = getDelegatedStateBackend().getClass().getName();
        if (delegate.startsWith(FORST)) {
            throw new IllegalStateException(
                    "state.backend.type: ForSt (" + delegate + ") " + reason);
        }
    }

    /**
     * The changelog is on: the delegate keeps the keyed state, and each change of it goes to the
     * log as well.
     */
    public abstract static class Activated extends ChangelogBackend {
        private static final long serialVersionUID = 1L;

        protected Activated(StateBackend delegate) {
            super(delegate);
        }

        @Override
        public <K> LoggedKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws Exception {
            refuseForSt(
                    "cannot be used with state.changelog.enabled: true. Use rocksdb or hashmap, or"
                            + " disable the changelog.");
            return new LoggedKeyedStateBackendBuilder<>(getDelegatedStateBackend(), parameters)
                    .build();
        }

        @Override
        public boolean supportsAsyncKeyedStateBackend() {
            return FlinkVersion.get().hasAsyncState();
        }

        @Override
        public <K> AsyncKeyedStateBackend createAsyncKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws Exception {
            return FlinkVersion.get().asyncView(createKeyedStateBackend(parameters));
        }
    }

    /**
     * The changelog is off, but the checkpoint to restore was taken with it: the log is replayed
     * into the delegate, which then goes on alone. Its next checkpoint contains no log.
     */
    public abstract static class Deactivated extends ChangelogBackend {
        private static final long serialVersionUID = 1L;

        protected Deactivated(StateBackend delegate) {
            super(delegate);
        }

        private void refuseForSt() {
            refuseForSt(
                    "cannot restore a checkpoint that was taken with state.changelog.enabled: true."
                            + " Restore it with rocksdb or hashmap, as it was taken with.");
        }

        @Override
        public <K> AsyncKeyedStateBackend createAsyncKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws Exception {
            // Flink asks the delegate whether it is to be this one: that of ForSt alone says so.
            refuseForSt();
            return super.createAsyncKeyedStateBackend(parameters);
        }

        @Override
        public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws Exception {
            refuseForSt();
            RestoredDelegate<K> restored =
                    DelegateRestore.leavingChangelog(getDelegatedStateBackend(), parameters)
                            .restore();
            Set<String> incomplete = restored.leftovers().statesWithDeferredMerges();
            if (incomplete.isEmpty()) {
                return restored.delegate();
            }
            restored.delegate().dispose();
            throw new IllegalStateException(
                    "state.changelog.enabled: false: the checkpoint's log holds merges of windows that"
                            + " can't be replayed before the user's function is known, in "
                            + incomplete
                            + ". Restore it once with state.changelog.enabled: true, and leave the"
                            + " changelog from a checkpoint or savepoint taken then.");
        }
    }
}
