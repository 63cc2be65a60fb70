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

import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static io.dstl.changelog.testing.Serializers.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.record.StockRecords;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.ForEachValue;
import io.dstl.changelog.testing.LoggedBackend;
import io.dstl.changelog.testing.OnEachDelegate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.util.function.BiFunctionWithException;
import org.junit.jupiter.api.io.TempDir;

/**
 * The records of a RocksDB state, made of RocksDB's own bytes, are those of a heap state, which the
 * log serializes itself; for keys and namespaces of any length, fixed or not, as RocksDB's keys
 * have lengths in them where neither is fixed.
 */
class RecordBytesTest {
    private static final int MANY_KEY_GROUPS = 1000;

    @TempDir Path directory;

    /**
     * Where the length of a length grows: a text has its own length ahead, of one to three bytes.
     */
    private static int[] lengths() {
        return IntStream.concat(
                        IntStream.of(0, 1, 126, 127, 128),
                        IntStream.concat(
                                IntStream.rangeClosed(251, 257),
                                IntStream.rangeClosed(65531, 65536)))
                .toArray();
    }

    private static List<String> texts() {
        return IntStream.of(lengths()).mapToObj("x"::repeat).collect(Collectors.toList());
    }

    enum Case {
        FIXED_KEYS_AND_NAMESPACES(
                (test, kind) ->
                        test.records(
                                kind, INTS, List.of(0, -1, 1_000_000), LONGS, List.of(0L, -1L))),
        FIXED_KEYS((test, kind) -> test.records(kind, INTS, List.of(1, 2), STRINGS, texts())),
        FIXED_NAMESPACES(
                (test, kind) -> test.records(kind, STRINGS, texts(), LONGS, List.of(1L, 2L))),
        NOTHING_FIXED(
                (test, kind) -> {
                    List<RecordedChange> records = new ArrayList<>();
                    for (int length : lengths()) {
                        records.addAll(
                                test.records(
                                        kind,
                                        STRINGS,
                                        List.of("k".repeat(length)),
                                        STRINGS,
                                        texts()));
                    }
                    return records;
                });

        private final BiFunctionWithException<
                        RecordBytesTest, Delegate, List<RecordedChange>, Exception>
                run;

        Case(
                BiFunctionWithException<RecordBytesTest, Delegate, List<RecordedChange>, Exception>
                        run) {
            this.run = run;
        }
    }

    @ForEachValue
    void areThoseOfTheSerializers(Case each) throws Exception {
        List<RecordedChange> ofHeap = each.run.apply(this, Delegate.HEAP);
        List<RecordedChange> ofRocksDb = each.run.apply(this, Delegate.ROCKSDB);
        assertThat(ofRocksDb).hasSameSizeAs(ofHeap);
        for (int i = 0; i < ofHeap.size(); i++) {
            assertThat(ofRocksDb.get(i).keyGroup()).isEqualTo(ofHeap.get(i).keyGroup());
            assertThat(ofRocksDb.get(i).bytes())
                    .as("record %s", i)
                    .isEqualTo(ofHeap.get(i).bytes());
        }
    }

    private <K, N> List<RecordedChange> records(
            Delegate kind,
            TypeSerializer<K> keySerializer,
            Iterable<K> keys,
            TypeSerializer<N> namespaceSerializer,
            Iterable<N> namespaces)
            throws Exception {
        try (LoggedBackend<K> backend =
                new LoggedBackend<>(kind.create(directory, keySerializer, MANY_KEY_GROUPS))) {
            InternalValueState<K, N, String> value =
                    backend.state(
                            namespaceSerializer, new ValueStateDescriptor<>("value", STRINGS));
            InternalMapState<K, N, String, Long> map =
                    backend.state(
                            namespaceSerializer, new MapStateDescriptor<>("map", STRINGS, LONGS));
            for (K key : keys) {
                backend.setCurrentKey(key);
                for (N namespace : namespaces) {
                    value.setCurrentNamespace(namespace);
                    map.setCurrentNamespace(namespace);
                    value.update("v");
                    map.put("a", 1L);
                    map.put("bc", null);
                    map.remove("a");
                    value.clear();
                }
            }
            return backend.changes();
        }
    }

    /** Byte for byte, for the same calls: what Flink 1.20.5's own backend wrote. */
    @OnEachDelegate
    void writesWhatStockWrote(Delegate kind) throws Exception {
        try (LoggedBackend<Integer> backend = new LoggedBackend<>(kind, directory, INTS)) {
            List<String> lines = new ArrayList<>();
            Runnable takeRecords =
                    () -> backend.log.take().forEach(record -> lines.add(record.toHexLine()));
            new GoldenScenario(
                            backend,
                            step -> {
                                takeRecords.run();
                                lines.add("# " + step);
                            })
                    .run();
            takeRecords.run();

            assertThat(lines).isEqualTo(StockRecords.lines());
        }
    }
}
