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

import static io.dstl.changelog.replay.HandWrittenLog.SET;
import static io.dstl.changelog.replay.HandWrittenLog.number;
import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;

import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.EveryState;
import io.dstl.changelog.testing.LoggedBackend;
import io.dstl.changelog.testing.RandomChanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A test of replays: its directory, and the delegate that it replays into. */
abstract class ReplayTest {
    @TempDir Path directory;

    ReplayFixture fixture;

    final void open(DelegateKind kind) throws Exception {
        fixture = ReplayFixture.of(kind, directory);
    }

    final void open(DelegateKind kind, KeyGroupRange keyGroups) throws Exception {
        fixture = ReplayFixture.of(kind, directory, keyGroups);
    }

    final void openInBulk(BulkSettings settings) throws Exception {
        fixture = ReplayFixture.inBulk(emptyDirectory(), settings);
    }

    @AfterEach
    void close() throws Exception {
        if (fixture != null) {
            fixture.close();
        }
    }

    /** The value 1 of key 1 in namespace 10, in state 'v' of id 0. */
    static HandWrittenLog oneValue() throws IOException {
        return values().change(SET, 0, 1, 10, number(1));
    }

    /** Of a state 'v' of id 0. */
    static HandWrittenLog values() throws IOException {
        return new HandWrittenLog().state(0, "v", Type.VALUE, LONGS, LONGS);
    }

    /** Of a state 'l' of id 0. */
    static HandWrittenLog lists() throws IOException {
        return new HandWrittenLog().state(0, "l", Type.LIST, LONGS, new ListSerializer<>(LONGS));
    }

    /** Of a state 'r' of id 0. */
    static HandWrittenLog sums() throws IOException {
        return new HandWrittenLog().state(0, "r", Type.REDUCING, LONGS, LONGS);
    }

    /** The value 5 of key 1 in namespace 10. */
    static void writeValue(DataOutputView out) throws IOException {
        out.writeByte(SET);
        out.writeShort(0);
        out.writeInt(1);
        out.writeLong(10);
        out.writeLong(5);
    }

    /** Of the state 'l'. */
    final List<Long> listAt(int key, long namespace) throws Exception {
        ListState<Long> state =
                fixture.state(new ListStateDescriptor<>("l", LONGS), key, namespace);
        List<Long> elements = new ArrayList<>();
        if (state.get() != null) {
            state.get().forEach(elements::add);
        }
        return elements;
    }

    /** Takes all timers out of a queue; returns their times. */
    static List<Long> times(KeyGroupedInternalPriorityQueue<?> queue) {
        List<Long> times = new ArrayList<>();
        for (Object next = queue.poll(); next != null; next = queue.poll()) {
            times.add(((TimerHeapInternalTimer<?, ?>) next).getTimestamp());
        }
        return times;
    }

    /** All that RocksDB has of every state after a replay of these logs. */
    final List<String> contentAfter(BulkSettings settings, ChangelogStateBackendHandle... logs)
            throws Exception {
        try (ReplayFixture fresh = ReplayFixture.inBulk(emptyDirectory(), settings)) {
            for (ChangelogStateBackendHandle log : logs) {
                fresh.replay(log);
            }
            return fresh.content(EveryState.NAMES);
        }
    }

    final Path emptyDirectory() throws Exception {
        return Files.createTempDirectory(directory, "delegate");
    }

    /**
     * Random changes of every kind of state, as our backend writes them: several change sets, with
     * each state described more than once.
     */
    final ChangelogStateBackendHandle randomLog(long seed, int keys) throws Exception {
        Random random = new Random(seed);
        List<Integer> all = IntStream.range(0, keys).boxed().collect(Collectors.toList());
        try (LoggedBackend<Integer> recorded =
                new LoggedBackend<>(Delegate.ROCKSDB, emptyDirectory(), INTS)) {
            RandomChanges changes = new RandomChanges(recorded, all, random);
            List<byte[]> sets = new ArrayList<>();
            for (int i = 0; i < 3000; i++) {
                changes.next();
                if (random.nextInt(300) == 0) {
                    sets.add(HandWrittenLog.changeSet(recorded));
                }
                if (random.nextInt(1000) == 0) {
                    recorded.recorder.startNewRound();
                }
            }
            sets.add(HandWrittenLog.changeSet(recorded));
            return ReplayFixture.verified(sets.toArray(new byte[0][]));
        }
    }
}
