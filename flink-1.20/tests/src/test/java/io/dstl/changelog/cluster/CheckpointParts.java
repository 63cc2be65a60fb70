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
package io.dstl.changelog.cluster;

import java.util.List;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;

/** What a subtask's part of a checkpoint consists of. */
public final class CheckpointParts {
    private CheckpointParts() {}

    /** Whether a snapshot of the delegate, with something in it, belongs to it. */
    public static boolean isMaterialized(ChangelogStateBackendHandle handle) {
        return isSomething(handle.getMaterializedStateHandles());
    }

    /** Whether a log, with changes, belongs to it. */
    public static boolean isLogged(ChangelogStateBackendHandle handle) {
        return isSomething(handle.getNonMaterializedStateHandles());
    }

    private static boolean isSomething(List<? extends KeyedStateHandle> handles) {
        return handles.stream().anyMatch(handle -> handle.getStateSize() > 0);
    }
}
