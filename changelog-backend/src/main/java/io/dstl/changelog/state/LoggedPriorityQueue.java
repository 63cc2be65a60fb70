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

import io.dstl.changelog.record.ChangeRecorder;
import io.dstl.changelog.record.LogSerializer;
import io.dstl.changelog.record.QueueLog;
import io.dstl.changelog.record.StateMetadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * A priority queue (timers) that changes the delegate first and logs the change second.
 *
 * <p>It also logs the addition of a present element and the removal of an absent one: the delegate
 * tells only whether its head has changed, and both are harmless when a set replays them.
 *
 * <p>A change that fails may still be in the delegate, as RocksDB's batch of timers keeps what it
 * could not write. So such a failure ends all checkpoints; see {@link ChangeRecorder}.
 *
 * <p>The task thread only.
 */
public final class LoggedPriorityQueue<T extends Keyed<?>>
        implements KeyGroupedInternalPriorityQueue<T> {
    /** Bounds one record, and one part of a {@link Rewrite}: the queue may hold millions. */
    private static final int ELEMENTS_PER_RECORD = 1024;

    private final ChangeRecorder<?> recorder;
    private final QueueLog<T> log;
    private final LogSerializer<T> logSerializer = new LogSerializer<>();
    private TypeSerializer<T> serializer;
    private KeyGroupedInternalPriorityQueue<T> delegate;

    LoggedPriorityQueue(
            ChangeRecorder<?> recorder,
            String name,
            TypeSerializer<T> serializer,
            KeyGroupedInternalPriorityQueue<T> delegate,
            boolean onHeap) {
        this.recorder = recorder;
        this.serializer = serializer;
        this.delegate = delegate;
        // The replay of a log that names a queue on the heap can't run in the background, so an
        // empty queue is not named.
        this.log =
                new QueueLog<>(recorder, recorder.allocateId(name), name, this::describe, !onHeap);
    }

    /** The queue was registered again. */
    void rebind(TypeSerializer<T> newSerializer, KeyGroupedInternalPriorityQueue<T> newDelegate) {
        serializer = newSerializer;
        delegate = newDelegate;
        log.redescribe();
    }

    private StateMetadata describe() {
        return StateMetadata.priorityQueue(
                log.id(),
                new RegisteredPriorityQueueStateBackendMetaInfo<>(log.stateName(), serializer)
                        .snapshot());
    }

    /**
     * Logs the queue anew, for a delegate whose snapshots leave it out: a materialization truncates
     * the log of all its earlier changes.
     *
     * <p>Not for a queue in RocksDB: RocksDB's snapshots hold the queue, and its iterators may
     * leave out elements earlier than one polled before.
     */
    public Rewrite rewrite() {
        return new Rewrite();
    }

    /**
     * Logs all elements, metadata first, as if they had just been added: part by part, while the
     * queue may change between two parts. An empty queue logs nothing.
     *
     * <p><b>Why the log is right.</b> The log after the beginning of the rewrite holds all changes
     * since, in their order. An element that stays in the queue comes with its part. An added
     * element has a record of its own; a second one does no harm, as the queue is a set. A removed
     * element has a record of its own, and no later part has the element: each part leaves out the
     * elements that are no longer in the queue.
     *
     * <p>Holds references to the elements of one key group at a time, as the set that contains them
     * cannot be iterated while it changes.
     */
    public final class Rewrite {
        private final Iterator<Integer> keyGroups = recorder.keyGroups().iterator();
        private List<T> elements = new ArrayList<>();
        private int keyGroup;
        private int position;

        private Rewrite() {}

        /**
         * Logs the next part.
         *
         * @return false when all have been logged
         */
        public boolean next() throws IOException {
            int left = ELEMENTS_PER_RECORD;
            while (left > 0) {
                if (position == elements.size() && !enterNextKeyGroup()) {
                    return false;
                }
                int to = Math.min(position + left, elements.size());
                logPresent(elements.subList(position, to));
                left -= to - position;
                position = to;
            }
            return true;
        }

        private boolean enterNextKeyGroup() {
            position = 0;
            elements = new ArrayList<>();
            if (!keyGroups.hasNext()) {
                return false;
            }
            keyGroup = keyGroups.next();
            elements.addAll(delegate.getSubsetForKeyGroup(keyGroup));
            return true;
        }

        private void logPresent(List<T> part) throws IOException {
            if (part.isEmpty()) {
                return;
            }
            List<T> present = new ArrayList<>(part);
            present.retainAll(delegate.getSubsetForKeyGroup(keyGroup));
            if (!present.isEmpty()) {
                log.recordAddAll(keyGroup, writeSerializer(), present);
            }
        }
    }

    @Nullable
    @Override
    public T poll() {
        try {
            T head = delegate.poll();
            if (head != null) {
                logRemove(head);
            }
            return head;
        } catch (Throwable t) {
            log.lose(t);
            throw t;
        }
    }

    @Override
    public boolean add(@Nonnull T element) {
        try {
            boolean headChanged = delegate.add(element);
            log.recordAdd(keyGroupOf(element), writeSerializer(), element);
            return headChanged;
        } catch (IOException e) {
            throw notLogged(e);
        } catch (Throwable t) {
            log.lose(t);
            throw t;
        }
    }

    @Override
    public void addAll(@Nullable Collection<? extends T> elements) {
        if (elements == null) {
            delegate.addAll(null);
            return;
        }
        Map<Integer, List<T>> byKeyGroup = new TreeMap<>();
        for (T element : elements) {
            byKeyGroup
                    .computeIfAbsent(keyGroupOf(element), keyGroup -> new ArrayList<>())
                    .add(element);
        }
        try {
            for (Map.Entry<Integer, List<T>> group : byKeyGroup.entrySet()) {
                delegate.addAll(group.getValue());
                logAll(group.getKey(), group.getValue());
            }
        } catch (IOException e) {
            throw notLogged(e);
        } catch (Throwable t) {
            log.lose(t);
            throw t;
        }
    }

    @Override
    public boolean remove(@Nonnull T element) {
        try {
            boolean headChanged = delegate.remove(element);
            logRemove(element);
            return headChanged;
        } catch (Throwable t) {
            log.lose(t);
            throw t;
        }
    }

    /** Logs the removal of an element that the delegate has removed. */
    private void logRemove(T element) {
        try {
            log.recordRemove(keyGroupOf(element), writeSerializer(), element);
        } catch (IOException e) {
            throw notLogged(e);
        } catch (Throwable t) {
            log.lose(t);
            throw t;
        }
    }

    private void logAll(int keyGroup, List<T> elements) throws IOException {
        for (int from = 0; from < elements.size(); from += ELEMENTS_PER_RECORD) {
            int to = Math.min(from + ELEMENTS_PER_RECORD, elements.size());
            log.recordAddAll(keyGroup, writeSerializer(), elements.subList(from, to));
        }
    }

    private int keyGroupOf(T element) {
        return recorder.keyGroupOf(element.getKey());
    }

    private TypeSerializer<T> writeSerializer() {
        return logSerializer.of(serializer);
    }

    private FlinkRuntimeException notLogged(IOException cause) {
        return new FlinkRuntimeException(
                "A change of queue '" + log.stateName() + "' could not be logged.", cause);
    }

    @Nullable
    @Override
    public T peek() {
        return delegate.peek();
    }

    @Override
    public boolean isEmpty() {
        return delegate.isEmpty();
    }

    @Override
    public int size() {
        return delegate.size();
    }

    @Nonnull
    @Override
    public Set<T> getSubsetForKeyGroup(int keyGroup) {
        return delegate.getSubsetForKeyGroup(keyGroup);
    }

    @Nonnull
    @Override
    public CloseableIterator<T> iterator() {
        return new LoggedIterator(delegate.iterator());
    }

    /** Iterates over a priority queue, and logs removals if the delegate allows them. */
    private final class LoggedIterator implements CloseableIterator<T> {
        private final CloseableIterator<T> delegate;
        @Nullable private T last;

        LoggedIterator(CloseableIterator<T> delegate) {
            this.delegate = delegate;
        }

        @Override
        public boolean hasNext() {
            return delegate.hasNext();
        }

        @Override
        public T next() {
            last = delegate.next();
            return last;
        }

        @Override
        public void remove() {
            delegate.remove();
            logRemove(last);
        }

        @Override
        public void close() throws Exception {
            delegate.close();
        }
    }
}
