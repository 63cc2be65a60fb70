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

import io.dstl.changelog.record.ChangeOp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Takes the changes of some key groups, in the order of the log. Keeps the last one of each key,
 * and writes those when the table is full, or on request.
 *
 * <p>Owns its table and its writer. One thread at a time.
 */
final class ReplayPartition implements AutoCloseable {
    private static final int ENTRIES_PER_CHECK = 1 << 10;

    private final int number;
    private final Cancellation cancellation;
    private final ChangeTable table;
    private final BulkReplay.Tally tally;

    /** The states by number; null for a state without changes in these key groups. */
    private final List<BulkState> states = new ArrayList<>();

    private final Bytes key = new Bytes();
    private final Bytes value = new Bytes();
    private final Bytes cleared = new Bytes();

    /** The state that was opened last. It opens the writer for all states. */
    private BulkState last;

    /** Null before anything is written. */
    private RawState.RawWriter writer;

    private int clearedState = -1;
    private int clearedTurn;

    /** The order of all entries; null if they are not sorted. */
    private int[] order;

    /**
     * @param number the index among the partitions, from 0
     * @param memory of its table, in bytes
     * @param tally counts what this partition does, and nothing else
     */
    ReplayPartition(int number, long memory, Cancellation cancellation, BulkReplay.Tally tally) {
        this.number = number;
        this.table = new ChangeTable(memory);
        this.cancellation = cancellation;
        this.tally = tally;
    }

    /**
     * Takes one change.
     *
     * @param record the whole record; not kept
     * @throws IOException if the record does not parse, or the delegate can't be written to
     * @throws CancelTaskException if the task is cancelled
     */
    void take(BulkState state, ChangeOp op, int keyGroup, byte[] record) throws IOException {
        if (state.number() >= states.size() || states.get(state.number()) == null) {
            open(state);
        }
        order = null;
        state.fold(number).fold(op, keyGroup, record);
        tally.taken();
    }

    private void open(BulkState state) {
        while (states.size() <= state.number()) {
            states.add(null);
        }
        states.set(state.number(), state);
        last = state;
    }

    /** Makes a fold that adds changes of the state to this partition's table. */
    ChangeFold newFold(BulkState state) {
        return state.raw().form().newFold(state, table, this::makeRoom);
    }

    private void makeRoom(long changeBytes) throws IOException {
        if (!table.reserve(changeBytes, 1)) {
            write();
            table.reserve(changeBytes, 1);
        }
    }

    /**
     * Sorts the kept changes. The next write sorts again only if changes were added since.
     *
     * @throws CancelTaskException if the task is cancelled
     */
    void sort() {
        if (order == null) {
            long begin = tally.now();
            order = EntryOrder.of(table, cancellation);
            tally.sorted(begin);
        }
    }

    /** Writes all kept changes. The table is empty afterwards. */
    void write() throws IOException {
        if (table.size() == 0) {
            return;
        }
        sort();
        long begin = tally.now();
        if (writer == null) {
            writer = last.raw().newWriter(cancellation);
        }
        clearedState = -1;
        for (int i = 0; i < order.length; i++) {
            if (i % ENTRIES_PER_CHECK == 0) {
                cancellation.check();
            }
            write(order[i]);
        }
        writer.flush();
        table.clear();
        order = null;
        tally.wrote(begin);
    }

    private void write(int entry) throws IOException {
        BulkState state = states.get(table.state(entry));
        key.set(
                table.bytes(),
                table.keyAt(entry) + ChangeTable.STATE_BYTES,
                table.keyLength(entry) - ChangeTable.STATE_BYTES);
        if (table.op(entry) == ChangeTable.EntryOp.CLEAR) {
            clearedState = state.number();
            clearedTurn = table.turn(entry);
            cleared.set(key.array(), key.from(), key.length());
            writer.deleteBelow(state.raw(), key);
        } else if (!isCleared(entry)) {
            write(entry, state.raw());
            tally.survived();
        }
    }

    /** Whether the last scope that was cleared contains the entry, and was cleared after it. */
    private boolean isCleared(int entry) {
        return clearedState == table.state(entry)
                && table.turn(entry) < clearedTurn
                && key.isBelow(cleared);
    }

    private void write(int entry, RawState raw) throws IOException {
        switch (table.op(entry)) {
            case PUT:
                writer.put(raw, key, valueOf(entry, raw));
                break;
            case MERGE:
                writer.merge(raw, key, valueOf(entry, raw));
                break;
            default:
                writer.delete(raw, key);
        }
    }

    private Bytes valueOf(int entry, RawState raw) {
        int length = table.valueLength(entry);
        if (!raw.form().hasPieces()) {
            return value.set(table.bytes(), table.valueAt(entry), length);
        }
        byte[] list = new byte[length];
        table.copyPieces(entry, RawState.LIST_DELIMITER, list);
        return value.set(list, 0, length);
    }

    BulkReplay.Tally tally() {
        return tally;
    }

    @Override
    public void close() {
        if (writer != null) {
            writer.close();
        }
    }

    /** Passes changes to a partition, on whichever thread. For the thread that replays. */
    interface Input {
        /**
         * Does what {@link ReplayPartition#take} does. A failure may come later, from any of these
         * methods.
         */
        void add(BulkState state, ChangeOp op, int keyGroup, byte[] record) throws IOException;

        /**
         * Sorts the changes of a partition on the caller's thread. A partition on another thread
         * sorts when it writes.
         */
        void sort();

        /**
         * Makes the partition write all its changes. Does not wait for one on another thread.
         *
         * @return waits until they are written
         */
        ThrowingRunnable<IOException> beginWrite() throws IOException;

        /** Read what the partition has done only after the wait for its last write. */
        ReplayPartition partition();

        /** Makes the partition end soon, without waiting for it. */
        void stop();

        /** Waits until the partition no longer uses the delegate. Call it after {@link #stop}. */
        void close();
    }

    /** A partition on the thread that replays. Owns the partition. */
    static final class Direct implements Input {
        private final ReplayPartition partition;

        Direct(ReplayPartition partition) {
            this.partition = partition;
        }

        @Override
        public void add(BulkState state, ChangeOp op, int keyGroup, byte[] record)
                throws IOException {
            partition.take(state, op, keyGroup, record);
        }

        @Override
        public void sort() {
            partition.sort();
        }

        @Override
        public ThrowingRunnable<IOException> beginWrite() throws IOException {
            partition.write();
            return () -> {};
        }

        @Override
        public ReplayPartition partition() {
            return partition;
        }

        @Override
        public void stop() {}

        @Override
        public void close() {
            partition.close();
        }
    }
}
