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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.testing.KeyedTask;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.TestLocalRecoveryConfig;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.StateChangelogHandleReader;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a storage of the log that is not dstl's hears of a task. */
class OtherStorageTest {
    private static final KeyGroupRange ALL = new KeyGroupRange(0, TestJob.MAX_PARALLELISM - 1);

    @TempDir private Path directory;

    private final List<SequenceNumber> closedFrom = new ArrayList<>();
    private SequenceNumber next;
    private SequenceNumber start;
    private SequenceNumber listedTo;

    private TestJob job;
    private OtherStorage storage;
    private TestSubtask subtask;

    @BeforeEach
    void begin() throws Exception {
        job = new TestJob(new HashMapStateBackend(), directory);
        storage = new OtherStorage(job);
        subtask =
                new TestSubtask(
                        job,
                        new HashMapStateBackend(),
                        storage,
                        ALL,
                        List.of(List.of()),
                        TestLocalRecoveryConfig.disabled());
        start = next;
    }

    @AfterEach
    void close() throws Exception {
        storage.close();
        job.close();
    }

    /** Flink's own deletes what it has stored from there on, and nothing if it is only closed. */
    @Test
    void theEndGivesBackWhatNoCheckpointLists() throws Exception {
        subtask.put(1, "listed");
        TestSubtask.finish(subtask.snapshot(1, CheckpointType.CHECKPOINT));
        subtask.put(1, "not listed");

        subtask.end();

        assertThat(listedTo).isGreaterThan(start);
        assertThat(closedFrom).containsExactly(listedTo);
    }

    @Test
    void withoutACheckpointTheWholeLogIsGivenBack() throws Exception {
        subtask.put(1, "not listed");

        subtask.end();

        assertThat(closedFrom).containsExactly(start);
    }

    /** Keeps what the last checkpoint lists, and from where the writer is closed. */
    private Object heard(String method, Object[] args, Object result) {
        if (method.equals("initialSequenceNumber") || method.equals("nextSequenceNumber")) {
            next = (SequenceNumber) result;
        } else if (method.equals("persist")) {
            listedTo = next;
        } else if (method.equals("truncateAndClose")) {
            closedFrom.add((SequenceNumber) args[0]);
        }
        return result;
    }

    /** Dstl's, but not by its class. */
    private final class OtherStorage
            implements StateChangelogStorage<ChangelogStateHandleStreamImpl> {
        private final StateChangelogStorage<ChangelogStateHandleStreamImpl> storage;

        OtherStorage(TestJob job) throws Exception {
            storage = KeyedTask.logStorage(job.id(), KeyedTask.logIn(directory.resolve("other")));
        }

        @Override
        @SuppressWarnings("unchecked")
        public StateChangelogWriter<ChangelogStateHandleStreamImpl> createWriter(
                String operatorId, KeyGroupRange keyGroups, MailboxExecutor mailbox) {
            StateChangelogWriter<ChangelogStateHandleStreamImpl> writer =
                    storage.createWriter(operatorId, keyGroups, mailbox);
            return (StateChangelogWriter<ChangelogStateHandleStreamImpl>)
                    Proxy.newProxyInstance(
                            getClass().getClassLoader(),
                            new Class<?>[] {StateChangelogWriter.class},
                            (proxy, method, args) -> {
                                try {
                                    return heard(
                                            method.getName(), args, method.invoke(writer, args));
                                } catch (InvocationTargetException e) {
                                    throw e.getCause();
                                }
                            });
        }

        @Override
        public StateChangelogHandleReader<ChangelogStateHandleStreamImpl> createReader() {
            return storage.createReader();
        }

        @Override
        public void close() throws Exception {
            storage.close();
        }
    }
}
