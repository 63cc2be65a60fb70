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

import io.dstl.changelog.record.StateLog;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.heap.AbstractHeapState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * A map state that logs each entry that changes, also through an iterator.
 *
 * <p>An iterator is bound to the key and the namespace that were current when it was made.
 *
 * <p><b>Views</b> are as the delegate's. On the heap {@link #entries}, {@link #keys} and {@link
 * #values} are of the map that was there when they were asked for, also under another key or after
 * a {@link #clear}, by which the state leaves that map: what is changed in it from then on, also
 * through an iterator, is not logged. The clean-up of expired values has the state leave a map too.
 * On RocksDB {@code keys} and {@code values} are bound to the key and the namespace, but nothing
 * can be removed through them once another key is current; {@code entries} makes an iterator at
 * each request.
 */
final class LoggedMapState<K, N, UK, UV>
        extends LoggedState<K, N, Map<UK, UV>, InternalMapState<K, N, UK, UV>>
        implements InternalMapState<K, N, UK, UV> {
    /** Of the maps whose iterators and views are used at a time; of more, the first is not told. */
    private static final int MOST_OPEN = 8;

    private final Deque<Origin> open = new ArrayDeque<>();
    private MapKind.Writer<UK, UV> writer;

    LoggedMapState(
            LoggedStates<K> states,
            StateDescriptor<?, ?> descriptor,
            InternalMapState<K, N, UK, UV> delegate) {
        super(states, descriptor, delegate);
        openWriter();
    }

    @Override
    void openWriter() {
        writer =
                writers()
                        .ofMap(delegate(), log())
                        .orElseGet(() -> new MapKind.SerializingWriter<>(delegate(), log()));
    }

    /** RocksDB deletes the entries in batches, and may have written the first. */
    @Override
    boolean clearsInParts() {
        return true;
    }

    @Override
    public UV get(UK key) throws Exception {
        return delegate().get(key);
    }

    @Override
    public boolean contains(UK key) throws Exception {
        return delegate().contains(key);
    }

    @Override
    public boolean isEmpty() throws Exception {
        return delegate().isEmpty();
    }

    @Override
    public void put(UK key, UV value) throws Exception {
        writer.put(key, value);
    }

    @Override
    public void putAll(Map<UK, UV> entries) throws Exception {
        if (entries == null) {
            delegate().putAll(null);
        } else {
            writer.putAll(entries);
        }
    }

    /** The heap clears a map with its last entry. */
    @Override
    public void remove(UK key) throws Exception {
        writer.remove(key);
        if (!open.isEmpty() && delegate().isEmpty()) {
            clearing();
        }
    }

    @Override
    void clearing() {
        leave(log().currentKey(), namespace());
    }

    private void leave(Object key, Object namespace) {
        open.removeIf(origin -> origin.leaveIfOf(key, namespace));
    }

    @Override
    public StateIncrementalVisitor<K, N, Map<UK, UV>> getStateIncrementalVisitor(
            int recommendedMaxNumberOfReturnedRecords) {
        StateIncrementalVisitor<K, N, Map<UK, UV>> visitor =
                super.getStateIncrementalVisitor(recommendedMaxNumberOfReturnedRecords);
        return onHeap() ? new LeavingVisitor(visitor) : visitor;
    }

    @Override
    public Iterator<Map.Entry<UK, UV>> iterator() throws Exception {
        return iterate(this::logged);
    }

    @Override
    public Iterable<Map.Entry<UK, UV>> entries() throws Exception {
        return onHeap() ? ofThisMap(this::logged) : () -> iterateUnchecked(this::logged);
    }

    private Map.Entry<UK, UV> logged(Origin origin, Map.Entry<UK, UV> entry) {
        return new LoggedEntry(origin, entry);
    }

    @Override
    public Iterable<UK> keys() throws Exception {
        return onHeap()
                ? ofThisMap((origin, entry) -> entry.getKey())
                : ofThisKey(delegate().keys(), (origin, entry) -> entry.getKey());
    }

    @Override
    public Iterable<UV> values() throws Exception {
        return onHeap()
                ? ofThisMap((origin, entry) -> entry.getValue())
                : ofThisKey(delegate().values(), (origin, entry) -> entry.getValue());
    }

    /** RocksDB's entries read their key when it is first asked for, and may fail to. */
    private static void readKey(Map.Entry<?, ?> entry) {
        Object unused = entry.getKey();
    }

    private boolean onHeap() {
        return delegate() instanceof AbstractHeapState;
    }

    /** Iterators over the entries of the map that the delegate has now. */
    private <R> Iterable<R> ofThisMap(BiFunction<Origin, Map.Entry<UK, UV>, R> view)
            throws Exception {
        Iterable<Map.Entry<UK, UV>> entries = delegate().entries();
        Origin origin = origin();
        return () -> new LoggedIterator<>(origin, entries.iterator(), view);
    }

    /**
     * Iterators over the delegate's entries, to log removals. Those entries are of the current key
     * only. Under another key, the view that the delegate has bound can only be read.
     */
    private <R> Iterable<R> ofThisKey(
            Iterable<R> bound, BiFunction<Origin, Map.Entry<UK, UV>, R> view) throws IOException {
        Origin asked = new Origin();
        return () ->
                asked.isCurrent()
                        ? iterateUnchecked(view)
                        : new ReadOnlyIterator<>(bound.iterator());
    }

    private UnsupportedOperationException notRemovable() {
        return new UnsupportedOperationException(
                "State '"
                        + log().stateName()
                        + "': nothing can be removed through keys() or values() that were asked for"
                        + " under another key or namespace than the current one. Remove while it is"
                        + " the current one, or through an iterator() made then.");
    }

    private <R> Iterator<R> iterateUnchecked(BiFunction<Origin, Map.Entry<UK, UV>, R> view) {
        try {
            return iterate(view);
        } catch (Exception e) {
            throw new FlinkRuntimeException(
                    "State '" + log().stateName() + "' could not be iterated over.", e);
        }
    }

    private <R> Iterator<R> iterate(BiFunction<Origin, Map.Entry<UK, UV>, R> view)
            throws Exception {
        Origin origin = origin();
        return new LoggedIterator<>(origin, delegate().iterator(), view);
    }

    private Origin origin() throws IOException {
        if (!onHeap()) {
            return new Origin();
        }
        if (open.isEmpty() || !open.getLast().isCurrent()) {
            if (open.size() == MOST_OPEN) {
                open.removeFirst();
            }
            open.addLast(new Origin());
        }
        return open.getLast();
    }

    /** Where iterators and views are from: the key, the namespace, and on the heap the map. */
    private final class Origin {
        private final StateLog.Scope scope = keptScope();
        @Nullable private final Object key = log().currentKey();
        @Nullable private final N namespace = namespace();

        /** Whether the state has another map by now, or none. */
        private boolean left;

        Origin() throws IOException {}

        boolean isCurrent() {
            return isOf(log().currentKey(), namespace());
        }

        private boolean isOf(Object ofKey, Object ofNamespace) {
            return Objects.equals(key, ofKey) && Objects.equals(namespace, ofNamespace);
        }

        boolean leaveIfOf(Object ofKey, Object ofNamespace) {
            left |= isOf(ofKey, ofNamespace);
            return left;
        }
    }

    /** Of the clean-up of expired values, on the heap: puts another map in the place of each. */
    private final class LeavingVisitor implements StateIncrementalVisitor<K, N, Map<UK, UV>> {
        private final StateIncrementalVisitor<K, N, Map<UK, UV>> delegate;

        LeavingVisitor(StateIncrementalVisitor<K, N, Map<UK, UV>> delegate) {
            this.delegate = delegate;
        }

        @Override
        public boolean hasNext() {
            return delegate.hasNext();
        }

        @Override
        public Collection<StateEntry<K, N, Map<UK, UV>>> nextEntries() {
            return delegate.nextEntries();
        }

        @Override
        public void remove(StateEntry<K, N, Map<UK, UV>> entry) {
            leave(entry.getKey(), entry.getNamespace());
            delegate.remove(entry);
        }

        @Override
        public void update(StateEntry<K, N, Map<UK, UV>> entry, Map<UK, UV> map) {
            leave(entry.getKey(), entry.getNamespace());
            delegate.update(entry, map);
        }
    }

    /** An entry of a map state, which logs when its value is set. */
    private final class LoggedEntry implements Map.Entry<UK, UV> {
        private final Origin origin;
        private final Map.Entry<UK, UV> delegate;

        LoggedEntry(Origin origin, Map.Entry<UK, UV> delegate) {
            this.origin = origin;
            this.delegate = delegate;
        }

        @Override
        public UK getKey() {
            return delegate.getKey();
        }

        @Override
        public UV getValue() {
            return delegate.getValue();
        }

        @Override
        public UV setValue(UV value) {
            readKey(delegate);
            UV previous = delegate.setValue(value);
            if (origin.left) {
                return previous;
            }
            try {
                writer.logEntrySet(origin.scope, delegate, value);
            } catch (IOException e) {
                throw notLogged(e);
            }
            return previous;
        }

        @Override
        public boolean equals(Object other) {
            return delegate.equals(other);
        }

        @Override
        public int hashCode() {
            return delegate.hashCode();
        }

        @Override
        public String toString() {
            return delegate.toString();
        }
    }

    /**
     * Iterates over the entries of a map, or a view of each, and logs removals. On the heap, a
     * removal is logged by the entry's key as it is then, so that must not have been changed since
     * it was returned.
     *
     * @param <R> what is returned for each entry
     */
    private final class LoggedIterator<R> implements Iterator<R> {
        private final Origin origin;
        private final Iterator<Map.Entry<UK, UV>> delegate;
        private final BiFunction<Origin, Map.Entry<UK, UV>, R> view;
        @Nullable private Map.Entry<UK, UV> last;

        LoggedIterator(
                Origin origin,
                Iterator<Map.Entry<UK, UV>> delegate,
                BiFunction<Origin, Map.Entry<UK, UV>, R> view) {
            this.origin = origin;
            this.delegate = delegate;
            this.view = view;
        }

        @Override
        public boolean hasNext() {
            return delegate.hasNext();
        }

        /** Null if the delegate returns null, as RocksDB does past the end. */
        @Override
        @Nullable
        public R next() {
            last = delegate.next();
            return last == null ? null : view.apply(origin, last);
        }

        @Override
        public void remove() {
            if (last == null) {
                throw new IllegalStateException("Nothing to remove: call next() before remove().");
            }
            readKey(last);
            delegate.remove();
            if (origin.left) {
                return;
            }
            try {
                writer.logEntryRemoved(origin.scope, last);
            } catch (IOException e) {
                throw notLogged(e);
            }
        }
    }

    /** Returns the elements of another iterator, and says why nothing can be removed. */
    private final class ReadOnlyIterator<E> implements Iterator<E> {
        private final Iterator<E> delegate;

        ReadOnlyIterator(Iterator<E> delegate) {
            this.delegate = delegate;
        }

        @Override
        public boolean hasNext() {
            return delegate.hasNext();
        }

        @Override
        public E next() {
            return delegate.next();
        }

        @Override
        public void remove() {
            throw notRemovable();
        }
    }
}
