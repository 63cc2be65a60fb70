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
package io.dstl.fs;

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.log.ChangeLog;
import io.dstl.fs.option.DstlOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole way over a real file system: append, persist, read back through the service's view. */
class DstlStorageTest {

    @TempDir Path base;

    @Test
    void readsBackWhatWasPersisted() throws Exception {
        try (DstlStorage storage = createStorage(configuration());
                ChangeLog log = storage.createWriter("op", new KeyGroupRange(0, 9), null)) {
            log.appendMeta(new byte[] {9});
            log.append(3, new byte[] {1, 2});
            DataOutputView record = log.appender().beginChange(2);
            record.writeInt(77);
            log.appender().endRecord();

            ChangelogStateHandleStreamImpl handle =
                    log.persist(log.initialSequenceNumber(), 1).get().getJobManagerOwnedSnapshot();

            assertThat(handle.getStorageIdentifier()).isEqualTo("filesystem");
            assertThat(read(handle)).containsExactly("-1:[9]", "2:[0, 0, 0, 77]", "3:[1, 2]");
        }
    }

    private Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.set(DstlOptions.BASE_PATH, base.toUri().toString());
        return configuration;
    }

    private static DstlStorage createStorage(Configuration configuration) throws Exception {
        return (DstlStorage)
                new DstlStorageFactory()
                        .createStorage(
                                new JobID(),
                                configuration,
                                UnregisteredMetricGroups
                                        .createUnregisteredTaskManagerJobMetricGroup(),
                                LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED);
    }

    @SuppressWarnings("unchecked")
    private List<String> read(ChangelogStateHandleStreamImpl handle) throws Exception {
        List<String> changes = new ArrayList<>();
        try (StateChangelogStorageView<ChangelogStateHandleStreamImpl> view =
                        (StateChangelogStorageView<ChangelogStateHandleStreamImpl>)
                                new DstlStorageFactory().createStorageView(configuration());
                CloseableIterator<StateChange> iterator = view.createReader().getChanges(handle)) {
            while (iterator.hasNext()) {
                StateChange change = iterator.next();
                changes.add(change.getKeyGroup() + ":" + Arrays.toString(change.getChange()));
            }
        }
        return changes;
    }
}
