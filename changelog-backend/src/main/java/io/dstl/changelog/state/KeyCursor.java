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

import io.dstl.changelog.bulk.RecordKey;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.util.StateMigrationException;

/**
 * Moves the delegate's current key from record to record, and only when it changes.
 *
 * <p>A serialized key ends where its serializer says. So a record that continues with the bytes of
 * the previous key has the same key, which is not read again.
 *
 * <p>A log keeps no snapshot of the key serializer, unlike the delegate's part of a checkpoint. If
 * the job has another key serializer, a key can't be read, or is of another key group.
 *
 * @param <K> type of the key
 */
public final class KeyCursor<K> {
    private final AbstractKeyedStateBackend<K> delegate;
    private final TypeSerializer<K> serializer;

    private byte[] currentKey;

    public KeyCursor(AbstractKeyedStateBackend<K> delegate) {
        this.delegate = delegate;
        // The task thread may use the delegate's own serializer meanwhile.
        this.serializer = delegate.getKeySerializer().duplicate();
    }

    /**
     * Reads the key and makes it the delegate's current one.
     *
     * @throws StateMigrationException if the key cannot be read, or is not of the given key group
     */
    K moveTo(int keyGroup, RecordInput record) throws IOException, StateMigrationException {
        if (currentKey != null && record.continuesWith(currentKey, currentKey.length)) {
            record.skipBytesToRead(currentKey.length);
            expectKeyGroup(serializer, keyGroup, delegate.getCurrentKeyGroupIndex());
        } else {
            select(keyGroup, record);
        }
        return delegate.getCurrentKey();
    }

    private void select(int keyGroup, RecordInput record) throws StateMigrationException {
        int start = record.getPosition();
        K key = read(serializer, record);
        expectKeyGroup(
                serializer,
                keyGroup,
                KeyGroupRangeAssignment.assignToKeyGroup(key, delegate.getNumberOfKeyGroups()));
        delegate.setCurrentKey(key);
        currentKey = record.copySince(start);
    }

    /**
     * Checks a key that the replay does not read otherwise. Leaves the record and the delegate's
     * current key as they are.
     *
     * @throws StateMigrationException as of {@link #moveTo}
     */
    public void check(int keyGroup, RecordInput record) throws StateMigrationException {
        check(serializer, delegate.getNumberOfKeyGroups(), keyGroup, record);
    }

    /** Does the same without a delegate. */
    public static void check(
            TypeSerializer<?> serializer, int numberOfKeyGroups, int keyGroup, RecordInput record)
            throws StateMigrationException {
        int start = record.getPosition();
        Object key = read(serializer, record);
        expectKeyGroup(
                serializer,
                keyGroup,
                KeyGroupRangeAssignment.assignToKeyGroup(key, numberOfKeyGroups));
        record.moveTo(start);
    }

    private static <T> T read(TypeSerializer<T> serializer, RecordInput record)
            throws StateMigrationException {
        try {
            return serializer.deserialize(record);
        } catch (IOException | RuntimeException e) {
            throw new StateMigrationException(RecordKey.Fault.unreadable(serializer), e);
        }
    }

    private static void expectKeyGroup(TypeSerializer<?> serializer, int logged, int computed)
            throws StateMigrationException {
        if (logged != computed) {
            throw new StateMigrationException(
                    RecordKey.Fault.ofKeyGroup(computed, logged, serializer));
        }
    }

    /** Leaves the delegate without a current key, like a backend before its first record. */
    public void leave() {
        currentKey = null;
        unset(delegate);
    }

    static void unset(AbstractKeyedStateBackend<?> delegate) {
        delegate.getKeyContext().setCurrentKey(null);
        delegate.setCurrentKeyGroupIndex(delegate.getKeyGroupRange().getStartKeyGroup());
    }
}
