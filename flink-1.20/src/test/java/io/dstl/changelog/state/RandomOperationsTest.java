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
package io.dstl.changelog.state;

import static java.util.Collections.emptyList;
import static java.util.Collections.singletonList;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.replay.DelegateTarget;
import io.dstl.changelog.replay.LogReplay;
import io.dstl.materializer.ReplayRate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.changelog.inmemory.InMemoryChangelogStateHandle;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * After any sequence of calls a logged backend holds what one without a log holds, and so does a
 * third one that the log is replayed into.
 */
class RandomOperationsTest {
    private static final int OPERATIONS = 1500;

    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource({"HEAP, 1", "HEAP, 2", "HEAP, 3", "ROCKSDB, 1", "ROCKSDB, 2", "ROCKSDB, 3"})
    void logsAllThatChangesAndChangesNothingElse(Delegate kind, long seed) throws Exception {
        AbstractKeyedStateBackend<Integer> unlogged = create(kind, "unlogged");
        AbstractKeyedStateBackend<Integer> replayed = create(kind, "replayed");
        try (LoggedBackend<Integer> logged =
                new LoggedBackend<>(kind, directory.resolve("logged"), IntSerializer.INSTANCE)) {
            EveryState expected = EveryState.unlogged(unlogged);
            EveryState states = EveryState.logged(logged);
            Random random = new Random(seed);
            for (int i = 0; i < OPERATIONS; i++) {
                RandomOperation operation = new RandomOperation(random);
                operation.run(expected);
                operation.run(states);
                if (i % 400 == 399) {
                    logged.recorder.startNewRound();
                }
            }
            replay(logged.log.take(), replayed);

            List<String> content = expected.drain();
            assertThat(states.drain()).as("seed %s", seed).isEqualTo(content);
            assertThat(EveryState.unlogged(replayed).drain())
                    .as("replayed, seed %s", seed)
                    .isEqualTo(content);
        } finally {
            close(unlogged);
            close(replayed);
        }
    }

    private AbstractKeyedStateBackend<Integer> create(Delegate kind, String name) throws Exception {
        return kind.create(directory.resolve(name), IntSerializer.INSTANCE);
    }

    private static void close(AbstractKeyedStateBackend<Integer> backend) throws Exception {
        backend.close();
        backend.dispose();
    }

    static BulkReplay changeByChange(KeyGroupRange keyGroups) {
        return new BulkReplay(
                BulkSettings.off(), keyGroups, new CloseableRegistry(), new ManualClock());
    }

    private static void replay(
            List<RecordedChange> records, AbstractKeyedStateBackend<Integer> target)
            throws Exception {
        KeyGroupRange keyGroups = target.getKeyGroupRange();
        InMemoryChangelogStateHandle log =
                new InMemoryChangelogStateHandle(
                        changes(records), SequenceNumber.of(0), SequenceNumber.of(1), keyGroups);
        LogReplay replay =
                new LogReplay(
                        new DelegateTarget<>(target, changeByChange(keyGroups)),
                        (ignored, allToo) ->
                                CloseableIterator.adapterForIterator(log.getChanges().iterator()),
                        RandomOperationsTest.class.getClassLoader(),
                        new CloseableRegistry(),
                        new ManualClock(),
                        new ReplayRate());
        replay.replay(
                singletonList(
                        new ChangelogStateBackendHandleImpl(
                                emptyList(), singletonList(log), keyGroups, 1L, 1L, 0L)));
    }

    private static List<StateChange> changes(List<RecordedChange> records) {
        List<StateChange> changes = new ArrayList<>();
        for (RecordedChange record : records) {
            changes.add(
                    record.isMetadata()
                            ? StateChange.ofMetadataChange(record.bytes())
                            : StateChange.ofDataChange(record.keyGroup(), record.bytes()));
        }
        return changes;
    }
}
