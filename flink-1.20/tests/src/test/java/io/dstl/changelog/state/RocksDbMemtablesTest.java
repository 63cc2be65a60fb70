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

import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.HeldCompactions;
import io.dstl.changelog.testing.KeyedTask;
import io.dstl.changelog.testing.LoggedBackend;
import io.dstl.changelog.testing.PlainBackend;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBOptionsFactory;
import org.apache.flink.contrib.streaming.state.RocksDbMemory;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionStyle;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RocksDbMemtablesTest {
    private LoggedBackend<Long> backend;
    private ValueState<Long> state;
    private ValueState<Long> other;
    private DelegateSupport.Memtables memtables;

    @BeforeEach
    void open(@TempDir Path directory) throws Exception {
        backend = new LoggedBackend<>(Delegate.ROCKSDB, directory, LONGS);
        state = state("state");
        other = state("other");
        memtables = DelegateSupport.get().memtables(backend.delegate).orElseThrow();
        for (long key = 0; key < 100; key++) {
            backend.delegate.setCurrentKey(key);
            state.update(key);
            other.update(key);
        }
    }

    private ValueState<Long> state(String name) throws Exception {
        return KeyedTask.state(backend.delegate, new ValueStateDescriptor<>(name, LONGS));
    }

    @AfterEach
    void close() throws Exception {
        memtables.close();
        backend.close();
    }

    @Test
    void areEmptyOnceTheyAreFlushed() throws Exception {
        assertThat(memtables.entries(List.of("state", "no state of RocksDB's"))).isEqualTo(100);
        assertThat(memtables.entries(List.of("state", "other"))).isEqualTo(200);
        memtables.flush(List.of("state", "no state of RocksDB's")).run();

        assertThat(memtables.entries(List.of("state"))).isZero();
        assertThat(memtables.entries(List.of("state", "other"))).isEqualTo(100);
        assertThat(state.value()).isEqualTo(99);
    }

    /** That is why they are flushed ahead. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void areFlushedByTheSynchronousPartOfASnapshot(boolean incremental, @TempDir Path other)
            throws Exception {
        try (PlainBackend<Long> plain = plain(Delegate.rocksDb(other, incremental));
                DelegateSupport.Memtables its =
                        DelegateSupport.get().memtables(plain.delegate).orElseThrow()) {
            ValueState<Long> value =
                    KeyedTask.state(plain.delegate, new ValueStateDescriptor<>("state", LONGS));
            plain.setCurrentKey(1L);
            value.update(1L);
            assertThat(its.entries(List.of("state"))).isOne();

            plain.delegate
                    .snapshot(
                            1,
                            1,
                            new MemCheckpointStreamFactory(1 << 20),
                            CheckpointOptions.forCheckpointWithDefaultLocation())
                    .cancel(true);
            assertThat(its.entries(List.of("state"))).isZero();
        }
    }

    /** As after a burst. */
    @Test
    void thoseThatAreFullAndWaitForTheirFlushCountToo(@TempDir Path other) throws Exception {
        EmbeddedRocksDBStateBackend small = Delegate.rocksDb(other, true);
        small.setRocksDBOptions(new SmallMemtables());
        try (PlainBackend<Long> its = plain(small)) {
            ValueState<String> value =
                    KeyedTask.state(
                            its.delegate,
                            new ValueStateDescriptor<>("state", StringSerializer.INSTANCE));
            RocksDbMemory.holdFlushes(value);
            for (long key = 0; key < 100; key++) {
                its.setCurrentKey(key);
                value.update("x".repeat(1000));
            }
            assertThat(RocksDbMemory.entries(value)).as("the other ones wait").isLessThan(100);
            assertThat(
                            DelegateSupport.get()
                                    .memtables(its.delegate)
                                    .orElseThrow()
                                    .entries(List.of("state")))
                    .isEqualTo(100);
            RocksDbMemory.releaseFlushes(value);
        }
    }

    /** Else a task that is cancelled would wait for RocksDB's compactions. */
    @Test
    void aFlushThatIsHeldBackRunsWhenTheBackendEnds(@TempDir Path other) throws Exception {
        EmbeddedRocksDBStateBackend stalling = Delegate.rocksDb(other, true);
        HeldCompactions compactions = new HeldCompactions();
        stalling.setRocksDBOptions(compactions);
        try (PlainBackend<Long> plain = plain(stalling);
                DelegateSupport.Memtables its =
                        DelegateSupport.get().memtables(plain.delegate).orElseThrow();
                HeldCompactions held = compactions) {
            ValueState<Long> value =
                    KeyedTask.state(plain.delegate, new ValueStateDescriptor<>("state", LONGS));
            for (long file = 1; file <= HeldCompactions.TRIGGER; file++) {
                assertThat(its.wouldStall(List.of("state"))).isFalse();
                plain.setCurrentKey(file);
                value.update(file);
                its.flush(List.of("state")).run();
            }
            assertThat(its.wouldStall(List.of("state"))).isTrue();
            plain.setCurrentKey(0L);
            value.update(0L);
            Thread flush = new Thread(its.flush(List.of("state")));
            flush.start();
            while (flush.isAlive() && !isInRocksDb(flush)) {
                Thread.onSpinWait();
            }
            assertThat(flush.isAlive()).isTrue();
            assertThat(its.entries(List.of("state"))).isOne();

            its.close();
            flush.join();
            assertThat(its.entries(List.of("state"))).isZero();
        }
    }

    @Test
    void aCompactionThatFreesSomethingIsSeenUntilItHasEnded(@TempDir Path other) throws Exception {
        try (Flushed its = new Flushed(other, new HeldCompactions())) {
            for (int file = 1; file < HeldCompactions.TRIGGER; file++) {
                its.flush(1, 2);
                assertThat(its.compacting()).as("after %s files", file).isFalse();
            }
            its.flush(1, 2);
            assertThat(its.compacting()).isTrue();

            its.compactions.close();
            while (its.compacting()) {
                Thread.onSpinWait();
            }
            assertThat(its.value.value()).isEqualTo(2);
        }
    }

    /** As where keys are not written again: a snapshot would not get smaller. */
    @Test
    void aCompactionThatFreesNothingIsNoneToWaitFor(@TempDir Path other) throws Exception {
        try (Flushed its = new Flushed(other, new HeldCompactions())) {
            for (long file = 1; file <= HeldCompactions.TRIGGER; file++) {
                its.flush(file);
            }
            assertThat(its.compacting()).isFalse();
        }
    }

    /** Else the wait would be for nothing, each time, where the state is large. */
    @Test
    void aCompactionThatFreesLessThanATenthIsNoneToWaitFor(@TempDir Path other) throws Exception {
        try (Flushed its = new Flushed(other, new HeldCompactions())) {
            its.compactions.close();
            its.flush(LongStream.range(0, 100_000).toArray());
            RocksDbMemory.compact(its.value);
            its.compactions.hold();
            for (int file = 1; file <= HeldCompactions.TRIGGER; file++) {
                its.flush(LongStream.range(0, 1_000).toArray());
            }
            assertThat(its.compacting()).as("of some 4%").isFalse();

            its.compactions.close();
            RocksDbMemory.compact(its.value);
            its.compactions.hold();
            for (int file = 1; file <= HeldCompactions.TRIGGER; file++) {
                its.flush(LongStream.range(0, 10_000).toArray());
            }
            assertThat(its.compacting()).as("of some 30%").isTrue();
        }
    }

    /** Of other styles there may always be as many files. */
    @Test
    void ofUniversalCompactionThereIsNoneToWaitFor(@TempDir Path other) throws Exception {
        assertNoneIsWaitedFor(
                other, options -> options.setCompactionStyle(CompactionStyle.UNIVERSAL));
    }

    @Test
    void whereNothingIsCompactedThereIsNothingToWaitFor(@TempDir Path other) throws Exception {
        assertNoneIsWaitedFor(other, options -> options.setDisableAutoCompactions(true));
    }

    private static void assertNoneIsWaitedFor(
            Path directory, UnaryOperator<ColumnFamilyOptions> setting) throws Exception {
        HeldCompactions compactions =
                new HeldCompactions() {
                    private static final long serialVersionUID = 1L;

                    @Override
                    public ColumnFamilyOptions createColumnOptions(
                            ColumnFamilyOptions options, Collection<AutoCloseable> toClose) {
                        return setting.apply(super.createColumnOptions(options, toClose));
                    }
                };
        try (Flushed its = new Flushed(directory, compactions)) {
            for (int file = 1; file <= HeldCompactions.TRIGGER; file++) {
                its.flush(1, 2);
            }
            assertThat(its.compacting()).isFalse();
        }
    }

    @Test
    void noCompactionIsWaitedForOnceTheBackendEnds(@TempDir Path other) throws Exception {
        try (Flushed its = new Flushed(other, new HeldCompactions())) {
            for (int file = 1; file <= HeldCompactions.TRIGGER; file++) {
                its.flush(1, 2);
            }
            BooleanSupplier compacting = its.memtables.compacting(List.of("state"));
            its.memtables.close();
            assertThat(compacting.getAsBoolean()).isFalse();
        }
    }

    /** A backend whose state is flushed file by file. */
    private static final class Flushed implements AutoCloseable {
        private final HeldCompactions compactions;
        private final PlainBackend<Long> backend;
        private final DelegateSupport.Memtables memtables;
        private final ValueState<Long> value;

        Flushed(Path directory, HeldCompactions compactions) throws Exception {
            this.compactions = compactions;
            EmbeddedRocksDBStateBackend rocksDb = Delegate.rocksDb(directory, true);
            rocksDb.setRocksDBOptions(compactions);
            backend = plain(rocksDb);
            memtables = DelegateSupport.get().memtables(backend.delegate).orElseThrow();
            value = KeyedTask.state(backend.delegate, new ValueStateDescriptor<>("state", LONGS));
        }

        /** Files of one key never overlap: RocksDB knows each change by a number. */
        void flush(long... keys) throws Exception {
            for (long key : keys) {
                backend.setCurrentKey(key);
                value.update(key);
            }
            memtables.flush(List.of("state")).run();
        }

        boolean compacting() {
            return memtables.compacting(List.of("state")).getAsBoolean();
        }

        @Override
        public void close() throws Exception {
            compactions.close();
            memtables.close();
            backend.close();
        }
    }

    private static boolean isInRocksDb(Thread flush) {
        StackTraceElement[] stack = flush.getStackTrace();
        return stack.length > 0
                && stack[0].isNativeMethod()
                && stack[0].getClassName().equals(RocksDB.class.getName())
                && stack[0].getMethodName().equals("flush");
    }

    private static PlainBackend<Long> plain(EmbeddedRocksDBStateBackend of) throws Exception {
        return new PlainBackend<>(
                (AbstractKeyedStateBackend<Long>)
                        of.createKeyedStateBackend(new KeyedTask<>(LONGS).parameters()));
    }

    /** Of the smallest size that RocksDB takes, and enough of them that no write waits. */
    private static final class SmallMemtables implements RocksDBOptionsFactory {
        private static final long serialVersionUID = 1L;

        @Override
        public DBOptions createDBOptions(DBOptions options, Collection<AutoCloseable> toClose) {
            return options;
        }

        @Override
        public ColumnFamilyOptions createColumnOptions(
                ColumnFamilyOptions options, Collection<AutoCloseable> toClose) {
            return options.setWriteBufferSize(64 << 10).setMaxWriteBufferNumber(10);
        }
    }

    @Test
    void ofTheHeapThereAreNone(@TempDir Path other) throws Exception {
        try (PlainBackend<Long> heap = new PlainBackend<>(Delegate.HEAP.create(other, LONGS))) {
            assertThat(DelegateSupport.get().memtables(heap.delegate)).isEmpty();
        }
    }

    @Test
    void areNotFlushedOnceTheBackendEnds() throws Exception {
        Runnable flush = memtables.flush(List.of("state"));
        memtables.close();
        flush.run();

        assertThat(RocksDbMemory.entries(state)).isPositive();
    }
}
