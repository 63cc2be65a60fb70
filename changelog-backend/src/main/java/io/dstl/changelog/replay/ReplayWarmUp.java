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

import static java.util.Collections.singletonList;
import static java.util.Objects.requireNonNull;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.BulkSettings;
import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.fs.read.ChangeReader;
import io.dstl.fs.read.UncachedSource;
import io.dstl.materializer.ReplayRate;
import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.FlinkException;
import org.apache.flink.util.clock.Clock;

/**
 * Replays logs of no job, so that the JVM has loaded and compiled the code of a restore before the
 * first one comes. In a process that has just started, a replay is several times slower, and
 * compiling it takes the processors from all else that a restore does.
 *
 * <p>Reads, takes in and sorts the logs as in a restore whose delegate does not exist yet. Changes
 * that do not fit into a small table go to RocksDB's files, which loads RocksDB's library into the
 * process. The replays leave nothing behind: no file, no line in the log, no metric.
 *
 * <p>Used by one thread; starts another one that reads ahead. Holds one log at a time, of 8 MB or
 * less, and a table of the size of a small restore's.
 */
public final class ReplayWarmUp {
    private static final LongSerializer LONGS = LongSerializer.INSTANCE;
    private static final StringSerializer STRINGS = StringSerializer.INSTANCE;

    @SuppressWarnings({"unchecked", "rawtypes"}) // There is no class literal of a generic type.
    private static final TypeSerializer<Tuple2<String, Long>> PAIRS =
            new TupleSerializer<>((Class) Tuple2.class, new TypeSerializer<?>[] {STRINGS, LONGS});

    /** On two cores the first round takes 0.6 s for each log, and the third 0.25 s. */
    private static final int ROUNDS = 3;

    /** A log of the warm-up has more bytes than this. */
    private static final int TABLE_BYTES = 2 << 20;

    private final Path directory;
    private final CloseableRegistry cancellation;
    private final Clock clock;

    /**
     * @param directory on the local disk, where files may be made; keeps RocksDB's library
     * @param cancellation closed to end the warm-up
     */
    public ReplayWarmUp(Path directory, CloseableRegistry cancellation, Clock clock) {
        this.directory = requireNonNull(directory);
        this.cancellation = requireNonNull(cancellation);
        this.clock = requireNonNull(clock);
    }

    /**
     * Replays logs with keys that stay as they are, short and long ones, and with keys that are
     * read and rewritten.
     *
     * @return what was replayed in bulk, log by log
     * @throws CancelTaskException if the warm-up was cancelled
     */
    public List<BulkReplay.Tally> run() throws Exception {
        List<BulkReplay.Tally> tallies = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            tallies.add(replay(LONGS, Long::valueOf, round));
            tallies.add(replay(STRINGS, Long::toHexString, round));
            tallies.add(replay(PAIRS, key -> Tuple2.of("key", key), round));
        }
        return tallies;
    }

    private <K> BulkReplay.Tally replay(
            TypeSerializer<K> serializer, LongFunction<K> keys, long seed) throws Exception {
        ReadAhead source = new ReadAhead(this::open, cancellation, new RestoreProgress(clock));
        try (DelegateSupport.Spill spill =
                        DelegateSupport.get().newSpill(directory, Cancellation.of(cancellation));
                BulkReplay early =
                        new BulkReplay(
                                BulkSettings.of(1, TABLE_BYTES),
                                WarmUpLog.ALL,
                                cancellation,
                                clock);
                AnnouncedLogs logs =
                        AnnouncedLogs.of(
                                singletonList(newLog(serializer, keys, seed)),
                                WarmUpLog.ALL,
                                source)) {
            EarlyTarget<K> target =
                    new EarlyTarget<>(
                            new LoggedLayout.Keys(serializer, WarmUpLog.KEY_GROUPS, true),
                            early,
                            spill,
                            new NoDelegate<>(),
                            clock);
            replay(logs, target, source);
            return early.tally();
        }
    }

    private <K> ChangelogStateBackendHandle newLog(
            TypeSerializer<K> serializer, LongFunction<K> keys, long seed) throws IOException {
        return new WarmUpLog<>(serializer, keys, seed).write(Cancellation.of(cancellation));
    }

    private CloseableIterator<StateChange> open(ChangelogStateHandle log, KeyGroupRange keyGroups) {
        return new ChangeReader(new UncachedSource(new FileSystemOpener()), Redaction.OF_URIS)
                .getChanges((ChangelogStateHandleStreamImpl) log, keyGroups);
    }

    private void replay(AnnouncedLogs logs, ReplayTarget target, LogSource source)
            throws LogReplayException {
        LogReplay replay =
                new LogReplay(
                        target,
                        source,
                        ReplayWarmUp.class.getClassLoader(),
                        cancellation,
                        clock,
                        new ReplayRate());
        try {
            replay.rehearse(logs);
        } catch (LogReplayException e) {
            if (!ExceptionUtils.findThrowable(e, AwaitedException.class).isPresent()) {
                throw e;
            }
        }
    }

    /** A delegate that never exists: the replay ends where it would wait for one. */
    private static final class NoDelegate<K> implements EarlyTarget.RestoringTask<K> {
        @Override
        public boolean isBaseRestored() {
            return false;
        }

        @Override
        public DelegateTarget<K> awaitBase() throws AwaitedException {
            throw new AwaitedException();
        }
    }

    private static final class AwaitedException extends FlinkException {
        private static final long serialVersionUID = 1L;

        AwaitedException() {
            super("There is no delegate");
        }
    }
}
