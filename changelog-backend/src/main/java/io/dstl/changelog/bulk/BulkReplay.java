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
package io.dstl.changelog.bulk;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toList;

import io.dstl.changelog.record.ChangeOp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.util.clock.Clock;

/**
 * Replays changes into a delegate that takes bytes. Of all changes of a key, or of an entry of a
 * map, it writes only the last one, as the bytes that it is in the log, in the order of the
 * delegate's keys.
 *
 * <p>What was added may reach the delegate only with {@link #write()}. So call that before anybody
 * uses the delegate or changes how a state is kept.
 *
 * <p>It splits changes by key group over partitions: one on the caller's thread, or several with a
 * thread each.
 *
 * <p>Owns the partitions, their threads and their memory. The task thread uses it, for one restore,
 * and closes it before the delegate is disposed of.
 */
public final class BulkReplay implements AutoCloseable {
    /** The smallest table that still saves something. */
    private static final long LEAST_OF_TABLE = 1 << 20;

    /** The batches that may wait for one thread, if all threads have as many. */
    private static final int BATCHES_OF_THREAD = 2;

    /** What a partition needs beside its table, to write and to queue batches. */
    private static final long OVERHEAD_OF_PARTITION =
            (2L << 20) + (BATCHES_OF_THREAD + 2) * PartitionThread.RecordBatch.MAX_BYTES;

    private final BulkSettings settings;
    private final KeyGroupRange keyGroups;
    private final Cancellation cancellation;
    private final Clock clock;
    private final List<ReplayPartition.Input> inputs = new ArrayList<>();
    private final Map<String, String> leftOut = new LinkedHashMap<>();
    private int states;

    /** The memory of tables, of arrays that grow (half as much again), and overhead. */
    private long memory;

    private boolean unwritten;
    private boolean paused;

    /**
     * @param keyGroups of the subtask
     * @param ofTask closed when the task is cancelled
     */
    public BulkReplay(
            BulkSettings settings, KeyGroupRange keyGroups, CloseableRegistry ofTask, Clock clock) {
        this.settings = requireNonNull(settings);
        this.keyGroups = requireNonNull(keyGroups);
        this.cancellation = Cancellation.of(ofTask);
        this.clock = requireNonNull(clock);
    }

    public KeyGroupRange keyGroups() {
        return keyGroups;
    }

    public Clock clock() {
        return clock;
    }

    /** Whether any state may be replayed this way. */
    public boolean isEnabled() {
        return settings.isEnabled();
    }

    /**
     * Replays all states change by change until {@link #resume()}. What is read meanwhile was not
     * verified, and only a change that goes through its state shows damage.
     *
     * @throws IOException as of {@link #write()}
     */
    public void pause() throws IOException {
        if (!paused) {
            write();
            paused = true;
        }
    }

    public void resume() {
        paused = false;
    }

    public boolean isPaused() {
        return paused;
    }

    /** Notes why a state is replayed change by change. Only the first reason counts. */
    public void leaveOut(String state, String reason) {
        leftOut.putIfAbsent(state, reason);
    }

    /** Maps a state to the reason why it is replayed change by change. */
    public Map<String, String> leftOut() {
        return Collections.unmodifiableMap(leftOut);
    }

    /**
     * A state to add changes of; as long as it is registered with the delegate as it is now.
     *
     * @return empty if so many were opened that there is no number for another one
     */
    public Optional<BulkState> open(RawState raw) {
        if (states > BulkState.MAX_NUMBER) {
            return Optional.empty();
        }
        if (inputs.isEmpty()) {
            openPartitions();
        }
        List<ReplayPartition> partitions =
                inputs.stream().map(ReplayPartition.Input::partition).collect(toList());
        return Optional.of(new BulkState(states++, raw, partitions));
    }

    /**
     * Adds a change, behind all that were added before.
     *
     * @param record whole: op, state id, key, namespace, data; of the caller no more
     * @throws IOException if this change or an earlier one does not parse, or can't be written
     * @throws CancelTaskException if the task is cancelled
     */
    public void add(BulkState state, ChangeOp op, int keyGroup, byte[] record) throws IOException {
        unwritten = true;
        inputs.get(partitionOf(keyGroup)).add(state, op, keyGroup, record);
    }

    private int partitionOf(int keyGroup) {
        int ofRange = keyGroup - keyGroups.getStartKeyGroup();
        return ofRange * inputs.size() / keyGroups.getNumberOfKeyGroups();
    }

