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
package org.apache.flink.contrib.streaming.state;

import io.dstl.changelog.bulk.Bytes;
import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.bulk.RawState;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Writes to RocksDB in batches that are put together in Java, as RocksDB lays them out, so that one
 * call hands over a megabyte:
 *
 * <pre>
 * 8 bytes   sequence number, which RocksDB sets
 * int       number of operations, little-endian
 *           each:
 * byte      4: delete, 5: put, 6: merge
 * varint    number of the column family
 * varint    length of the key    [ key ]
 * varint    length of the value  [ value ], not of a delete
 * </pre>
 *
 * <p>Owns its buffer and its iterators, not the database. One thread at a time.
 */
final class RocksDbRawWriter implements RawState.RawWriter {
    private static final int HEADER_BYTES = 12;
    private static final int COUNT_AT = 8;
    private static final int BATCH_BYTES = 1 << 20;
    private static final int KEYS_PER_CHECK = 1 << 10;

    /** Upper bound of the head of one operation. */
    private static final int MAX_HEAD_BYTES = 16;

    private static final byte DELETE = 4;
    private static final byte PUT = 5;
    private static final byte MERGE = 6;

    private final RocksDB db;
    private final WriteOptions writeOptions;
    private final ReadOptions readOptions;
    private final Cancellation cancellation;

    /**
     * Iterators by state. Each lives from its first use to the next flush, and does not see writes
     * in between.
     */
    private final Map<RawState, RocksIterator> iterators = new HashMap<>();

    private final Map<RawState, Integer> columnFamilies = new HashMap<>();
    private RawState lastState;
    private int lastColumnFamily;

    private byte[] buffer = new byte[BATCH_BYTES];
    private int end = HEADER_BYTES;
    private int count;

    RocksDbRawWriter(
            RocksDB db,
            WriteOptions writeOptions,
            ReadOptions readOptions,
            Cancellation cancellation) {
        this.db = db;
        this.writeOptions = writeOptions;
        this.readOptions = readOptions;
        this.cancellation = cancellation;
    }

    @Override
    public void put(RawState state, Bytes key, Bytes value) throws IOException {
        begin(PUT, state, (long) key.length() + value.length());
        append(key.array(), key.from(), key.length());
        append(value.array(), value.from(), value.length());
    }

    @Override
    public void merge(RawState state, Bytes key, Bytes value) throws IOException {
        begin(MERGE, state, (long) key.length() + value.length());
        append(key.array(), key.from(), key.length());
        append(value.array(), value.from(), value.length());
    }

    @Override
    public void delete(RawState state, Bytes key) throws IOException {
        begin(DELETE, state, key.length());
        append(key.array(), key.from(), key.length());
    }

    /** Deletes key by key: a deletion of ranges would slow down each later read. */
    @Override
    public void deleteBelow(RawState state, Bytes key) throws IOException {
        cancellation.check();
        RocksIterator found = iterators.computeIfAbsent(state, this::newIterator);
        int deleted = 0;
        for (found.seek(key.copy()); found.isValid(); found.next()) {
            if (++deleted % KEYS_PER_CHECK == 0) {
                cancellation.check();
            }
            byte[] existing = found.key();
            if (!key.isPrefixOf(existing, 0)) {
                break;
            }
            begin(DELETE, state, existing.length);
            append(existing, 0, existing.length);
        }
        try {
            found.status();
        } catch (RocksDBException e) {
            throw new IOException("RocksDB cannot be read: " + e.getMessage(), e);
        }
    }

    private RocksIterator newIterator(RawState state) {
        return db.newIterator(((RocksDbRawState) state).columnFamily(), readOptions);
    }

    /** Writes the batch if this operation does not fit into it, then the operation's head. */
    private void begin(byte operation, RawState state, long operandBytes) throws IOException {
        long needed = MAX_HEAD_BYTES + operandBytes;
        if (needed > buffer.length - end) {
            writeBatch();
            if (needed > buffer.length - end) {
                buffer = Arrays.copyOf(buffer, Math.toIntExact(HEADER_BYTES + needed));
            }
        }
        buffer[end++] = operation;
        appendVarint(columnFamily(state));
        count++;
    }

    private int columnFamily(RawState state) {
        if (state != lastState) {
            lastColumnFamily =
                    columnFamilies.computeIfAbsent(
                            state, any -> ((RocksDbRawState) any).columnFamily().getID());
            lastState = state;
        }
        return lastColumnFamily;
    }

    private void append(byte[] bytes, int from, int length) {
        appendVarint(length);
        System.arraycopy(bytes, from, buffer, end, length);
        end += length;
    }

    private void appendVarint(int value) {
        int left = value;
        while (left > 0x7F) {
            buffer[end++] = (byte) (left | 0x80);
            left >>>= 7;
        }
        buffer[end++] = (byte) left;
    }

    @Override
    public void flush() throws IOException {
        writeBatch();
        closeIterators();
    }

    private void writeBatch() throws IOException {
        if (count == 0) {
            return;
        }
        cancellation.check();
        for (int i = 0; i < Integer.BYTES; i++) {
            buffer[COUNT_AT + i] = (byte) (count >>> (i * Byte.SIZE));
        }
        byte[] whole = end == buffer.length ? buffer : Arrays.copyOf(buffer, end);
        try (WriteBatch batch = new WriteBatch(whole)) {
            db.write(writeOptions, batch);
        } catch (RocksDBException e) {
            throw new IOException("RocksDB cannot be written to: " + e.getMessage(), e);
        }
        if (buffer.length > BATCH_BYTES) {
            buffer = new byte[BATCH_BYTES];
        }
        end = HEADER_BYTES;
        count = 0;
    }

    private void closeIterators() {
        iterators.values().forEach(RocksIterator::close);
        iterators.clear();
    }

    @Override
    public void close() {
        closeIterators();
    }
}
