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
import io.dstl.changelog.record.ChangeOp;
import java.io.IOException;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.util.StateMigrationException;

/**
 * Applies the changes of a priority queue, which as a rule holds timers.
 *
 * <p>An element belongs to the key group of its key. Flink's own backend logs it under the key
 * group that happens to be current, which may be another. So the record's key group is ignored
 * here.
 */
public final class QueueApplier<T extends Keyed<?>> implements ChangeApplier {
    private final String name;
    private final Supplier<KeyGroupedInternalPriorityQueue<T>> source;
    private final TypeSerializer<T> serializer;
    private final int numberOfKeyGroups;

    /** Null until it is used, and after {@link #renew}. */
    @Nullable private KeyGroupedInternalPriorityQueue<T> queue;

    /**
     * @param source creates the queue or, in place of an earlier one, a new queue
     */
    public QueueApplier(
            String name,
            Supplier<KeyGroupedInternalPriorityQueue<T>> source,
            TypeSerializer<T> serializer,
            int numberOfKeyGroups) {
        this.name = name;
        this.source = source;
        this.serializer = serializer;
        this.numberOfKeyGroups = numberOfKeyGroups;
    }

    /** The queue. Creates it if there is none, which reads the first elements of each key group. */
    public KeyGroupedInternalPriorityQueue<T> queue() {
        if (queue == null) {
            queue = source.get();
        }
        return queue;
    }

    /** Drops the queue, as what it has read may have changed. The next use creates it anew. */
    public void renew() {
        queue = null;
    }

    @Override
    public boolean apply(ChangeOp op, int keyGroup, KeyGroupRange keyGroups, RecordInput record)
            throws IOException {
        switch (op) {
            case ADD_ELEMENT:
                return addAll(keyGroups, record);
            case REMOVE_ELEMENT:
                T element = serializer.deserialize(record);
                boolean ours = isOf(keyGroups, element);
                if (ours) {
                    queue().remove(element);
                }
                return ours;
            default:
                throw new IOException(
                        "operation "
                                + op
                                + " on state '"
                                + name
                                + "': expected one of ADD_ELEMENT, REMOVE_ELEMENT, as it is a"
                                + " priority queue");
        }
    }

    private boolean addAll(KeyGroupRange keyGroups, RecordInput record) throws IOException {
        boolean added = false;
        for (int left = record.readCount("elements"); left > 0; left--) {
            T element = serializer.deserialize(record);
            if (isOf(keyGroups, element)) {
                queue().add(element);
                added = true;
            }
        }
        return added;
    }

    /**
     * Checks the key of the first element, if there is one, and leaves the record as it was.
     *
     * @throws StateMigrationException if the key can't be read, or is not of the key group
     */
    public void check(ChangeOp op, int keyGroup, RecordInput record)
            throws IOException, StateMigrationException {
        check(serializer, numberOfKeyGroups, op, keyGroup, record);
    }

    /** Does the same without a queue. */
    public static void check(
            TypeSerializer<?> serializer,
            int numberOfKeyGroups,
            ChangeOp op,
            int keyGroup,
            RecordInput record)
            throws IOException, StateMigrationException {
        int start = record.getPosition();
        if (op != ChangeOp.ADD_ELEMENT || record.readCount("elements") > 0) {
            Object key = ((Keyed<?>) serializer.deserialize(record)).getKey();
            int ofKey = KeyGroupRangeAssignment.assignToKeyGroup(key, numberOfKeyGroups);
            if (ofKey != keyGroup) {
                throw new StateMigrationException(
                        RecordKey.Fault.ofKeyGroup(ofKey, keyGroup, serializer));
            }
        }
        record.moveTo(start);
    }

    private boolean isOf(KeyGroupRange keyGroups, T element) {
        return keyGroups.contains(
                KeyGroupRangeAssignment.assignToKeyGroup(element.getKey(), numberOfKeyGroups));
    }
}
