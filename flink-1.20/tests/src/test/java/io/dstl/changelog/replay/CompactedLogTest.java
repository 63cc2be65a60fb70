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

import static io.dstl.changelog.testing.Serializers.INTS;
import static io.dstl.changelog.testing.Serializers.LONGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.changelog.testing.Delegate;
import io.dstl.changelog.testing.EveryState;
import io.dstl.changelog.testing.KeyedTask;
import io.dstl.changelog.testing.LoggedBackend;
import io.dstl.changelog.testing.OnEachDelegate;
import io.dstl.changelog.testing.PlainBackend;
import io.dstl.changelog.testing.RandomChanges;
import io.dstl.fs.log.SegmentedChangeLog;
import io.dstl.fs.option.DstlOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.internal.InternalAggregatingState;
import org.apache.flink.runtime.state.internal.InternalReducingState;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;

/**
 * A log without the changes that later ones made void comes to the state of a backend that has no
 * log: after any sequence of calls on states of all kinds, cut into change sets anywhere, written
 * to segments and read from them.
 */
class CompactedLogTest extends ReplayTest {
    private static final int SEEDS = Integer.getInteger("dstl.compaction.seeds", 6);
    private static final int OPERATIONS = 1500;

    private static final List<Integer> KEYS = List.of(0, 1, 2, 3, 4, 5);

    @OnEachDelegate
    void comesToTheSameState(Delegate kind) throws Exception {
        long kept = 0;
        long all = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            kept += run(kind, seed, true);
            all += run(kind, seed, false);
        }

