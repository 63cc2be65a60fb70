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

import io.dstl.changelog.keyed.LoggedKeyedStateBackend;
import io.dstl.changelog.keyed.LoggedKeyedStateBackendBuilder;
import org.apache.flink.runtime.state.StateBackend;

/**
 * The changelog is on: keyed state lives in the delegate, and each change of it goes to the log as
 * well.
 */
public abstract class ActivatedBackend extends ChangelogBackend {

    private static final long serialVersionUID = 1L;

    protected ActivatedBackend(StateBackend delegate) {
        super(delegate);
    }

    @Override
    public <K> LoggedKeyedStateBackend<K> createKeyedStateBackend(
            KeyedStateBackendParameters<K> parameters) throws Exception {
        return new LoggedKeyedStateBackendBuilder<>(getDelegatedStateBackend(), parameters).build();
    }

    /** A full checkpoint is a snapshot of the delegate, so what it supports is what counts. */
    @Override
    public boolean supportsNoClaimRestoreMode() {
        return getDelegatedStateBackend().supportsNoClaimRestoreMode();
    }
}
