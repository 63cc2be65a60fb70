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
import io.dstl.changelog.record.ChangeScope;
import io.dstl.changelog.write.MapWriter;
import io.dstl.changelog.write.SerializingMapWriter;
import java.io.IOException;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.contrib.streaming.state.RocksDbWriters;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * A map state that logs entry by entry, also what is changed through its iterators.
 *
 * <p>An iterator is bound to the key and the namespace that are current when it is made. So are
 * {@link #keys} and {@link #values}, as Flink's are in both of its backends; {@link #entries} makes
 * its iterators when it is asked for one, as RocksDB's does.
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
        return RocksDbWriters.ofMap(delegate, log())
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
        ChangeScope scope = log().fixedScope(namespace());
        return iterate(scope, entry -> new LoggedMapEntry<>(this, scope, entry));
    }

    @Override
    public Iterable<Map.Entry<UK, UV>> entries() {
        return () -> unchecked(this::iterator);
    }

    @Override
    public Iterable<UK> keys() throws Exception {
        ChangeScope scope = log().fixedScope(namespace());
        Iterable<UK> keys = delegate().keys();
        return () ->
                new LoggedMapIterator<>(
                        this, scope, keys.iterator(), Function.identity(), Function.identity());
    }

    /**
     * Read from the delegate's entries, which tell the key of what is removed; these are of the
     * current key only.
     */
    @Override
    public Iterable<UV> values() throws Exception {
        Object key = log().currentKey();
        N namespace = namespace();
        Iterable<UV> values = delegate().values();
        return () -> {
            if (key.equals(log().currentKey()) && Objects.equals(namespace, namespace())) {
                ChangeScope scope = log().fixedScope(namespace);
                return unchecked(() -> iterate(scope, Map.Entry::getValue));
            }
            return new ReadOnlyIterator<>(values.iterator(), this::notRemovable);
        };
    }

    private UnsupportedOperationException notRemovable() {
        return new UnsupportedOperationException(
                "State '"
                        + log().stateName()
                        + "': the values of a key that is not the current one any more cannot be"
                        + " removed. Remove through keys(), or while their key is the current one.");
    }

    private <R> Iterator<R> iterate(ChangeScope scope, Function<Map.Entry<UK, UV>, R> view)
            throws Exception {
        return new LoggedMapIterator<>(this, scope, delegate().iterator(), Map.Entry::getKey, view);
    }

    private <R> R unchecked(Callable<R> made) {
        try {
            return made.call();
        } catch (Exception e) {
            throw new FlinkRuntimeException(
                    "State '" + log().stateName() + "' could not be iterated over.", e);
        }
    }
}
