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
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.record.RecordedChange;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.LoggedBackend;
import io.dstl.changelog.testing.OnEachDelegate;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.api.java.tuple.Tuple1;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.internal.InternalKvState.StateIncrementalVisitor;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.apache.flink.util.function.FunctionWithException;
import org.junit.jupiter.api.Test;

class LoggedMapStateTest extends LoggedStateTest {
    private static final TypeSerializer<?> KEY = STRINGS;
    private static final TypeSerializer<?> VALUE = LONGS;
    private static final TypeSerializer<?> MAP = new MapSerializer<>(STRINGS, LONGS);

    private InternalMapState<Integer, Long, String, Long> state;

    @Override
    void open(Delegate kind) throws Exception {
        super.open(kind);
        state = backend.state(LONGS, 1L, new MapStateDescriptor<>("map", STRINGS, LONGS));
    }

    private void openWithTwoEntries(Delegate kind) throws Exception {
        open(kind);
        state.put("a", 1L);
        state.put("b", 2L);
        backend.log.take();
    }

    @OnEachDelegate
    void logsEntries(Delegate kind) throws Exception {
        open(kind);
        state.put("a", 1L);
        assertThat(changes(KEY, VALUE)).containsExactly("ADD_OR_UPDATE_ELEMENT key=7 ns=1 a 1");
        state.putAll(new TreeMap<>(Map.of("b", 2L, "c", 3L)));
        assertThat(changes(MAP)).containsExactly("ADD key=7 ns=1 {b=2, c=3}");
        state.remove("a");
        assertThat(changes(KEY)).containsExactly("REMOVE_ELEMENT key=7 ns=1 a");
        state.clear();
        assertThat(changes()).containsExactly("CLEAR key=7 ns=1");
        assertThat(state.isEmpty()).isTrue();
    }

    @OnEachDelegate
    void logsMoreThanABatchOfRocksDbAsOneChange(Delegate kind) throws Exception {
        open(kind);
        Map<String, Long> entries = new TreeMap<>();
        for (long i = 0; i < 1_200; i++) {
            entries.put("k" + i, i);
        }
        state.putAll(entries);
        List<String> logged = changes(MAP);
        assertThat(logged).hasSize(1);
        assertThat(logged.get(0)).startsWith("ADD key=7 ns=1 {").contains("k0=0", "k1199=1199");
        assertThat(logged.get(0).split(", ")).hasSize(1_200);
        assertThat(state.get("k0")).isEqualTo(0L);
        assertThat(state.get("k1199")).isEqualTo(1_199L);
    }

    @OnEachDelegate
    void aMapThatCannotBeReadToItsEndChangesNothing(Delegate kind) throws Exception {
        open(kind);
        IllegalStateException failure = new IllegalStateException("no more entries");
        Map<String, Long> entries =
                new AsItIsRead(
                        number -> {
                            throw failure;
                        });
        assertThatThrownBy(() -> state.putAll(entries)).isSameAs(failure);
        assertThat(state.isEmpty()).isTrue();
        assertThat(backend.log.take()).isEmpty();
        assertThatCode(backend.recorder::checkComplete).doesNotThrowAnyException();
    }

    @OnEachDelegate
    void aMapMayChangeTheStateWhileItIsRead(Delegate kind) throws Exception {
        open(kind);
        state.putAll(
                new AsItIsRead(
                        number -> {
                            state.putAll(Map.of("b", number));
                            return Map.entry("c", number);
                        }));
        assertThat(changes(MAP))
                .containsExactly("ADD key=7 ns=1 {b=1}", "ADD key=7 ns=1 {a=0, c=1}");
    }

    @OnEachDelegate
    void logsANullValue(Delegate kind) throws Exception {
        open(kind);
        state.put("a", null);
        assertThat(changes(MAP)).containsExactly("ADD key=7 ns=1 {a=null}");
        assertThat(state.contains("a")).isTrue();
        assertThat(state.get("a")).isNull();

        state.put("a", 1L);
        state.iterator().next().setValue(null);
        assertThat(backend.changes()).hasSize(2);
        assertThat(state.contains("a")).isTrue();
        assertThat(state.get("a")).isNull();
    }

