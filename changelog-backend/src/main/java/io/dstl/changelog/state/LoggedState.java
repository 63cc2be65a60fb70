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

import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.StateId;
import io.dstl.changelog.record.StateLog;
import io.dstl.changelog.record.StateMetadata;
import java.io.IOException;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A key-value state whose changes go to the delegate first and to the log second: a change that the
 * delegate refuses is not logged.
 *
 * <p>Owns the current namespace of the log, and keeps it equal to the delegate's. Does not own the
 * values, nor the serializers: both are the delegate's, which may replace its serializers when the
 * state is registered again.
 *
 * <p>The task thread only, except {@link #getSerializedValue}, which is the delegate's.
 *
 * @param <V> type of the value as the delegate keeps it
 * @param <S> type of the delegate's state
 */
abstract class LoggedState<K, N, V, S extends InternalKvState<K, N, V>>
        implements InternalKvState<K, N, V> {
    private static final Logger LOG = LoggerFactory.getLogger(LoggedState.class);

    private final StateLog<K, N> log;
    private final DelegateWriters writers;
    private S delegate;
    @Nullable private StateLog.DelegateKey<N> key;
    private StateDescriptor<?, ?> descriptor;

    /** Whether it is known that the default value can't be written. */
    private boolean withoutDefault;

    LoggedState(LoggedStates<K> states, StateDescriptor<?, ?> descriptor, S delegate) {
        String name = descriptor.getName();
        StateId id = states.recorder().allocateId(name);
        this.writers = states.writers();
        this.descriptor = descriptor;
        this.delegate = delegate;
        this.log =
                new StateLog<>(
                        states.recorder(), id, name, this::getNamespaceSerializer, this::describe);
        this.key = writers.keyOf(delegate).orElse(null);
    }

    /** The state was registered again, with another descriptor and perhaps another delegate. */
    void rebind(StateDescriptor<?, ?> newDescriptor, S newDelegate) {
        descriptor = newDescriptor;
        withoutDefault = false;
        delegate = newDelegate;
        key = writers.keyOf(newDelegate).orElse(null);
        restoreNamespace();
        log.redescribe();
        openWriter();
    }

    /**
     * Opens the writer for the delegate and the log. Call it at the end of the constructor; it is
     * called again when the state was registered again.
     */
    abstract void openWriter();

    /** Whether a failed clear of the delegate may have cleared a part of the state. */
    boolean clearsInParts() {
        return false;
    }

    final DelegateWriters writers() {
        return writers;
    }

    final S delegate() {
        return delegate;
    }

    final StateLog<K, N> log() {
        return log;
    }

    /** The current key and namespace; use it at once. */
    final StateLog.Scope scope() {
        return key == null ? log.currentScope() : key.at(log.namespace());
    }

    /** The current key with another namespace; use it at once. */
    final StateLog.Scope scopeOf(N namespace) {
        return key == null ? log.fixedScope(namespace) : key.at(namespace);
    }

    /**
     * The current key and namespace, to be used even after both have changed. RocksDB has the bytes
     * of the key from when it became current, and so has this: the object may be the user's, who
     * changes it.
     */
    final StateLog.Scope keptScope() throws IOException {
        return key == null ? log.fixedScope(namespace()) : StateLog.copyOf(key.at(namespace()));
    }

    /** Null before the first {@link #setCurrentNamespace}. */
    @Nullable
    final N namespace() {
        return log.namespace();
    }

    /** Restores the namespace, as a merge leaves some delegates in another one. */
    final void restoreNamespace() {
        if (namespace() != null) {
            delegate.setCurrentNamespace(namespace());
        }
    }

    final StateDescriptor<?, ?> descriptor() {
        return descriptor;
    }

    final StateDescriptor.Type type() {
        return descriptor.getType();
    }

    private StateMetadata describe() {
        TypeSerializer<V> writing = writers.logged(delegate.getValueSerializer());
        RegisteredKeyValueStateBackendMetaInfo<N, V> info =
                new RegisteredKeyValueStateBackendMetaInfo<>(
                        descriptor.getType(),
                        descriptor.getName(),
                        delegate.getNamespaceSerializer(),
                        writing);
        StateTtlConfig ttl = descriptor.getTtlConfig();
        return StateMetadata.keyValue(
                log.id(),
                info.snapshot(),
                ttl.isEnabled() ? Optional.of(ttl) : Optional.empty(),
                defaultValue(writing));
    }

    /** What can't be written is left out: a replay reads no default value. */
    @SuppressWarnings("unchecked") // Of the state's own values.
    private Optional<Object> defaultValue(TypeSerializer<V> writing) {
        if (withoutDefault) {
            return Optional.empty();
        }
        try {
            Object value = descriptor.getDefaultValue();
            if (value != null) {
                writing.duplicate().serialize((V) value, new DataOutputSerializer(64));
            }
            return Optional.ofNullable(value);
        } catch (IOException | RuntimeException e) {
            withoutDefault = true;
            LOG.warn(
                    "The log leaves out the default value of state '{}', as its serializer can't"
                            + " write it",
                    log.stateName(),
                    e);
            return Optional.empty();
        }
    }

    /** The delegate is about to be cleared under the current key and namespace. */
    void clearing() {}

    @Override
    public final void clear() {
        clearing();
        try {
            delegate.clear();
        } catch (Throwable t) {
            if (clearsInParts()) {
                log.lose(t);
            }
            throw t;
        }
        try {
            logClear();
        } catch (IOException e) {
            throw notLogged(e);
        }
    }

    /** Logs that the delegate has been cleared under the current key and namespace. */
    final void logClear() throws IOException {
        try {
            log.record(scope(), ChangeOp.CLEAR);
        } catch (Throwable t) {
            log.lose(t);
            throw t;
        }
    }

    final FlinkRuntimeException notLogged(IOException cause) {
        return new FlinkRuntimeException(
                "A change of state '" + log.stateName() + "' could not be logged.", cause);
    }

    @Override
    public final void setCurrentNamespace(N namespace) {
        delegate.setCurrentNamespace(namespace);
        log.setNamespace(namespace);
    }

    @Override
    public final TypeSerializer<K> getKeySerializer() {
        return delegate.getKeySerializer();
    }

    @Override
    public final TypeSerializer<N> getNamespaceSerializer() {
        return delegate.getNamespaceSerializer();
    }

    @Override
    public final TypeSerializer<V> getValueSerializer() {
        return delegate.getValueSerializer();
    }

    @Override
    public final byte[] getSerializedValue(
            byte[] keyAndNamespace,
            TypeSerializer<K> keys,
            TypeSerializer<N> namespaces,
            TypeSerializer<V> values)
            throws Exception {
        return delegate.getSerializedValue(keyAndNamespace, keys, namespaces, values);
    }

    /**
     * Returns the delegate's visitor, so removals through it are not logged. Only the clean-up of
     * expired values uses it. Like RocksDB's compaction filter, it drops values that time-to-live
     * already hides, and would hide again after a replay.
     */
    @Override
    public StateIncrementalVisitor<K, N, V> getStateIncrementalVisitor(
            int recommendedMaxNumberOfReturnedRecords) {
        return delegate.getStateIncrementalVisitor(recommendedMaxNumberOfReturnedRecords);
    }
}
