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
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.KryoName;
import io.dstl.changelog.testing.LoggedBackend;
import io.dstl.materializer.ReplayRate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor.Type;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.contrib.streaming.state.RocksDbContent;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A replay in bulk makes the keys that RocksDB has: where lengths are in them, since neither key
 * nor namespace has a fixed one; where key groups take two bytes; where what follows a field is
 * found by its serializer alone; and where the job's key serializer writes others than the log has.
 */
class BulkKeyLayoutTest {
    private static final int CHANGES = 2000;
    private static final List<String> STATES = List.of("value", "list", "map");
    private static final TypeInformation<Tuple2<String, Long>> PAIRS =
            TypeInformation.of(new TypeHint<Tuple2<String, Long>>() {});

    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(ints = {100, 1000})
    void isThatOfRocksDb(int keyGroups) throws Exception {
        KeyGroupRange all = KeyGroupRange.of(0, keyGroups - 1);
        AbstractKeyedStateBackend<String> live = backend(STRINGS, keyGroups);
        try {
            byte[] set = change(live, text -> text);

            assertThat(contentAfter(set, BulkSettings.of(2, 1 << 22), STRINGS, all))
                    .hasSizeGreaterThan(100)
                    .containsExactlyElementsOf(RocksDbContent.of(live, STATES));
        } finally {
            live.dispose();
        }
    }

    /**
     * An object of a class that was registered with Kryo since has another form. The serializer
     * that the job has now reads both and writes the later one: the job finds no key of the former.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void isThatOfTheSerializerThatTheJobHasNow(int threads) throws Exception {
        KeyGroupRange all = KeyGroupRange.of(0, 9);
        TypeSerializer<Object> now = KryoName.keys(KryoName.class);
        AbstractKeyedStateBackend<Object> live = backend(KryoName.keys(), 10);
        try {
            byte[] set = change(live, KryoName::new);
            List<String> expected = contentAfter(set, BulkSettings.off(), now, all);
            assertThat(expected).isNotEqualTo(RocksDbContent.of(live, STATES));

            assertThat(contentAfter(set, BulkSettings.of(threads, 1 << 22), now, all))
                    .hasSizeGreaterThan(100)
                    .containsExactlyElementsOf(expected);
        } finally {
            live.dispose();
        }
    }

    /** Not only that of a sample. */
    @Test
    void isOfTheKeyGroupOfEachKeyThatIsReadAnyway() throws Exception {
        KeyGroupRange all = KeyGroupRange.of(0, 9);
        TypeSerializer<Object> keys = KryoName.keys();
        HandWrittenLog log = new HandWrittenLog().state(0, "value", Type.VALUE, STRINGS, LONGS);
        for (long key : List.of(1L, 2L)) {
            log.raw(
                    KeyGroupRangeAssignment.assignToKeyGroup(1L, 10),
                    out -> {
                        out.writeByte(HandWrittenLog.SET);
                        out.writeShort(0);
                        keys.serialize(key, out);
                        STRINGS.serialize("namespace", out);
                        out.writeLong(5);
                    });
        }

        assertThatThrownBy(() -> contentAfter(log.seal(), BulkSettings.of(1, 1 << 22), keys, all))
                .isInstanceOf(LogReplayException.class)
                .hasMessageContaining(
                        "the key belongs to key group "
                                + KeyGroupRangeAssignment.assignToKeyGroup(2L, 10)
                                + ": expected key group "
                                + KeyGroupRangeAssignment.assignToKeyGroup(1L, 10))
                .hasMessageContaining("KryoSerializer is not the key serializer that the log");
    }

    private <K> List<String> contentAfter(
            byte[] set, BulkSettings settings, TypeSerializer<K> keys, KeyGroupRange keyGroups)
            throws Exception {
        AbstractKeyedStateBackend<K> replayed = backend(keys, keyGroups.getNumberOfKeyGroups());
        CloseableRegistry cancellation = new CloseableRegistry();
        try (BulkReplay bulk =
                new BulkReplay(settings, keyGroups, cancellation, new ManualClock())) {
            new LogReplay(
                            new DelegateTarget<>(replayed, bulk),
                            new ReplayFixture.SegmentSource(),
                            getClass().getClassLoader(),
                            cancellation,
                            new ManualClock(),
                            new ReplayRate())
                    .replay(List.of(handle(keyGroups, log(keyGroups, segment(VERIFIED, set)))));
            assertThat(bulk.leftOut()).isEmpty();
            return RocksDbContent.of(replayed, STATES);
        } finally {
            replayed.dispose();
        }
    }

    private <K> AbstractKeyedStateBackend<K> backend(TypeSerializer<K> keys, int keyGroups)
            throws Exception {
        return Delegate.ROCKSDB.create(
                Files.createTempDirectory(directory, "delegate"), keys, keyGroups);
    }

    /** Changes states at random; returns the change set. */
    private static <K> byte[] change(
            AbstractKeyedStateBackend<K> backend, Function<String, K> keyOf) throws Exception {
        LoggedBackend<K> logged = new LoggedBackend<>(backend);
        TypeSerializer<Tuple2<String, Long>> pairs =
                PAIRS.createSerializer(new SerializerConfigImpl());
        InternalValueState<K, String, Tuple2<String, Long>> value =
                logged.state(STRINGS, new ValueStateDescriptor<>("value", pairs));
        InternalListState<K, String, Tuple2<String, Long>> list =
                logged.state(STRINGS, new ListStateDescriptor<>("list", pairs));
        InternalMapState<K, String, Tuple2<String, Long>, Long> map =
                logged.state(STRINGS, new MapStateDescriptor<>("map", pairs, LONGS));
        Random random = new Random(1);
        for (int i = 0; i < CHANGES; i++) {
            backend.setCurrentKey(keyOf.apply(text(random)));
            String namespace = text(random);
            value.setCurrentNamespace(namespace);
            list.setCurrentNamespace(namespace);
            map.setCurrentNamespace(namespace);
            Tuple2<String, Long> pair = Tuple2.of(text(random), (long) random.nextInt(5));
            switch (random.nextInt(8)) {
                case 0:
                    value.update(pair);
                    break;
                case 1:
                    value.clear();
                    break;
                case 2:
                    list.update(List.of(pair, pair));
                    break;
                case 3:
                    list.addAll(List.of(pair, pair, pair));
                    break;
                case 4:
                    list.add(pair);
                    break;
                case 5:
                    map.putAll(Map.of(pair, 1L, Tuple2.of("also", 1L), 2L));
                    break;
                case 6:
                    map.clear();
                    break;
                default:
                    map.put(pair, (long) i);
            }
        }
        return HandWrittenLog.changeSet(logged);
    }

    /** Of which one is often the beginning of another; with characters of one to three bytes. */
    private static String text(Random random) {
        return "aa\u00e9\u4e2daa".substring(0, random.nextInt(7));
    }
}
