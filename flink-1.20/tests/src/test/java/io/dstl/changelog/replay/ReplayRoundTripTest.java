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

import static io.dstl.changelog.replay.ReplayFixture.VERIFIED;
import static io.dstl.changelog.replay.ReplayFixture.handle;
import static io.dstl.changelog.replay.ReplayFixture.log;
import static io.dstl.changelog.replay.ReplayFixture.segment;
import static io.dstl.changelog.replay.ReplayFixture.verified;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.testing.ForEachValue;
import io.dstl.changelog.testing.LoggedBackend;
import io.dstl.changelog.testing.PlainBackend;
import io.dstl.changelog.testing.RandomChanges;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.junit.jupiter.api.Test;

/**
 * Whatever user code does, a logged backend holds what one without a log holds, and so does an
 * empty one that the log is replayed into.
 */
class ReplayRoundTripTest extends ReplayTest {
    private static final int RUNS = 12;
    private static final int CHANGES = 400;
    private static final List<Integer> KEYS =
            IntStream.range(0, 12).boxed().collect(Collectors.toList());

    @ForEachValue
    void comesToTheSameContent(DelegateKind kind) throws Exception {
        for (long seed = 1; seed <= RUNS; seed++) {
            roundTrip(kind, seed);
        }
    }

    private void roundTrip(DelegateKind kind, long seed) throws Exception {
        List<ChangelogStateHandle> logs = new ArrayList<>();
        List<String> expected = record(kind, seed, logs);

        try (ReplayFixture replayed = ReplayFixture.of(kind, emptyDirectory())) {
            replayed.replay(handle(DelegateKind.ALL, logs.toArray(new ChangelogStateHandle[0])));

            assertThat(replayed.everyState())
                    .as("content replayed into %s, seed %s", kind, seed)
                    .containsExactlyElementsOf(expected);
        }
    }

    /** As in Flink's own backend, whose map removes itself only with its last entry. */
    @Test
    void aMapEmptiedByAnIteratorStaysOnTheHeapUntilItIsReplayed() throws Exception {
        MapStateDescriptor<String, Long> descriptor =
                new MapStateDescriptor<>("map", STRINGS, LONGS);
        try (LoggedBackend<Integer> logged = new LoggedBackend<>(create(DelegateKind.HEAP));
                ReplayFixture replayed = ReplayFixture.of(DelegateKind.HEAP, emptyDirectory())) {
            InternalMapState<Integer, Long, String, Long> map = logged.state(LONGS, descriptor);
            logged.setCurrentKey(1);
            map.setCurrentNamespace(10L);
            map.put("a", 1L);
            Iterator<String> keys = map.keys().iterator();
            keys.next();
            keys.remove();
            assertThat(logged.delegate.getKeys("map", 10L)).containsExactly(1);

            replayed.replay(verified(HandWrittenLog.changeSet(logged)));

            assertThat(replayed.delegate.getKeys("map", 10L)).isEmpty();
        }
    }

    /** Of a set, say, the elements may come in another order the next time. */
    @Test
    void rocksDbsEntriesAreRemovedAndSetByTheBytesThatTheyHave() throws Exception {
        TypeSerializer<Map<String, String>> keys = new MapSerializer<>(STRINGS, STRINGS);
        MapStateDescriptor<Map<String, String>, Long> descriptor =
                new MapStateDescriptor<>("map", keys, LONGS);
        // In a larger table than the serializer makes, so in another order.
        Map<String, String> toRemove = new HashMap<>(16);
        toRemove.putAll(Map.of("a", "x", "d", "y"));
        Map<String, String> toSet = new HashMap<>(16);
        toSet.putAll(Map.of("a", "x", "h", "y"));
        try (LoggedBackend<Integer> logged = new LoggedBackend<>(create(DelegateKind.ROCKSDB));
                ReplayFixture replayed =
                        ReplayFixture.of(DelegateKind.ROCKSDB_IN_BULK, emptyDirectory())) {
            InternalMapState<Integer, Long, Map<String, String>, Long> map =
                    logged.state(LONGS, descriptor);
            logged.setCurrentKey(1);
            map.setCurrentNamespace(10L);
            map.put(toRemove, 1L);
            map.put(toSet, 2L);
            Iterator<Map.Entry<Map<String, String>, Long>> entries = map.iterator();
            while (entries.hasNext()) {
                Map.Entry<Map<String, String>, Long> entry = entries.next();
                Map<String, String> key = entry.getKey();
                assertThat(bytes(keys, key))
                        .as("the same key")
                        .isNotEqualTo(bytes(keys, key.equals(toSet) ? toSet : toRemove));
                if (key.equals(toSet)) {
                    entry.setValue(3L);
                } else {
                    entries.remove();
                }
            }

            replayed.replay(verified(HandWrittenLog.changeSet(logged)));

            replayed.delegate.setCurrentKey(1);
            assertThat(
                            replayed.delegate
                                    .<Long, MapState<Map<String, String>, Long>>getPartitionedState(
                                            10L, LONGS, descriptor)
                                    .values())
                    .containsExactly(3L);
        }
    }

    private static <T> byte[] bytes(TypeSerializer<T> serializer, T value) throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(value, out);
        return out.getCopyOfBuffer();
    }

    /** Makes changes, adds their logs to the list, and returns what they come to. */
    private List<String> record(DelegateKind kind, long seed, List<ChangelogStateHandle> logs)
            throws Exception {
        Random cuts = new Random(-seed);
        try (PlainBackend<Integer> unlogged = new PlainBackend<>(create(kind));
                LoggedBackend<Integer> logged = new LoggedBackend<>(create(kind))) {
            RandomChanges model = new RandomChanges(unlogged, KEYS, new Random(seed));
            RandomChanges changes = new RandomChanges(logged, KEYS, new Random(seed));
            List<byte[]> changeSets = new ArrayList<>();
            for (int i = 0; i < CHANGES; i++) {
                model.next();
                changes.next();
                switch (cuts.nextInt(40)) {
                    case 0:
                        changeSets.add(HandWrittenLog.changeSet(logged));
                        break;
                    case 1:
                        logged.recorder.startNewRound();
                        break;
                    case 2:
                        logs.add(toLog(changeSets));
                        break;
                    default:
                        // goes on with the same change set
                }
            }
            changeSets.add(HandWrittenLog.changeSet(logged));
            logs.add(toLog(changeSets));
            List<String> content = model.states().content(unlogged.delegate);
            assertThat(changes.states().content(logged.delegate))
                    .as("content with a log on %s, seed %s", kind, seed)
                    .containsExactlyElementsOf(content);
            return content;
        }
    }

    private static ChangelogStateHandle toLog(List<byte[]> changeSets) throws Exception {
        ChangelogStateHandle log =
                log(DelegateKind.ALL, segment(VERIFIED, changeSets.toArray(new byte[0][])));
        changeSets.clear();
        return log;
    }

    private AbstractKeyedStateBackend<Integer> create(DelegateKind kind) throws Exception {
        return kind.create(emptyDirectory(), DelegateKind.ALL, () -> 0L);
    }
}
