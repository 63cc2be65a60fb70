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

import io.dstl.changelog.record.ChangeOp;
import io.dstl.store.Closeables;
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
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Replays changes into a delegate that takes bytes. Of all changes of a key, or of an entry of a
 * map, writes only the last one, with its bytes in the log, in the order of the delegate's keys.
 *
 * <p>Added changes may reach the delegate only with {@link #write()}. So call it before anybody
 * uses the delegate or changes how a state is kept.
 *
 * <p>Splits changes by key group over partitions: one on the caller's thread, or several with a
 * thread each.
 *
 * <p>Owns the partitions, their threads and their memory. One thread at a time uses it, for one
 * restore, and closes it before the delegate is disposed of.
 */
public final class BulkReplay implements AutoCloseable {
    /** The smallest table that still saves something. */
    private static final long LEAST_OF_TABLE = 1 << 20;

    /** What a partition needs to write. */
    private static final long BYTES_TO_WRITE = 2 << 20;

    /** The batches that may wait for one thread, if all threads have equally many. */
    private static final int BATCHES_OF_THREAD = 2;

    /** The bytes that a partition needs beside its table, to write and to queue batches. */
    private static final long OVERHEAD_OF_PARTITION =
            BYTES_TO_WRITE + (BATCHES_OF_THREAD + 2) * PartitionThread.RecordBatch.MAX_BYTES;

    private final BulkSettings settings;
    private final KeyGroupRange keyGroups;
    private final Cancellation cancellation;
    private final Clock clock;
    private final List<ReplayPartition.Input> inputs = new ArrayList<>();
    private final Map<String, String> leftOut = new LinkedHashMap<>();
    private int states;

    /** The bytes of tables, of arrays that grow (half as much again), and of overhead. */
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

    /**
     * Admits one restore of this process to replay in bulk, until the result is closed. With the
     * least memory, each of its replays has one partition without a thread, so without batches. An
     * early replay has written its changes before others are added to the next replay.
     *
     * @param others bytes of heap that the restore needs beside its replays
     * @return empty if so many replay in bulk that their least memory is all that they may take
     *     together: then replay through the states
     */
    public static Optional<AutoCloseable> admit(long others) {
        return BulkSettings.HeapShare.ofProcess().admit(LEAST_OF_TABLE + BYTES_TO_WRITE + others);
    }

    public KeyGroupRange keyGroups() {
        return keyGroups;
    }

    public Clock clock() {
        return clock;
    }

    /** The bytes of heap that this replay has taken for its tables. */
    long memory() {
        return memory;
    }

    /** Whether any state may be replayed in bulk. */
    public boolean isEnabled() {
        return settings.isEnabled();
    }

    /**
     * Replays all states change by change until {@link #resume()}. Call it before changes that were
     * not verified: only a replay through the state detects damage in them.
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

    /** Maps each state that is replayed change by change to the reason. */
    public Map<String, String> leftOut() {
        return Collections.unmodifiableMap(leftOut);
    }

    /**
     * Opens a state for {@link #add}, valid until its registration with the delegate changes.
     *
     * @return empty if no number is left for another state
     */
    public Optional<BulkState> open(RawState raw) {
        if (states > BulkState.MAX_NUMBER) {
            return Optional.empty();
        }
        return Optional.of(new BulkState(states++, raw));
    }

    /**
     * Adds a change after all that were added before.
     *
     * @param record the whole record: op, state id, key, namespace, data; no longer the caller's
     * @throws IOException if this change or an earlier one does not parse, or can't be written
     * @throws CancelTaskException if the task is cancelled
     */
    public void add(BulkState state, ChangeOp op, int keyGroup, byte[] record) throws IOException {
        if (!state.hasFolds()) {
            prepare(state);
        }
        unwritten = true;
        inputs.get(partitionOf(keyGroup)).add(state, op, keyGroup, record);
    }

    private void prepare(BulkState state) {
        if (inputs.isEmpty()) {
            openPartitions();
        }
        state.makeFolds(inputs.stream().map(ReplayPartition.Input::partition));
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

    /** The number of partitions for which the memory suffices, and at least one. */
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
     * Sorts the added changes, so that the next {@link #write()} has less to do. For a caller that
     * has to wait before it writes.
     *
     * @throws CancelTaskException if the task is cancelled
     */
    public void sort() {
        inputs.forEach(ReplayPartition.Input::sort);
    }

    /**
     * Writes all added changes, and waits until they are written.
     *
     * @throws IOException as of {@link #add}
     * @throws CancelTaskException if the task is cancelled
     */
    public void write() throws IOException {
        if (!unwritten) {
            return;
        }
        List<ThrowingRunnable<IOException>> waits = new ArrayList<>();
        for (ReplayPartition.Input partition : inputs) {
            waits.add(partition.beginWrite());
        }
        for (ThrowingRunnable<IOException> wait : waits) {
            wait.run();
        }
        unwritten = false;
    }

    /** What the replay did. Complete after {@link #write()}. */
    public Tally tally() {
        Tally all = new Tally(clock);
        inputs.forEach(partition -> all.add(partition.partition().tally()));
        return all;
    }

    /** Waits for writes in progress, and drops the changes that no write has begun with. */
    @Override
    public void close() {
        try {
            Closeables.forEach(inputs, ReplayPartition.Input::stop);
        } finally {
            try {
                Closeables.forEach(inputs, ReplayPartition.Input::close);
            } finally {
                inputs.clear();
                BulkSettings.HeapShare.ofProcess().giveBack(memory);
                memory = 0;
            }
        }
    }

    /** Counts the work of one partition, on its thread. Others read it after a write has ended. */
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

        /** Counts the sort of a table, which began at {@code begin} and has just ended. */
        void sorted(long begin) {
            sortNanos += now() - begin;
        }

        /** Counts the write of a table, which began at {@code begin} and has just ended. */
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

        /** The changes that were added, void ones included. */
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

    /** A change can't be replayed that was handed over to the thread of its partition before. */
    public static final class EarlierChangeException extends IOException {
        private static final long serialVersionUID = 1L;

        EarlierChangeException(ChangeOp op, int keyGroup, Exception cause) {
            super(op + " in key group " + keyGroup + ": " + cause, cause);
        }
    }
}
