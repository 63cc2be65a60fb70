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
package io.dstl.changelog.replay;

import io.dstl.changelog.record.StateId;
import io.dstl.changelog.state.ChangeApplier;
import java.io.IOException;
import java.util.Arrays;

/**
 * Which state each id stands for: the table that all logs of one backend handle share, in order.
 *
 * <p>Owned by the replay of one handle.
 */
final class StateBindings {
    private ChangeApplier[] appliers = new ChangeApplier[16];

    /** Binds an id, or rebinds it: a later writer of the same handle numbers its states anew. */
    void bind(StateId id, ChangeApplier applier) {
        int index = id.value();
        if (index >= appliers.length) {
            appliers = Arrays.copyOf(appliers, Math.max(index + 1, 2 * appliers.length));
        }
        appliers[index] = applier;
    }

    /**
     * @throws IOException if no metadata has bound the id
     */
    ChangeApplier get(short id) throws IOException {
        if (id < 0 || id >= appliers.length || appliers[id] == null) {
            throw new IOException(
                    "state id " + id + " is unknown: expected metadata before that binds it");
        }
        return appliers[id];
    }
}
