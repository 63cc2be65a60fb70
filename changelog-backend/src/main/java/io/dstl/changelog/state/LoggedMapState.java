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

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.ChangeRecorder;
import io.dstl.changelog.record.ChangeScope;
import io.dstl.changelog.write.MapWriter;
import io.dstl.changelog.write.SerializingMapWriter;
import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * A map state that logs entry by entry, also what is changed through its iterators.
 *
 * <p>An iterator is bound to the key and the namespace that are current when it is made. So are
 * {@link #keys} and {@link #values}, as Flink's are in both of its backends, but nothing can be
 * removed through them any more once another key is current; {@link #entries} makes its iterators
 * when it is asked for one, as RocksDB's does.
 */
final class LoggedMapState<K, N, UK, UV>
        extends LoggedState<K, N, Map<UK, UV>, InternalMapState<K, N, UK, UV>>
        implements InternalMapState<K, N, UK, UV> {
    private MapWriter<UK, UV> writer;

    LoggedMapState(
            ChangeRecorder<K> recorder,
            StateDescriptor<?, ?> descriptor,
            InternalMapState<K, N, UK, UV> delegate) {
        super(recorder, descriptor, delegate);
        this.writer = writerOf(delegate);
    }

    private MapWriter<UK, UV> writerOf(InternalMapState<K, N, UK, UV> delegate) {
        return DelegateSupport.get()
                .writers()
                .ofMap(delegate, log())
                .orElseGet(() -> new SerializingMapWriter<>(delegate, log()));
    }

    @Override
    void rebind(StateDescriptor<?, ?> newDescriptor, InternalMapState<K, N, UK, UV> newDelegate) {
        super.rebind(newDescriptor, newDelegate);
        writer = writerOf(newDelegate);
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

    @Override
    public void remove(UK key) throws Exception {
        writer.remove(key);
    }

    void logEntrySet(ChangeScope scope, UK key, UV value) throws IOException {
        writer.logEntrySet(scope, key, value);
    }

    void logEntryRemoved(ChangeScope scope, UK key) throws IOException {
        writer.logEntryRemoved(scope, key);
    }

    @Override
    public Iterator<Map.Entry<UK, UV>> iterator() throws Exception {
        return iterate(this::logged);
    }

    @Override
    public Iterable<Map.Entry<UK, UV>> entries() {
        return () -> iterateUnchecked(this::logged);
    }

    private Map.Entry<UK, UV> logged(ChangeScope scope, Map.Entry<UK, UV> entry) {
        return new LoggedMapEntry<>(this, scope, entry);
    }

    @Override
    public Iterable<UK> keys() throws Exception {
        return ofThisKey(delegate().keys(), (scope, entry) -> entry.getKey());
    }

    @Override
    public Iterable<UV> values() throws Exception {
        return ofThisKey(delegate().values(), (scope, entry) -> entry.getValue());
    }

    /**
     * Iterators of the delegate's entries, which tell what is removed. Those are of the current key
     * only: where it is another one by then, what the delegate has bound can be read.
     */
    private <R> Iterable<R> ofThisKey(
            Iterable<R> bound, BiFunction<ChangeScope, Map.Entry<UK, UV>, R> view) {
        Object key = log().currentKey();
        N namespace = namespace();
        return () ->
                key.equals(log().currentKey()) && Objects.equals(namespace, namespace())
                        ? iterateUnchecked(view)
                        : new ReadOnlyIterator<>(bound.iterator(), this::notRemovable);
    }

    private UnsupportedOperationException notRemovable() {
        return new UnsupportedOperationException(
                "State '"
                        + log().stateName()
                        + "': nothing can be removed through keys() or values() that were asked for"
                        + " under another key or namespace than the current one. Remove while it is"
                        + " the current one, or through an iterator() made then.");
    }

    private <R> Iterator<R> iterateUnchecked(BiFunction<ChangeScope, Map.Entry<UK, UV>, R> view) {
        try {
            return iterate(view);
        } catch (Exception e) {
            throw new FlinkRuntimeException(
                    "State '" + log().stateName() + "' could not be iterated over.", e);
        }
    }

    private <R> Iterator<R> iterate(BiFunction<ChangeScope, Map.Entry<UK, UV>, R> view)
            throws Exception {
        ChangeScope scope = log().fixedScope(namespace());
        return new LoggedMapIterator<>(this, scope, delegate().iterator(), view);
    }
}
