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

import io.dstl.changelog.replay.LogSource;
import java.io.IOException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.util.CloseableIterator;

/**
 * Opens the logs of a checkpoint through the storage that each handle names, as Flink provides it
 * to a task: one view per storage, job and TaskManager, so that tasks share what they download.
 */
final class TaskLogSource implements LogSource {

    private final Environment env;

    TaskLogSource(Environment env) {
        this.env = requireNonNull(env);
    }

    @Override
    public CloseableIterator<StateChange> open(ChangelogStateHandle log) throws IOException {
        return read(view(log), log);
    }

    private StateChangelogStorageView<?> view(ChangelogStateHandle log) throws IOException {
        Configuration configuration = env.getTaskManagerInfo().getConfiguration();
        StateChangelogStorageView<?> view =
                env.getTaskStateManager().getStateChangelogStorageView(configuration, log);
        if (view == null) {
            throw new IOException(
                    "No changelog storage '"
                            + log.getStorageIdentifier()
                            + "' on this TaskManager, which the checkpoint's log was written by."
                            + " Put the jar that serves it into lib/ or plugins/.");
        }
        return view;
    }

    @SuppressWarnings("unchecked") // The storage was chosen by the handle, so it takes the handle.
    private static <H extends ChangelogStateHandle> CloseableIterator<StateChange> read(
            StateChangelogStorageView<H> view, ChangelogStateHandle log) throws IOException {
        return view.createReader().getChanges((H) log);
    }
}
