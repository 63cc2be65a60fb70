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

import static java.util.Objects.requireNonNull;

import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;

/** A part of a log that is going to be read, and the key groups that are needed of it. */
public final class LogPart {
    private final ChangelogStateHandle log;
    private final KeyGroupRange keyGroups;
    private final String description;

    /**
     * @param description names it in errors
     */
    LogPart(ChangelogStateHandle log, KeyGroupRange keyGroups, String description) {
        this.description = requireNonNull(description);
        this.log = requireNonNull(log);
        this.keyGroups = requireNonNull(keyGroups);
    }

    public ChangelogStateHandle log() {
        return log;
    }

    /** May be empty: metadata is needed always. */
    public KeyGroupRange keyGroups() {
        return keyGroups;
    }

    @Override
    public String toString() {
        return description;
    }
}
