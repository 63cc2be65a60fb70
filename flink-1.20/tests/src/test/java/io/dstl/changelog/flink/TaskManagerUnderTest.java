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
package io.dstl.changelog.flink;

import io.dstl.changelog.testing.KeyedTask;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.mailbox.SyncMailboxExecutor;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.TaskStateManager;
import org.apache.flink.runtime.state.TestTaskStateManager;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageLoader;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.runtime.state.changelog.inmemory.InMemoryStateChangelogStorage;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;

/**
 * What a TaskManager provides a task with and Flink's bases leave out: a changelog storage, a place
 * for materializations, a mailbox.
 */
final class TaskManagerUnderTest implements AutoCloseable {
    private final JobID job = new JobID();
    private final FileSystemCheckpointStorage checkpointStorage;
    private final StateChangelogStorage<?> storage;
    private StateChangelogStorageView<?> view;

    TaskManagerUnderTest(BackendUnderTest.Mode.Storage kind, Path directory) throws IOException {
        checkpointStorage =
                new FileSystemCheckpointStorage(directory.resolve("checkpoints").toUri(), 0);
        storage =
                kind == BackendUnderTest.Mode.Storage.MEMORY
                        ? new InMemoryStateChangelogStorage()
                        : KeyedTask.logStorage(job, KeyedTask.logIn(directory.resolve("log")));
    }

    FileSystemCheckpointStorage checkpointStorage() {
        return checkpointStorage;
    }

    /**
     * The environment of a task here. Its mailbox runs a mail at once, on the thread that posts it:
     * a periodic materialization would run beside the test, on the timer's.
     */
    Environment environment(Environment ofBase) throws IOException {
        ofBase.getExecutionConfig().enablePeriodicMaterialize(false);
        CheckpointStorageAccess access = checkpointStorage.createCheckpointStorage(job);
        access.initializeBaseLocationsForCheckpoint();
        TaskStateManager taskStateManager = taskStateManager();
        MailboxExecutor mailbox = new SyncMailboxExecutor();
        return Overlay.over(Environment.class, ofBase)
                .replacing("getTaskStateManager", none -> taskStateManager)
                .replacing("getMainMailboxExecutor", none -> mailbox)
                .replacing("getCheckpointStorageAccess", none -> access)
                .get();
    }

    private TaskStateManager taskStateManager() {
        TaskStateManager ofBase =
                TestTaskStateManager.builder()
                        .setJobID(job)
                        .setStateChangelogStorage(storage)
                        .build();
        return Overlay.over(TaskStateManager.class, ofBase)
                .replacing(
                        "getStateChangelogStorageView",
                        of -> view((Configuration) of[0], (ChangelogStateHandle) of[1]))
                .get();
    }

    /** One for all tasks, of the first one's storage, as on a real TaskManager. */
    private synchronized StateChangelogStorageView<?> view(
            Configuration configuration, ChangelogStateHandle log) throws IOException {
        if (view == null) {
            view = StateChangelogStorageLoader.loadFromStateHandle(configuration, log);
        }
        return view;
    }

    @Override
    public synchronized void close() throws Exception {
        if (view != null) {
            view.close();
        }
        storage.close();
    }
}
