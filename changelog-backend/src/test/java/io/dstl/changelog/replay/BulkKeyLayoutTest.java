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
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.record.ChangeRecorder;
import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.record.RecordingAppender;
import io.dstl.changelog.state.LoggedStates;
import io.dstl.materializer.ReplayRate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.contrib.streaming.state.RocksDbContent;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A replay in bulk makes the keys that RocksDB has: where lengths are in them, since neither key
 * nor namespace has a fixed one; where key groups take two bytes; and where what follows a field is
 * found by its serializer alone.
 */
class BulkKeyLayoutTest {
    private static final int CHANGES = 2000;
    private static final List<String> STATES = List.of("value", "list", "map");
    private static final StringSerializer STRINGS = StringSerializer.INSTANCE;
    private static final TypeInformation<Tuple2<String, Long>> PAIRS =
            TypeInformation.of(new TypeHint<Tuple2<String, Long>>() {});

    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(ints = {100, 1000})
    void isThatOfRocksDb(int keyGroups) throws Exception {
        KeyGroupRange all = KeyGroupRange.of(0, keyGroups - 1);
        AbstractKeyedStateBackend<String> live = backend(keyGroups);
        AbstractKeyedStateBackend<String> replayed = backend(keyGroups);
        byte[] set = change(live);
        CloseableRegistry cancellation = new CloseableRegistry();
        try (BulkReplay bulk =
                new BulkReplay(BulkSettings.of(2, 1 << 22), all, cancellation, new ManualClock())) {
            new LogReplay(
                            new DelegateTarget<>(replayed, bulk),
                            new SegmentSource(),
                            getClass().getClassLoader(),
                            cancellation,
                            new ManualClock(),
                            new ReplayRate())
                    .replay(List.of(handle(all, log(all, segment(VERIFIED, set)))));
            assertThat(bulk.leftOut()).isEmpty();

            assertThat(RocksDbContent.of(replayed, STATES))
                    .hasSizeGreaterThan(100)
                    .containsExactlyElementsOf(RocksDbContent.of(live, STATES));
        } finally {
            live.dispose();
            replayed.dispose();
        }
    }

    private AbstractKeyedStateBackend<String> backend(int keyGroups) throws Exception {
        return (AbstractKeyedStateBackend<String>)
                DelegateKind.ROCKSDB
                        .backend(Files.createTempDirectory(directory, "delegate"))
                        .createKeyedStateBackend(
                                new KeyedStateBackendParametersImpl<>(
                                        new MockEnvironmentBuilder().build(),
                                        new JobID(),
                                        "operator",
                                        STRINGS,
                                        keyGroups,
                                        KeyGroupRange.of(0, keyGroups - 1),
                                        null,
                                        TtlTimeProvider.DEFAULT,
                                        new UnregisteredMetricsGroup(),
                                        Collections.emptyList(),
                                        new CloseableRegistry()));
    }

    /** Changes states at random; returns the change set. */
    private static byte[] change(AbstractKeyedStateBackend<String> backend) throws Exception {
        RecordingAppender log = new RecordingAppender();
        ChangeRecorder<String> recorder =
                new ChangeRecorder<>(log, backend.getKeyContext(), backend.getKeySerializer());
        backend.registerKeySelectionListener(key -> recorder.keyChanged());
        LoggedStates<String> logged = new LoggedStates<>(recorder);
        ValueStateDescriptor<Tuple2<String, Long>> ofValue =
                new ValueStateDescriptor<>("value", PAIRS.createSerializer(new ExecutionConfig()));
        ListStateDescriptor<Tuple2<String, Long>> ofList =
                new ListStateDescriptor<>("list", PAIRS.createSerializer(new ExecutionConfig()));
        MapStateDescriptor<Tuple2<String, Long>, Long> ofMap =
                new MapStateDescriptor<>(
                        "map",
                        PAIRS.createSerializer(new ExecutionConfig()),
                        LongSerializer.INSTANCE);
        InternalValueState<String, String, Tuple2<String, Long>> value =
                logged.keyValue(ofValue, backend.createOrUpdateInternalState(STRINGS, ofValue));
        InternalListState<String, String, Tuple2<String, Long>> list =
                logged.keyValue(ofList, backend.createOrUpdateInternalState(STRINGS, ofList));
        InternalMapState<String, String, Tuple2<String, Long>, Long> map =
                logged.keyValue(ofMap, backend.createOrUpdateInternalState(STRINGS, ofMap));
        Random random = new Random(1);
        for (int i = 0; i < CHANGES; i++) {
            backend.setCurrentKey(text(random));
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
        HandWrittenLog changes = new HandWrittenLog();
        for (RecordedChange each : log.take()) {
            int keyGroup = each.isMetadata() ? HandWrittenLog.META_GROUP : each.keyGroup();
            changes.raw(keyGroup, out -> out.write(each.bytes()));
        }
        return changes.seal();
    }

    /** Of which one is often the beginning of another; with characters of one to three bytes. */
    private static String text(Random random) {
        return "aa\u00e9\u4e2daa".substring(0, random.nextInt(7));
    }
}
