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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Changes on their way to another thread, many at a time. One thread at a time. */
final class RecordBatch {
    private static final int RECORDS = 1 << 10;
    private static final int BYTES = 1 << 18;

    /** Of an array, beside its bytes, and of what refers to it. */
    private static final int BYTES_OF_RECORD = 32;

    /** Of heap, a full one of small records. */
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

    /** Of heap. */
    long heldBytes() {
        return bytes + (long) size * BYTES_OF_RECORD;
    }

    /** The partition is to write all it has when it has taken these. */
    void endWithWrite() {
        endsWithWrite = true;
    }

    void giveTo(ReplayPartition partition) throws IOException {
        for (int i = 0; i < size; i++) {
            partition.take(states[i], ops[i], keyGroups[i], records[i]);
        }
        if (endsWithWrite) {
            partition.write();
            written.countDown();
        }
    }

    /** Whether the partition has written all it had, or does so within this time. */
    boolean awaitWritten(long millis) throws InterruptedException {
        return written.await(millis, TimeUnit.MILLISECONDS);
    }
}
