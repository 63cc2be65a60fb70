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

import io.dstl.fs.log.SegmentedChangeLog;
import io.dstl.fs.option.DstlOptions;
import io.dstl.fs.read.ChangeReader;
import io.dstl.fs.read.LoggedChanges;
import io.dstl.fs.segment.SegmentName;
import io.dstl.fs.testing.Changes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.runtime.metrics.groups.UnregisteredMetricGroups;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which changes a reader of some key groups gets, from the storage as Flink makes it. */
class KeyGroupReadingTest {

    @TempDir Path base;
    @TempDir Path local;

    private final Configuration configuration = new Configuration();
    private KeyGroupRange written = KeyGroupRange.of(0, 9);
    private ChangelogStateHandleStreamImpl handle;

    /** What the last reader was told. */
    private boolean grouped;

    @BeforeEach
    void configure() {
        // The clock is the real one: no attempt shall look slow.
        configuration.set(DstlOptions.UPLOAD_TIMEOUT, Duration.ofMinutes(5));
        configuration.set(DstlOptions.BASE_PATH, "troubled://reading" + base);
        configuration.set(CoreOptions.TMP_DIRS, local.toString());
    }

    /** Writes what a test appends, and keeps the handle. */
    private interface Appending {
        void to(SegmentedChangeLog log) throws Exception;
    }

    private void write(Appending appending) throws Exception {
        try (StateChangelogStorage<ChangelogStateHandleStreamImpl> storage =
                        new DstlStorageFactory()
                                .createStorage(
                                        new JobID(),
                                        configuration,
                                        UnregisteredMetricGroups
                                                .createUnregisteredTaskManagerJobMetricGroup(),
                                        LocalRecoveryConfig.BACKUP_AND_RECOVERY_DISABLED);
                SegmentedChangeLog log =
                        (SegmentedChangeLog) storage.createWriter("op", written, null)) {
            appending.to(log);
            handle = log.persist(log.initialSequenceNumber(), 1).get().getJobManagerOwnedSnapshot();
            log.confirm(log.initialSequenceNumber(), log.nextSequenceNumber(), 1);
        }
    }

    private List<String> read(KeyGroupRange keyGroups) throws Exception {
        List<String> changes = new ArrayList<>();
        try (StateChangelogStorageView<?> view =
                        new DstlStorageFactory().createStorageView(configuration);
                LoggedChanges iterator =
                        ((ChangeReader) view.createReader()).getChanges(handle, keyGroups)) {
            grouped = iterator.isGrouped();
            iterator.forEachRemaining(change -> changes.add(Changes.show(change)));
        }
        return changes;
    }

    private static void append(SegmentedChangeLog log, int keyGroup, int value) throws Exception {
        log.beginChange(keyGroup).write(value);
        log.endRecord();
    }

    @Test
    void ourBackendsChangesAreThoseAskedForAndTheMetadata() throws Exception {
        write(
                log -> {
                    log.beginMetadata().write(7);
                    log.endRecord();
                    append(log, 2, 20);
                    append(log, 5, 50);
                    append(log, 8, 80);
                });

        assertThat(SegmentName.isIndexed(handle.getHandlesAndOffsets().get(0).f0)).isTrue();
        for (Duration idle : List.of(Duration.ZERO, Duration.ofMinutes(1))) {
            configuration.set(DstlOptions.CACHE_IDLE_TIMEOUT, idle);
            assertThat(read(KeyGroupRange.of(3, 6))).containsExactly("-1:[7]", "5:[50]");
            assertThat(grouped).isTrue();
            assertThat(read(KeyGroupRange.EMPTY_KEY_GROUP_RANGE)).containsExactly("-1:[7]");
        }
    }

    /** Flink's own backend records a timer under the key group that happens to be current. */
    @Test
    void anotherBackendsChangesAreAllHandedOut() throws Exception {
        write(
                log -> {
                    log.append(2, new byte[] {20});
                    log.append(8, new byte[] {80});
                });

        assertThat(read(KeyGroupRange.of(3, 6))).containsExactly("2:[20]", "8:[80]");
        assertThat(grouped).as("and a reader is told so").isFalse();
    }

    /** It logs restored heap timers before any key is current, so under key group 0. */
    @Test
    void anotherBackendsChangesMayBeRecordedUnderAKeyGroupOfAnotherTask() throws Exception {
        written = KeyGroupRange.of(4, 9);
        write(
                log -> {
                    log.append(0, new byte[] {10});
                    log.append(8, new byte[] {80});
                });

        assertThat(read(KeyGroupRange.of(7, 9))).containsExactly("4:[10]", "8:[80]");
        assertThat(grouped).isFalse();
    }
}