        assertThat(kept)
                .as("bytes of the logs, of %s without compaction", all)
                .isBetween(1L, all * 3 / 4);
    }

    @OnEachDelegate
    void holdsOneChangeOfWhatWasReplacedFiveTimes(Delegate kind) throws Exception {
        try (WrittenLog written = new WrittenLog(kind)) {
            EveryState states = new EveryState(written.logged);
            states.enter(1, 2);
            for (int i = 0; i < 5; i++) {
                states.value.update("v" + i);
                states.list.add("gone");
                states.list.update(new ArrayList<>(List.of("l" + i)));
                states.map.put("put", (long) i);
                for (Map.Entry<String, Long> entry : states.map.entries()) {
                    entry.setValue(10L + i);
                }
                states.map.put("removed", (long) i);
                states.map.remove("removed");
                states.reducing.add((long) i);
                states.aggregating.add(i);
                states.timers.add(new TimerHeapInternalTimer<>(1, 1, 2L));
                states.timers.poll();
            }

            assertThat(written.changes()).hasSize(7);
        }
    }

    /** As a window that is shorter than a change set does. */
    @Test
    void holdsNothingOfAnAccumulatorThatWasMadeAndCleared() throws Exception {
        try (WrittenLog written = new WrittenLog(Delegate.ROCKSDB)) {
            EveryState states = new EveryState(written.logged);
            states.enter(1, 2);
            states.value.update("stays");
            states.reducing.add(1L);
            states.reducing.add(2L);
            states.reducing.clear();
            states.aggregating.add(1);
            states.aggregating.clear();

            assertThat(written.changes()).hasSize(1);

            states.reducing.add(3L);
            written.log.nextSequenceNumber();
            states.value.update("stays too");
            states.reducing.add(4L);
            states.reducing.clear();

            assertThat(written.changes()).hasSize(1 + 1 + 2);
        }
    }

    /** What has expired may be gone from RocksDB's files and be in an earlier part of the log. */
    @Test
    void holdsTheRemovalOfAnAccumulatorThatMayExpire() throws Exception {
        ReducingStateDescriptor<Long> descriptor =
                new ReducingStateDescriptor<>("expiring", Long::sum, LONGS);
        descriptor.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofHours(1)).build());
        try (WrittenLog written = new WrittenLog(Delegate.ROCKSDB)) {
            EveryState states = new EveryState(written.logged);
            InternalReducingState<Integer, Long, Long> timed =
                    written.logged.state(LONGS, descriptor);
            states.enter(1, 2);
            timed.setCurrentNamespace(2L);
            states.value.update("of the same key group");
            timed.add(1L);
            timed.clear();

            assertThat(written.changes()).hasSize(2);
        }
    }

    /** The inner change finds nothing in RocksDB, the outer one has found nothing. */
    @Test
    void holdsNothingOfAnAccumulatorThatItsFunctionHadMadeToo() throws Exception {
        SelfAdding function = new SelfAdding();
        try (WrittenLog written = new WrittenLog(Delegate.ROCKSDB)) {
            EveryState states = new EveryState(written.logged);
            InternalAggregatingState<Integer, Long, Long, Long, Long> summed =
                    written.logged.state(
                            LONGS, new AggregatingStateDescriptor<>("summed", function, LONGS));
            states.enter(1, 2);
            summed.setCurrentNamespace(2L);
            states.value.update("of the same key group");
            function.state = Optional.of(summed);
            summed.add(1L);
            summed.clear();

            assertThat(written.changes()).as("the value's").hasSize(1);
        }
    }

    /** Adds to its own state when that has nothing, once. */
    private static final class SelfAdding implements AggregateFunction<Long, Long, Long> {
        private transient Optional<InternalAggregatingState<?, ?, Long, Long, Long>> state =
                Optional.empty();

        @Override
        public Long createAccumulator() {
            Optional<InternalAggregatingState<?, ?, Long, Long, Long>> own = state;
            state = Optional.empty();
            own.ifPresent(
                    each -> {
                        try {
                            each.add(100L);
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    });
            return 0L;
        }

        @Override
        public Long add(Long value, Long sum) {
            return sum + value;
        }

        @Override
        public Long getResult(Long sum) {
            return sum;
        }

        @Override
        public Long merge(Long one, Long other) {
            return one + other;
        }
    }

    /** A backend that logs to a compacted log, and what that has. */
    private final class WrittenLog implements AutoCloseable {
        private final StateChangelogStorage<ChangelogStateHandleStreamImpl> storage = storage(true);
        private final SegmentedChangeLog log;
        private final LoggedBackend<Integer> logged;

        WrittenLog(Delegate kind) throws Exception {
            log = (SegmentedChangeLog) storage.createWriter("operator", Delegate.ALL, null);
            logged = new LoggedBackend<>(create(kind), log);
        }

        /** All but metadata, since the beginning. */
        List<StateChange> changes() throws Exception {
            List<StateChange> changes = new ArrayList<>();
            try (CloseableIterator<StateChange> all =
                    storage.createReader().getChanges(persisted(log))) {
                all.forEachRemaining(changes::add);
            }
            changes.removeIf(change -> change.getKeyGroup() == StateChange.META_KEY_GROUP);
            return changes;
        }

        @Override
        public void close() throws Exception {
            logged.close();
            log.close();
            storage.close();
        }
    }

    private static ChangelogStateHandleStreamImpl persisted(SegmentedChangeLog log)
            throws Exception {
        return log.persist(SequenceNumber.of(0), 1).get().getJobManagerOwnedSnapshot();
    }

    /** Returns the bytes of the log. */
    private long run(Delegate kind, long seed, boolean compacted) throws Exception {
        try (StateChangelogStorage<ChangelogStateHandleStreamImpl> storage = storage(compacted);
                PlainBackend<Integer> model = new PlainBackend<>(create(Delegate.HEAP))) {
            RandomChanges expected = new RandomChanges(model, KEYS, new Random(seed));
            ChangelogStateHandleStreamImpl handle = log(kind, seed, storage, expected);
            List<String> content = withoutEmpty(expected.states().content(model.delegate));
            for (DelegateKind target : List.of(DelegateKind.HEAP, DelegateKind.ROCKSDB)) {
                assertThat(replayed(target, storage, handle))
                        .as("%s replayed into %s, seed %s", kind, target, seed)
                        .isEqualTo(content);
            }
            return handle.getStateSize();
        }
    }

    private StateChangelogStorage<ChangelogStateHandleStreamImpl> storage(boolean compacted)
            throws Exception {
        Configuration configuration = KeyedTask.logIn(emptyDirectory());
        configuration.set(DstlOptions.COMPACTION_ENABLED, compacted);
        return KeyedTask.logStorage(new JobID(), configuration);
    }

    /** Does the same to the expected states and to logged ones, and returns the log. */
    private ChangelogStateHandleStreamImpl log(
            Delegate kind,
            long seed,
            StateChangelogStorage<ChangelogStateHandleStreamImpl> storage,
            RandomChanges expected)
            throws Exception {
        Random cuts = new Random(-seed);
        try (SegmentedChangeLog log =
                        (SegmentedChangeLog) storage.createWriter("operator", Delegate.ALL, null);
                LoggedBackend<Integer> logged = new LoggedBackend<>(create(kind), log)) {
            RandomChanges changes = new RandomChanges(logged, KEYS, new Random(seed));
            for (int i = 0; i < OPERATIONS; i++) {
                expected.next();
                changes.next();
                switch (cuts.nextInt(250)) {
                    case 0:
                        log.nextSequenceNumber();
                        break;
                    case 1:
                        logged.recorder.startNewRound();
                        break;
                    default:
                        // goes on with the same change set
                }
            }
            return persisted(log);
        }
    }

    private List<String> replayed(
            DelegateKind kind,
            StateChangelogStorage<ChangelogStateHandleStreamImpl> storage,
            ChangelogStateHandleStreamImpl handle)
            throws Exception {
        try (ReplayFixture fixture = ReplayFixture.of(kind, emptyDirectory())) {
            fixture.replayFrom(
                            (log, needed) ->
                                    storage.createReader()
                                            .getChanges((ChangelogStateHandleStreamImpl) log))
                    .replay(List.of(ReplayFixture.handle(Delegate.ALL, handle)));
            return withoutEmpty(fixture.everyState());
        }
    }

    /** An empty list is as good as none: the heap keeps one, RocksDB does not. */
    private static List<String> withoutEmpty(List<String> content) {
        content.removeIf(line -> line.endsWith(" = []"));
        return content;
    }

    private AbstractKeyedStateBackend<Integer> create(Delegate kind) throws Exception {
        return kind.create(emptyDirectory(), INTS);
    }
}
