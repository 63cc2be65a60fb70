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
 * The entry class that Flink's {@code StateBackendLoader} loads, by this very name, when {@code
 * state.changelog.enabled} is true. {@link ChangelogBackend.Activated} does the work.
 */
public final class ChangelogStateBackend extends ChangelogBackend.Activated {
    private static final long serialVersionUID = 1L;

    /** Called by Flink, by reflection. */
    public ChangelogStateBackend(StateBackend delegate) {
        super(delegate);
    }

    @Override
    protected StateBackend around(StateBackend delegate) {
        return new ChangelogStateBackend(delegate);
    }
}
