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

import io.dstl.fs.option.DstlOptions;
import io.dstl.fs.testing.Changes;
import io.dstl.testkit.ManualMailbox;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.common.JobID;
import org.apache.flink.changelog.fs.FsStateChangelogStorageFactory;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageFactory;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each storage reads what the other one wrote: users go over to ours, and back. From a store that
 * is not local Flink's own reads a whole segment, to a local copy.
 */
class StockCompatibilityTest {

    private static final KeyGroupRange KEY_GROUPS = new KeyGroupRange(20, 40);

    @TempDir Path base;
    @TempDir Path local;

    @ParameterizedTest
    @CsvSource({
        "file://, false, true",
        "file://, true, true",
        "file://, false, false",
        "file://, true, false",
        "troubled://stock, false, true",
        "troubled://stock, true, true",
        "troubled://stock, false, false",
        "troubled://stock, true, false"
    })
    void readsWhatTheOtherOneWrote(String store, boolean compressed, boolean oursWrites)
            throws Exception {
        StateChangelogStorageFactory ours = new DstlStorageFactory();
        StateChangelogStorageFactory stock = new FsStateChangelogStorageFactory();
        assertThat(ours.getIdentifier()).isEqualTo(stock.getIdentifier());
        ManualMailbox mailbox = new ManualMailbox();
        Configuration config = new Configuration();
        // The clock is the real one: no attempt shall look slow.
        config.set(DstlOptions.UPLOAD_TIMEOUT, Duration.ofMinutes(5));
        config.set(DstlOptions.BASE_PATH, store + base);
        config.set(CoreOptions.TMP_DIRS, local.toString());
        config.set(DstlOptions.COMPRESSION_ENABLED, compressed);

        try (StateChangelogStorage<ChangelogStateHandleStreamImpl> storage =
                        create(oursWrites ? ours : stock, config);
                StateChangelogWriter<ChangelogStateHandleStreamImpl> writer =
                        storage.createWriter("op", KEY_GROUPS, mailbox)) {
            ChangelogStateHandleStreamImpl handle = writeThreeSets(writer, mailbox);

            List<String> byOurs = read(ours, config, handle);
            assertThat(byOurs).hasSize(3 * 201).isEqualTo(read(stock, config, handle));
            assertThat(byOurs.get(0)).isEqualTo("-1:[0]");
        }
    }

    private static ChangelogStateHandleStreamImpl writeThreeSets(
            StateChangelogWriter<ChangelogStateHandleStreamImpl> writer, ManualMailbox mailbox)
            throws Exception {
        Random random = new Random(9);
        SequenceNumber start = writer.initialSequenceNumber();
        for (int set = 0; set < 2; set++) {
            writeSet(writer, set, random);
            mailbox.await(writer.persist(start, set + 1));
        }
        writeSet(writer, 2, random);
        return mailbox.await(writer.persist(start, 3)).getJobManagerOwnedSnapshot();
    }

    private static void writeSet(
            StateChangelogWriter<ChangelogStateHandleStreamImpl> writer, int set, Random random)
            throws Exception {
        writer.appendMeta(new byte[] {(byte) set});
        for (int i = 0; i < 200; i++) {
            byte[] change = new byte[random.nextInt(1000)];
            random.nextBytes(change);
            writer.append(20 + random.nextInt(21), change);
        }
    }

    @SuppressWarnings("unchecked")
    private static StateChangelogStorage<ChangelogStateHandleStreamImpl> create(
            StateChangelogStorageFactory factory, Configuration config) throws Exception {
        return (StateChangelogStorage<ChangelogStateHandleStreamImpl>)
                factory.createStorage(
                        new JobID(),
                        config,
                        UnregisteredMetricGroups.createUnregisteredTaskManagerJobMetricGroup(),
                        LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED);
    }

    @SuppressWarnings("unchecked")
    private static List<String> read(
            StateChangelogStorageFactory factory,
            Configuration config,
            ChangelogStateHandleStreamImpl handle)
            throws Exception {
        List<String> changes = new ArrayList<>();
        try (StateChangelogStorageView<ChangelogStateHandleStreamImpl> view =
                        (StateChangelogStorageView<ChangelogStateHandleStreamImpl>)
                                factory.createStorageView(config);
                CloseableIterator<StateChange> iterator = view.createReader().getChanges(handle)) {
            iterator.forEachRemaining(change -> changes.add(Changes.show(change)));
        }
        return changes;
    }
}
