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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.testing.Delegate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.TestTaskStateManager;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageLoader;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.runtime.state.changelog.inmemory.InMemoryChangelogStateHandle;
import org.apache.flink.runtime.util.TestingTaskManagerRuntimeInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Views as Flink gives them: one for a job, of the storage of whatever it was asked for first. */
class TaskLogSourceTest {
    private final ChangelogStateHandle inMemory =
            new InMemoryChangelogStateHandle(
                    List.of(), SequenceNumber.of(0), SequenceNumber.of(0), Delegate.ALL);
    private final ChangelogStateHandle inFiles = inFiles("filesystem");

    private final Configuration options = new Configuration();
    private StateChangelogStorageView<?> ofJob;
    private final TaskLogSource source =
            new TaskLogSource(
                    new MockEnvironmentBuilder()
                            .setTaskManagerRuntimeInfo(new TestingTaskManagerRuntimeInfo(options))
                            .setTaskStateManager(new OneView())
                            .build());

    private static ChangelogStateHandle inFiles(String storage) {
        return new ChangelogStateHandleStreamImpl(List.of(), Delegate.ALL, 0, 0, storage);
    }

    private final class OneView extends TestTaskStateManager {
        @Override
        public StateChangelogStorageView<?> getStateChangelogStorageView(
                Configuration configuration, ChangelogStateHandle log) {
            if (ofJob == null) {
                ofJob = load(configuration, log);
            }
            return ofJob;
        }
    }

    private static StateChangelogStorageView<?> load(
            Configuration configuration, ChangelogStateHandle log) {
        try {
            return StateChangelogStorageLoader.loadFromStateHandle(configuration, log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void close() throws Exception {
        source.close();
        if (ofJob != null) {
            ofJob.close();
        }
    }

    private boolean isEmpty(ChangelogStateHandle log) throws Exception {
        try (var changes = source.open(log, Delegate.ALL)) {
            return !changes.hasNext();
        }
    }

    /** As after a change of state.changelog.storage, until the next materialization. */
    @Test
    void opensLogsOfBothStoragesOfACheckpoint() throws Exception {
        assertThat(isEmpty(inMemory)).isTrue();
        assertThat(isEmpty(inFiles)).isTrue();
    }

    @Test
    void opensThemInTheOtherOrder() throws Exception {
        assertThat(isEmpty(inFiles)).isTrue();
        assertThat(isEmpty(inMemory)).isTrue();
    }

    @Test
    void saysWhichOptionAViewCannotWorkWith() {
        options.setString("state.changelog.dstl.dfs.download.num-threads", "-1");
        assertThatThrownBy(() -> isEmpty(inFiles))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("download.num-threads is -1");
    }

    @Test
    void namesAStorageThatIsNotThere() {
        assertThatThrownBy(() -> isEmpty(inFiles("elsewhere")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No changelog storage 'elsewhere' on this TaskManager")
                .hasMessageContaining("into lib/ or plugins/");
    }
}
