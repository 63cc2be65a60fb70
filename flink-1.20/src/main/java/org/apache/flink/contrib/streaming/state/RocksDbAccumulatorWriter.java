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

import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.StateLog;
import io.dstl.changelog.state.AccumulatorKind;
import java.io.IOException;
import java.util.Collection;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.internal.InternalMergingState;
import org.apache.flink.util.FlinkRuntimeException;
import org.rocksdb.RocksDBException;

/**
 * Does the same as {@link RocksDBReducingState} and {@link RocksDBAggregatingState} on a change,
 * without a copy of the value, and logs the same bytes.
 *
 * <p>Copies the key as Flink does: the user's function runs between the two uses of it.
 */
final class RocksDbAccumulatorWriter<N, A> implements AccumulatorKind.Writer<N, A> {
    private final AbstractRocksDBAppendingState<?, N, ?, A, ?> state;
    private final InternalMergingState<?, N, ?, A, ?> merging;
    private final StateLog<?, N> log;
    private final RocksDbKey<N> key;
    private final RocksDbKey<N> held;
    private final RocksDbValue written;
    private final AccumulatorKind.SerializingWriter<N, A> serializing;
    private final boolean keepsAll;

    /** Counts the calls of {@link #add}. */
    private long calls;

    /**
     * @param merging the same state
     * @param keepsAll whether a value stays until it is removed: it never expires
     */
    RocksDbAccumulatorWriter(
            AbstractRocksDBAppendingState<?, N, ?, A, ?> state,
            InternalMergingState<?, N, ?, A, ?> merging,
            StateLog<?, N> log,
            boolean keepsAll) {
        this.keepsAll = keepsAll;
        this.state = state;
        this.merging = merging;
        this.log = log;
        this.key = new RocksDbKey<>(state);
        this.held = new RocksDbKey<>(state);
        this.written = new RocksDbValue(state);
        this.serializing = new AccumulatorKind.SerializingWriter<>(merging, log);
    }

    @Override
    public <IN> void add(@Nullable IN input, AccumulatorKind.Fold<A, IN> fold) throws Exception {
        byte[] rocksKey = key.copyAt(log.namespace());
        int afterKey = key.afterKey();
        int keyGroup = key.keyGroup();
        byte[] stored = state.backend.db.get(state.columnFamily, rocksKey);
        long call = ++calls;
        A folded = fold.fold(stored == null ? null : deserialize(stored), input);
        // The user's function may have added to this state, too.
        boolean first = stored == null && keepsAll && calls == call;
        held.hold(rocksKey, afterKey, keyGroup);
        put(rocksKey, folded);
        if (first) {
            log.recordFirst(held, ChangeOp.SET_INTERNAL, written);
        } else {
            log.record(held, ChangeOp.SET_INTERNAL, written);
        }
    }

    private A deserialize(byte[] stored) throws IOException {
        state.dataInputView.setBuffer(stored);
        return state.valueSerializer.deserialize(state.dataInputView);
    }

    @Override
    public void set(@Nullable A accumulator) throws Exception {
        byte[] rocksKey = key.copyAt(log.namespace());
        held.hold(rocksKey, key.afterKey(), key.keyGroup());
        put(rocksKey, accumulator);
        log.record(held, ChangeOp.SET_INTERNAL, written);
    }

    private void put(byte[] rocksKey, @Nullable A accumulator) throws RocksDBException {
        try {
            written.serialize(accumulator, state.valueSerializer);
        } catch (IOException e) {
            throw new FlinkRuntimeException("Error while serializing value", e);
        }
        state.backend.db.put(
                state.columnFamily,
                state.writeOptions,
                rocksKey,
                0,
                rocksKey.length,
                written.bytes(),
                0,
                written.length());
    }

    /** Clears the state's buffer, to tell later whether the merge has serialized anything. */
    @Override
    public void merge(N target, Collection<N> sources) throws Exception {
        written.clear();
        merging.mergeNamespaces(target, sources);
    }

    /** A merge serializes last what it writes to the target. */
    @Override
    public void logMerged(StateLog.Scope scope) throws Exception {
        if (written.length() > 0) {
            log.record(scope, ChangeOp.SET_INTERNAL, written);
        } else {
            // There was nothing to merge, or the serializer writes nothing.
            serializing.logMerged(scope);
        }
    }
}