    @OnEachDelegate
    void readsLogNothing(Delegate kind) throws Exception {
        openWithTwoEntries(kind);
        assertThat(state.get("a")).isEqualTo(1L);
        assertThat(state.contains("c")).isFalse();
        assertThat(state.isEmpty()).isFalse();
        assertThat(state.keys()).containsExactlyInAnyOrder("a", "b");
        assertThat(state.values()).containsExactlyInAnyOrder(1L, 2L);
        assertThat(state.entries())
                .containsExactlyInAnyOrder(Map.entry("a", 1L), Map.entry("b", 2L));
        assertThat(backend.log.take()).isEmpty();
    }

    @OnEachDelegate
    void logsRemovalsThroughEachIterator(Delegate kind) throws Exception {
        openWithTwoEntries(kind);
        removeAll(state.keys().iterator());
        assertThat(changes(KEY))
                .containsExactlyInAnyOrder(
                        "REMOVE_ELEMENT key=7 ns=1 a", "REMOVE_ELEMENT key=7 ns=1 b");
        state.put("c", 3L);
        changes(KEY, VALUE);
        removeAll(state.values().iterator());
        assertThat(changes(KEY)).containsExactly("REMOVE_ELEMENT key=7 ns=1 c");
        state.put("d", 4L);
        changes(KEY, VALUE);
        removeAll(state.entries().iterator());
        assertThat(changes(KEY)).containsExactly("REMOVE_ELEMENT key=7 ns=1 d");
        state.put("e", 5L);
        changes(KEY, VALUE);
        removeAll(state.iterator());
        assertThat(changes(KEY)).containsExactly("REMOVE_ELEMENT key=7 ns=1 e");
        assertThat(state.isEmpty()).isTrue();
    }

    @OnEachDelegate
    void logsValuesSetThroughEntries(Delegate kind) throws Exception {
        openWithTwoEntries(kind);
        for (Map.Entry<String, Long> entry : state.entries()) {
            assertThat(entry.setValue(entry.getValue() + 10)).isLessThan(10L);
        }
        assertThat(changes(KEY, VALUE))
                .containsExactlyInAnyOrder(
                        "ADD_OR_UPDATE_ELEMENT key=7 ns=1 a 11",
                        "ADD_OR_UPDATE_ELEMENT key=7 ns=1 b 12");
        assertThat(state.get("a")).isEqualTo(11L);
    }

    @OnEachDelegate
    void anIteratorKeepsTheKeyItWasMadeFor(Delegate kind) throws Exception {
        openWithTwoEntries(kind);
        Iterator<Map.Entry<String, Long>> iterator = state.iterator();
        Map.Entry<String, Long> first = iterator.next();
        String key = first.getKey();
        backend.setCurrentKey(8);
        state.setCurrentNamespace(2L);
        first.setValue(99L);
        iterator.remove();

        assertThat(backend.log.take())
                .allSatisfy(
                        change ->
                                assertThat(change.keyGroup())
                                        .isEqualTo(backend.recorder.keyGroupOf(7)));
        backend.setCurrentKey(7);
        state.setCurrentNamespace(1L);
        assertThat(state.contains(key)).isFalse();
    }

    @OnEachDelegate
    void anIteratorLogsTheKeyItWasMadeFor(Delegate kind) throws Exception {
        openWithTwoEntries(kind);
        Iterator<String> keys = state.keys().iterator();
        String key = keys.next();
        backend.setCurrentKey(8);
        state.setCurrentNamespace(2L);
        keys.remove();
        assertThat(changes(KEY)).containsExactly("REMOVE_ELEMENT key=7 ns=1 " + key);
    }

    /** RocksDB has the bytes of the key from when it became current. */
    @Test
    void anIteratorLogsTheKeyAsItWasBeforeTheUserChangedIt() throws Exception {
        open(Delegate.HEAP);
        @SuppressWarnings({"unchecked", "rawtypes"}) // There is no class literal of its type.
        TypeSerializer<Tuple1<Integer>> keys =
                new TupleSerializer(Tuple1.class, new TypeSerializer<?>[] {INTS});
        try (LoggedBackend<Tuple1<Integer>> rocksDb =
                new LoggedBackend<>(Delegate.ROCKSDB, directory.resolve("tuples"), keys)) {
            Tuple1<Integer> key = Tuple1.of(7);
            rocksDb.setCurrentKey(key);
            InternalMapState<Tuple1<Integer>, Long, String, Long> map =
                    rocksDb.state(LONGS, 1L, new MapStateDescriptor<>("map", STRINGS, LONGS));
            map.put("a", 1L);
            rocksDb.log.take();

            key.f0 = 8;
            Iterator<String> entries = map.keys().iterator();
            entries.next();
            entries.remove();

            RecordedChange removal = rocksDb.changes().get(0);
            assertThat(removal.describe(keys, LONGS, KEY))
                    .isEqualTo("REMOVE_ELEMENT key=(7) ns=1 a");
        }
    }

