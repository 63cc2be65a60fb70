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

import io.dstl.changelog.keyed.DelegateRestore;
import io.dstl.changelog.keyed.RestoredDelegate;
import java.util.Set;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.StateBackend;

/**
 * The changelog is off, but the checkpoint to restore was taken with it: the log is replayed into
 * the delegate, which then goes on by itself. Its next checkpoint holds no log any more.
 */
public abstract class DeactivatedBackend extends ChangelogBackend {

    private static final long serialVersionUID = 1L;

    protected DeactivatedBackend(StateBackend delegate) {
        super(delegate);
    }

    @Override
    public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
            KeyedStateBackendParameters<K> parameters) throws Exception {
        RestoredDelegate<K> restored =
                DelegateRestore.leavingChangelog(getDelegatedStateBackend(), parameters).restore();
        Set<String> incomplete = restored.states().statesWithDeferredMerges();
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

    /** The delegate takes over with the first checkpoint, so what it supports is what counts. */
    @Override
    public boolean supportsNoClaimRestoreMode() {
        return getDelegatedStateBackend().supportsNoClaimRestoreMode();
    }
}
