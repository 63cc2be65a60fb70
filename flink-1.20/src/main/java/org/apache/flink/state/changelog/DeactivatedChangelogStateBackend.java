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
package org.apache.flink.state.changelog;

import io.dstl.changelog.ChangelogBackend;
import org.apache.flink.runtime.state.StateBackend;

/**
 * The entry class that Flink's {@code StateBackendLoader} loads, by this very name, when a
 * changelog checkpoint is restored with {@code state.changelog.enabled} set to false. {@link
 * ChangelogBackend.Deactivated} does the work.
 */
public final class DeactivatedChangelogStateBackend extends ChangelogBackend.Deactivated {
    private static final long serialVersionUID = 1L;

    /** Called by Flink, by reflection. */
    public DeactivatedChangelogStateBackend(StateBackend delegate) {
        super(delegate);
    }

    @Override
    protected StateBackend around(StateBackend delegate) {
        return new DeactivatedChangelogStateBackend(delegate);
    }
}