    @OnEachDelegate
    void keysAndValuesAreThoseOfTheKeyTheyWereAskedFor(Delegate kind) throws Exception {
        openWithTwoEntries(kind);
        Iterable<String> keys = state.keys();
        Iterable<Long> values = state.values();
        switchToAnotherMap();
        assertThat(keys).containsExactlyInAnyOrder("a", "b");
        assertThat(values).containsExactlyInAnyOrder(1L, 2L);
        assertThat(state.keys()).containsExactly("c");
        backend.setCurrentKey(7);
        state.setCurrentNamespace(1L);
        removeAll(keys.iterator());
        assertThat(values).isEmpty();
        assertThat(changes(KEY))
                .containsExactlyInAnyOrder(
                        "REMOVE_ELEMENT key=7 ns=1 a", "REMOVE_ELEMENT key=7 ns=1 b");
    }

    /** Which entry a value is of is not known then. */
    @Test
    void nothingIsRemovedThroughThoseOfRocksDbUnderAnotherKey() throws Exception {
        openWithTwoEntries(Delegate.ROCKSDB);
        List<Iterable<?>> views = List.of(state.keys(), state.values());
        switchToAnotherMap();
        for (Iterable<?> view : views) {
            Iterator<?> iterator = view.iterator();
            iterator.next();
            assertThatThrownBy(iterator::remove)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("'map'")
                    .hasMessageContaining("iterator()");
            assertThat(view).hasSize(2);
        }
        assertThat(backend.log.take()).isEmpty();
    }

    @Test
    void whatIsRemovedThroughThoseOfTheHeapUnderAnotherKeyIsLogged() throws Exception {
        openWithTwoEntries(Delegate.HEAP);
        Iterable<String> keys = state.keys();
        switchToAnotherMap();
        removeAll(keys.iterator());
        assertThat(changes(KEY))
                .containsExactlyInAnyOrder(
                        "REMOVE_ELEMENT key=7 ns=1 a", "REMOVE_ELEMENT key=7 ns=1 b");
        backend.setCurrentKey(7);
        state.setCurrentNamespace(1L);
        assertThat(state.isEmpty()).isTrue();
    }

    /** As without a changelog: clear() leaves the map to those who have asked for it. */
    @Test
    void viewsOfTheHeapOutliveAClear() throws Exception {
        openWithTwoEntries(Delegate.HEAP);
        Iterable<Map.Entry<String, Long>> entries = state.entries();
        Iterable<String> keys = state.keys();
        Iterable<Long> values = state.values();
        state.clear();
        for (String key : keys) {
            state.put(key, 0L);
        }

        assertThat(entries).containsExactlyInAnyOrder(Map.entry("a", 1L), Map.entry("b", 2L));
        assertThat(values).containsExactlyInAnyOrder(1L, 2L);
        assertThat(state.values()).containsExactly(0L, 0L);
    }

    @Test
    void whatIsSetInAMapThatTheHeapHasLeftIsNotLogged() throws Exception {
        openWithTwoEntries(Delegate.HEAP);
        Map.Entry<String, Long> left = state.iterator().next();
        state.clear();
        backend.log.take();
        left.setValue(3L);
        assertThat(backend.log.take()).isEmpty();
        state.put(left.getKey(), 4L);
        backend.log.take();
        left.setValue(5L);

        assertThat(backend.log.take()).isEmpty();
        assertThat(state.get(left.getKey())).isEqualTo(4L);
        switchToAnotherMap();
        left.setValue(6L);
        assertThat(backend.log.take()).isEmpty();
    }

    /** Time-to-live has another map with what is left in the place of each. */
    @Test
    void theHeapLeavesAMapThatIsCleanedUp() throws Exception {
        openWithTwoEntries(Delegate.HEAP);
        Iterator<Map.Entry<String, Long>> iterator = state.iterator();
        iterator.next();
        StateIncrementalVisitor<Integer, Long, Map<String, Long>> visitor =
                state.getStateIncrementalVisitor(1);
        StateEntry<Integer, Long, Map<String, Long>> cleanedUp = next(visitor);
        visitor.update(cleanedUp, new HashMap<>(cleanedUp.getState()));
        iterator.remove();
        assertThat(backend.log.take()).isEmpty();
        assertThat(state.values()).hasSize(2);

        Iterator<String> keys = state.keys().iterator();
        String key = keys.next();
        visitor.remove(cleanedUp);
        state.put(key, 3L);
        backend.log.take();
        keys.remove();
        assertThat(backend.log.take()).isEmpty();
        assertThat(state.get(key)).isEqualTo(3L);
    }

