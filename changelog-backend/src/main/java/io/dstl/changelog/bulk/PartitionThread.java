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
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * A partition on a thread of its own, which ends at the first failure.
 *
 * <p>Owns the partition and the thread. The caller waits if the partition is too far behind.
 */
final class PartitionThread implements ReplayPartition.Input {
    private static final int MAX_WAITING = 4;
    private static final long CHECK_MILLIS = 100;

    /** Wakes a thread. Made early: when a replay ends, there may be no memory left. */
    private static final RecordBatch EMPTY = new RecordBatch();

    private final Cancellation cancellation;
    private final HandedOver handedOver;
    private final ReplayPartition partition;
    private final Thread thread;
    private final BlockingQueue<RecordBatch> waiting = new ArrayBlockingQueue<>(MAX_WAITING);

    /** Owned by the thread that replays. */
    private RecordBatch next = new RecordBatch();

    private volatile boolean stopped;

    /**
     * @param partitions makes a partition that ends soon after its argument is requested
     * @param cancellation of the task; asked by the thread that replays and the partition's thread
     * @param handedOver shared by all partitions
     */
    PartitionThread(
            Function<Cancellation, ReplayPartition> partitions,
            Cancellation cancellation,
            HandedOver handedOver,
            String name) {
        this.cancellation = cancellation;
        this.handedOver = handedOver;
        this.partition = partitions.apply(() -> stopped || cancellation.isRequested());
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(true);
    }

    PartitionThread start() {
        thread.start();
        return this;
    }

    @Override
    public void add(BulkState state, ChangeOp op, int keyGroup, byte[] record) throws IOException {
        next.add(state, op, keyGroup, record);
        if (next.isFull()) {
            handOver();
        }
    }

    /** Hands the next batch over and returns it. */
    private RecordBatch handOver() throws IOException {
        RecordBatch handed = next;
        next = new RecordBatch();
        try {
            do {
                check();
            } while (!handedOver.enter(handed.heldBytes(), CHECK_MILLIS));
            do {
                check();
            } while (!waiting.offer(handed, CHECK_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            throw interrupted();
        }
        return handed;
    }

    @Override
    public void sort() {}

    @Override
    public ThrowingRunnable<IOException> beginWrite() throws IOException {
        next.endWithWrite();
        RecordBatch last = handOver();
        return () -> awaitWritten(last);
    }

    private void awaitWritten(RecordBatch last) throws IOException {
        try {
            do {
                check();
            } while (!last.awaitWritten(CHECK_MILLIS));
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private void check() throws IOException {
        cancellation.check();
        handedOver.check();
    }

    private static CancelTaskException interrupted() {
        Thread.currentThread().interrupt();
        return Cancellation.exception(null);
    }

    private void run() {
        try {
            while (!stopped) {
                RecordBatch batch = waiting.take();
                batch.giveTo(partition);
                handedOver.leave(batch.heldBytes());
            }
        } catch (Throwable t) {
            handedOver.fail(thread.getName(), t);
        }
    }

    @Override
    public ReplayPartition partition() {
        return partition;
    }

    @Override
    public void stop() {
        stopped = true;
        waiting.clear();
        waiting.offer(EMPTY);
    }

    /** Goes on waiting when interrupted, as the delegate is disposed of next. */
    @Override
    public void close() {
        if (Cancellation.awaitEnd(thread)) {
            Thread.currentThread().interrupt();
        }
        partition.close();
    }

    /**
     * Bounds the bytes that were handed over to the partitions' threads and not taken yet, of all
     * partitions together. Holds the failure of a partition, which ends all.
     *
     * <p>Thread-safe, but only one thread may hand over.
     */
    static final class HandedOver {
        private final int limit;
        private final Semaphore free;

        private volatile Throwable failure;
        private volatile String failed;

        /**
         * @param limit in bytes; a larger batch is handed over when nothing else waits
         */
        HandedOver(int limit) {
            this.limit = limit;
            this.free = new Semaphore(limit);
        }

        /** Waits for room at most this time; returns whether the bytes have entered. */
        boolean enter(long bytes, long millis) throws InterruptedException {
            return free.tryAcquire(share(bytes), millis, TimeUnit.MILLISECONDS);
        }

        /** Frees the room of bytes that a partition has taken. */
        void leave(long bytes) {
            free.release(share(bytes));
        }

        private int share(long bytes) {
            return (int) Math.min(limit, bytes);
        }

        /**
         * @param thread the name of the thread that failed
         */
        void fail(String thread, Throwable cause) {
            failed = thread;
            failure = cause;
        }

        /**
         * Throws the failure of one of the threads, if there is one.
         *
         * @throws BulkReplay.EarlierChangeException if a change that was handed over can't be
         *     replayed
         */
        void check() throws IOException {
            Throwable first = failure;
            if (first instanceof IOException) {
                throw (IOException) first;
            }
            if (first instanceof Error) {
                // Not wrapped: whoever has to end the process for an Error checks its class.
                throw (Error) first;
            }
            if (first != null) {
                throw new IOException(failed + " has failed: " + first, first);
            }
        }
    }

    /** Many changes on their way to another thread. One thread at a time. */
    static final class RecordBatch {
        private static final int RECORDS = 1 << 10;
        private static final int BYTES = 1 << 18;

        /** The heap of an array and its reference, in bytes, without the content. */
        private static final int BYTES_OF_RECORD = 32;

        /** The heap that a full batch of small records takes. */
        static final int MAX_BYTES = BYTES + RECORDS * BYTES_OF_RECORD;

        private final BulkState[] states = new BulkState[RECORDS];
        private final ChangeOp[] ops = new ChangeOp[RECORDS];
        private final int[] keyGroups = new int[RECORDS];
        private final byte[][] records = new byte[RECORDS][];
        private final CountDownLatch written = new CountDownLatch(1);
        private boolean endsWithWrite;
        private int size;
        private long bytes;

        void add(BulkState state, ChangeOp op, int keyGroup, byte[] record) {
            states[size] = state;
            ops[size] = op;
            keyGroups[size] = keyGroup;
            records[size] = record;
            size++;
            bytes += record.length;
        }

        boolean isFull() {
            return size == RECORDS || bytes >= BYTES;
        }

        /** The heap that the batch takes, in bytes. */
        long heldBytes() {
            return bytes + (long) size * BYTES_OF_RECORD;
        }

        /** Makes the partition write all it has after these changes. */
        void endWithWrite() {
            endsWithWrite = true;
        }

        void giveTo(ReplayPartition partition) throws IOException {
            for (int i = 0; i < size; i++) {
                try {
                    partition.take(states[i], ops[i], keyGroups[i], records[i]);
                } catch (CancelTaskException e) {
                    throw e;
                } catch (IOException | RuntimeException e) {
                    throw new BulkReplay.EarlierChangeException(ops[i], keyGroups[i], e);
                }
            }
            if (endsWithWrite) {
                partition.write();
                written.countDown();
            }
        }

        /** Waits at most this time; returns whether the partition has written all its changes. */
        boolean awaitWritten(long millis) throws InterruptedException {
            return written.await(millis, TimeUnit.MILLISECONDS);
        }
    }
}