    private void openPartitions() {
        int wanted = Math.max(1, Math.min(settings.threads(), keyGroups.getNumberOfKeyGroups()));
        long tables = Math.min(settings.memoryBytes(), wanted * ChangeTable.MAX_BYTES);
        memory =
                BulkSettings.HeapShare.ofProcess()
                        .take(
                                Math.max(tables + tables / 2, wanted * LEAST_OF_TABLE)
                                        + wanted * OVERHEAD_OF_PARTITION,
                                LEAST_OF_TABLE + OVERHEAD_OF_PARTITION);
        int count = partitionsWithin(memory, wanted);
        long ofEach = (memory - count * OVERHEAD_OF_PARTITION) * 2 / 3 / count;
        PartitionThread.HandedOver handedOver =
                new PartitionThread.HandedOver(
                        count * BATCHES_OF_THREAD * PartitionThread.RecordBatch.MAX_BYTES);
        for (int i = 0; i < count; i++) {
            inputs.add(
                    count == 1
                            ? new ReplayPartition.Direct(newPartition(ofEach, cancellation))
                            : newThread(ofEach, handedOver));
        }
    }

    /** Fewer where there is too little memory for as many. */
    static int partitionsWithin(long memory, int wanted) {
        long ofOne = LEAST_OF_TABLE + OVERHEAD_OF_PARTITION;
        return (int) Math.max(1, Math.min(wanted, memory / ofOne));
    }

    private ReplayPartition newPartition(long partitionMemory, Cancellation ofPartition) {
        return new ReplayPartition(inputs.size(), partitionMemory, ofPartition, new Tally(clock));
    }

    private PartitionThread newThread(long partitionMemory, PartitionThread.HandedOver handedOver) {
        String name = Thread.currentThread().getName() + " replay " + (inputs.size() + 1);
        return new PartitionThread(
                        stop -> newPartition(partitionMemory, stop), cancellation, handedOver, name)
                .start();
    }

    /**
     * Sorts what was added, so that the next {@link #write()} has less to do; for a caller that has
     * to wait before that.
     *
     * @throws CancelTaskException if the task is cancelled
     */
    public void sort() {
        inputs.forEach(ReplayPartition.Input::sort);
    }

    /**
     * Writes all that was added; waits for it.
     *
     * @throws IOException as of {@link #add}
     * @throws CancelTaskException if the task is cancelled
     */
    public void write() throws IOException {
        if (!unwritten) {
            return;
        }
        List<ReplayPartition.Input.Written> writes = new ArrayList<>();
        for (ReplayPartition.Input partition : inputs) {
            writes.add(partition.beginWrite());
        }
        for (ReplayPartition.Input.Written write : writes) {
            write.await();
        }
        unwritten = false;
    }

    /** What the replay did. Complete after {@link #write()}. */
    public Tally tally() {
        Tally all = new Tally(clock);
        inputs.forEach(partition -> all.add(partition.partition().tally()));
        return all;
    }

    /** Waits for what is being written at the moment; what has not begun is dropped. */
    @Override
    public void close() {
        inputs.forEach(ReplayPartition.Input::stop);
        inputs.forEach(ReplayPartition.Input::close);
        inputs.clear();
        BulkSettings.HeapShare.ofProcess().giveBack(memory);
        memory = 0;
    }

    /** Counts what one partition did. Of one thread; read by others once that has ended. */
    public static final class Tally {
        private final Clock clock;

        private long taken;
        private long survived;
        private long tables;
        private long sortNanos;
        private long writeNanos;

        Tally(Clock clock) {
            this.clock = clock;
        }

        long now() {
            return clock.relativeTimeNanos();
        }

        void taken() {
            taken++;
        }

        void survived() {
            survived++;
        }

        /** A table was sorted between {@code begin} and now. */
        void sorted(long begin) {
            sortNanos += now() - begin;
        }

        /** A table was written between {@code begin} and now. */
        void wrote(long begin) {
            tables++;
            writeNanos += now() - begin;
        }

        void add(Tally other) {
            taken += other.taken;
            survived += other.survived;
            tables += other.tables;
            sortNanos += other.sortNanos;
            writeNanos += other.writeNanos;
        }

        /** The sum of both. */
        public Tally plus(Tally other) {
            Tally sum = new Tally(clock);
            sum.add(this);
            sum.add(other);
            return sum;
        }

        /** Changes that were taken, void ones included. */
        public long changes() {
            return taken;
        }

        /** Keys written to the delegate. */
        public long survivors() {
            return survived;
        }

        /** How often a table was written. */
        public long tables() {
            return tables;
        }

        public long sortMillis() {
            return sortNanos / 1_000_000;
        }

        public long writeMillis() {
            return writeNanos / 1_000_000;
        }
    }
}