    /** The table is visited in parts, of which some are empty. */
    private static <T> StateEntry<Integer, Long, T> next(
            StateIncrementalVisitor<Integer, Long, T> visitor) {
        while (visitor.hasNext()) {
            for (StateEntry<Integer, Long, T> entry : visitor.nextEntries()) {
                return entry;
            }
        }
        throw new AssertionError("The state has an entry");
    }

    @Test
    void theHeapLeavesAMapWithItsLastEntry() throws Exception {
        openWithTwoEntries(Delegate.HEAP);
        Iterator<Map.Entry<String, Long>> iterator = state.iterator();
        Map.Entry<String, Long> left = iterator.next();
        state.remove("a");
        left.setValue(3L);
        assertThat(backend.log.take()).as("the other entry is there").hasSize(2);
        state.remove("b");
        backend.log.take();
        left.setValue(4L);

        assertThat(backend.log.take()).isEmpty();
        assertThat(state.isEmpty()).isTrue();
    }

    /** A snapshot makes the heap copy a map as it is read next. */
    @Test
    void whatIsSetWhileASnapshotIsOpenIsLogged() throws Exception {
        openWithTwoEntries(Delegate.HEAP);
        List<Map.Entry<String, Long>> entries = new ArrayList<>();
        state.iterator().forEachRemaining(entries::add);
        backend.setCurrentKey(8);
        state.clear();
        backend.setCurrentKey(7);
        backend.log.take();
        RunnableFuture<?> snapshot = snapshot();
        entries.forEach(entry -> entry.setValue(9L));
        snapshot.cancel(true);

        assertThat(changes(KEY, VALUE))
                .containsExactlyInAnyOrder(
                        "ADD_OR_UPDATE_ELEMENT key=7 ns=1 a 9",
                        "ADD_OR_UPDATE_ELEMENT key=7 ns=1 b 9");
        assertThat(state.values()).containsExactly(9L, 9L);
    }

    private RunnableFuture<?> snapshot() throws Exception {
        return backend.delegate.snapshot(
                1,
                1,
                new MemCheckpointStreamFactory(1 << 20),
                CheckpointOptions.forCheckpointWithDefaultLocation());
    }

    @Test
    void whatIsRemovedFromAMapThatTheHeapHasLeftIsNotLogged() throws Exception {
        openWithTwoEntries(Delegate.HEAP);
        Iterator<Map.Entry<String, Long>> iterator = state.iterator();
        String key = iterator.next().getKey();
        state.clear();
        state.put(key, 3L);
        backend.log.take();
        iterator.remove();

        assertThat(backend.log.take()).isEmpty();
        assertThat(state.get(key)).isEqualTo(3L);
    }

    private void switchToAnotherMap() throws Exception {
        backend.setCurrentKey(8);
        state.setCurrentNamespace(2L);
        state.put("c", 3L);
        backend.log.take();
    }

    @OnEachDelegate
    void refusesToRemoveBeforeTheFirstEntry(Delegate kind) throws Exception {
        openWithTwoEntries(kind);
        Iterator<?> iterator = state.iterator();
        assertThatThrownBy(iterator::remove).isInstanceOf(IllegalStateException.class);
        assertThat(backend.log.take()).isEmpty();
    }

    private static void removeAll(Iterator<?> iterator) {
        while (iterator.hasNext()) {
            iterator.next();
            iterator.remove();
        }
    }

    /** An entry a=0, and another that is made when it is asked for. */
    private static final class AsItIsRead extends AbstractMap<String, Long> {
        private final FunctionWithException<Long, Map.Entry<String, Long>, Exception> second;

        AsItIsRead(FunctionWithException<Long, Map.Entry<String, Long>, Exception> second) {
            this.second = second;
        }

        @Override
        public Set<Map.Entry<String, Long>> entrySet() {
            return new AbstractSet<>() {
                @Override
                public Iterator<Map.Entry<String, Long>> iterator() {
                    return Stream.of(0L, 1L).map(AsItIsRead.this::entry).iterator();
                }

                @Override
                public int size() {
                    return 2;
                }
            };
        }

        private Map.Entry<String, Long> entry(long number) {
            try {
                return number == 0 ? Map.entry("a", number) : second.apply(number);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
