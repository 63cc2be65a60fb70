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

import static java.util.stream.Collectors.toList;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;

/**
 * The logs of a restore. Their source fetches from them between their announcement and {@link
 * #close()}.
 */
public final class AnnouncedLogs implements AutoCloseable {
    private final List<HandleLogs> logs;
    private final LogSource.Ahead ahead;

    private AnnouncedLogs(List<HandleLogs> logs, LogSource source) {
        this.logs = logs;
        this.ahead = source.announce(logs.stream().flatMap(HandleLogs::parts).collect(toList()));
    }

    /**
     * Announces the logs in the order in which they will be replayed.
     *
     * @param keyGroups of the subtask
     */
    public static AnnouncedLogs of(
            Collection<? extends ChangelogStateBackendHandle> handles,
            KeyGroupRange keyGroups,
            LogSource source) {
        return new AnnouncedLogs(
                handles.stream().map(handle -> HandleLogs.of(handle, keyGroups)).collect(toList()),
                source);
    }

    List<HandleLogs> logs() {
        return logs;
    }

    /** See {@link LogSource.Ahead#wake}. */
    void wake(Runnable action) {
        ahead.wake(action);
    }

    /** See {@link LogSource.Ahead#readOn}. */
    void readOn() {
        ahead.readOn();
    }

    void done(ChangelogStateHandle log) {
        ahead.done(log);
    }

    @Override
    public void close() {
        ahead.close();
    }

    /** The change sets of one handle to replay, in order, each with its key groups. */
    static final class HandleLogs {
        private final ChangelogStateBackendHandle handle;
        private final KeyGroupRange keyGroups;
        private final List<LoggedChangeSet> changeSets = new ArrayList<>();

        private HandleLogs(ChangelogStateBackendHandle handle, KeyGroupRange keyGroups) {
            this.handle = handle;
            this.keyGroups = keyGroups;
        }

        /**
         * @param ofTarget key groups of the subtask
         */
        static HandleLogs of(ChangelogStateBackendHandle handle, KeyGroupRange ofTarget) {
            KeyGroupRange ofHandle = ofTarget.getIntersection(handle.getKeyGroupRange());
            HandleLogs logs = new HandleLogs(handle, ofHandle);
            for (ChangelogStateHandle log : handle.getNonMaterializedStateHandles()) {
                KeyGroupRange ofLog = ofHandle.getIntersection(log.getKeyGroupRange());
                logs.changeSets.addAll(LoggedChangeSet.of(log, ofLog));
            }
            return logs;
        }

        ChangelogStateBackendHandle handle() {
            return handle;
        }

        /** The key groups that the handle and the subtask have in common. */
        KeyGroupRange keyGroups() {
            return keyGroups;
        }

        List<LoggedChangeSet> changeSets() {
            return changeSets;
        }

        Stream<LogSource.Part> parts() {
            return changeSets.stream().map(LoggedChangeSet::part);
        }
    }
}
