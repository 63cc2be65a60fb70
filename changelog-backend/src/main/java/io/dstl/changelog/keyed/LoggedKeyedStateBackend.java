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
package io.dstl.changelog.keyed;

import static java.util.Objects.requireNonNull;

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.delegate.FlinkVersion;
import io.dstl.store.Closeables;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import javax.annotation.Nonnull;
import org.apache.flink.api.common.state.InternalCheckpointListener;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateFunction;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.util.StateMigrationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keyed state backend of a task with the changelog on: reads and writes go to the delegate,
 * each change also goes to the log, and a checkpoint is the last materialization plus the log.
 *
 * <p>A facade that owns the life of its parts ({@link BackendParts}), and the current key only by
 * sharing the delegate's key context. {@link LoggedStateDirectory} owns the state objects, {@link
 * CheckpointLedger} the checkpoints, {@link DelegateMaterialization} the materialization.
 *
 * <p>Shares the key context and key listeners with the delegate, so a key that either sets is the
 * key of both. TTL and latency tracking wrap the logged states from outside, as Flink's base class
 * does for every backend.
 *
 * <p>Threading: the task thread, as for every keyed backend.
 */
public final class LoggedKeyedStateBackend<K> extends AbstractKeyedStateBackend<K>
        implements InternalCheckpointListener {
    private static final Logger LOG = LoggerFactory.getLogger(LoggedKeyedStateBackend.class);

    private final AbstractKeyedStateBackend<K> delegate;
    private final BackendParts<K> parts;
    private final Runnable completed;
    private final FlinkVersion flink = FlinkVersion.get();

    /**
     * @param completed runs after each completed checkpoint that this attempt took part in
     */
    LoggedKeyedStateBackend(
            AbstractKeyedStateBackend<K> delegate, BackendParts<K> parts, Runnable completed) {
        super(delegate);
        this.delegate = requireNonNull(delegate);
        this.parts = requireNonNull(parts);
        this.completed = requireNonNull(completed);
    }

    /** Waits until the replay has ended. Call it before the delegate's content is used. */
    private void awaitReplay() {
        parts.states().awaitReplay();
    }

    // ---- keys ----

    @Override
    public void setCurrentKey(K newKey) {
        awaitReplay();
        delegate.setCurrentKey(newKey);
    }

    /**
     * Overrides Flink 2's method. The base class would set the key of the shared context only, not
     * the key that the delegate has serialized.
     */
    public void setCurrentKeyAndKeyGroup(K newKey, int keyGroup) {
        awaitReplay();
        flink.setCurrentKeyAndKeyGroup(delegate, newKey, keyGroup);
    }

    @Override
    public void setCurrentKeyGroupIndex(int keyGroup) {
        awaitReplay();
        delegate.setCurrentKeyGroupIndex(keyGroup);
    }

    @Override
    public <N> Stream<K> getKeys(String state, N namespace) {
        awaitReplay();
        return delegate.getKeys(state, namespace);
    }

    @Override
    public <N> Stream<K> getKeys(List<String> states, N namespace) {
        awaitReplay();
        return delegate.getKeys(states, namespace);
    }

    @Override
    public <N> Stream<Tuple2<K, N>> getKeysAndNamespaces(String state) {
        awaitReplay();
        return delegate.getKeysAndNamespaces(state);
    }

    /** Calls the delegate, which knows whether its keys may change during the iteration. */
    @Override
    public <N, S extends State, T> void applyToAllKeys(
            N namespace,
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, T> descriptor,
            KeyedStateFunction<K, S> function,
            PartitionStateFactory stateFactory)
            throws Exception {
        awaitReplay();
        delegate.applyToAllKeys(namespace, namespaceSerializer, descriptor, function, stateFactory);
    }

    // ---- state ----

    @Override
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            @Nonnull TypeSerializer<N> namespaceSerializer,
            @Nonnull StateDescriptor<S, SV> descriptor,
            @Nonnull StateSnapshotTransformFactory<SEV> transform)
            throws Exception {
        return createOrUpdateInternalState(namespaceSerializer, descriptor, transform, false);
    }

    @Nonnull
    @Override
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            @Nonnull TypeSerializer<N> namespaceSerializer,
            @Nonnull StateDescriptor<S, SV> descriptor,
            @Nonnull StateSnapshotTransformFactory<SEV> transform,
            boolean allowFutureMetadataUpdates)
            throws Exception {
        LoggedStateDirectory<K> states = parts.states();
        states.awaitReplay(namespaceSerializer, descriptor);
        if (!states.mayGrow(descriptor.getName())) {
            return register(namespaceSerializer, descriptor, transform, allowFutureMetadataUpdates);
        }
        IS state = register(namespaceSerializer, descriptor, transform, true);
        states.registerAgain(
                descriptor.getName(),
                () ->
                        register(
                                namespaceSerializer,
                                descriptor,
                                transform,
                                allowFutureMetadataUpdates));
        return state;
    }

    private <N, SV, SEV, S extends State, IS extends S> IS register(
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, SV> descriptor,
            StateSnapshotTransformFactory<SEV> transform,
            boolean allowFutureMetadataUpdates)
            throws Exception {
        IS state;
        try {
            state =
                    delegate.createOrUpdateInternalState(
                            namespaceSerializer, descriptor, transform, allowFutureMetadataUpdates);
        } catch (StateMigrationException e) {
            throw new StateMigrationException(
                    "State '" + descriptor.getName() + "': " + e.getMessage(), e);
        }
        DelegateSupport.get().writers().adopt(state, descriptor.getSerializer());
        return parts.states().keyValue(descriptor, state);
    }

    @Nonnull
    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    @Nonnull String name, @Nonnull TypeSerializer<T> elementSerializer) {
        return create(name, elementSerializer, false);
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    @Nonnull String name,
                    @Nonnull TypeSerializer<T> elementSerializer,
                    boolean allowFutureMetadataUpdates) {
        return parts.states()
                .queue(
                        name,
                        elementSerializer,
                        () -> {
                            warnIfUnread(name);
                            return delegate.create(
                                    name, elementSerializer, allowFutureMetadataUpdates);
                        });
    }

    private void warnIfUnread(String queue) {
        if (parts.states().queuesLiveInLog()
                && DelegateSupport.get().hasUnreadElements(delegate, queue)) {
            LOG.warn(
                    "The timers in '{}' that RocksDB had in the checkpoint are lost, as timers are"
                            + " on the heap now. To keep them start the job from that checkpoint"
                            + " with state.backend.rocksdb.timer-service.factory: rocksdb, and go"
                            + " on to the heap from a canonical savepoint",
                    queue);
        }
    }

    /** Overrides a method that Flink has from 2.2 on, and 1.20 has not. */
    public String getBackendTypeIdentifier() {
        return flink.typeOf(delegate);
    }

    @Override
    public boolean isSafeToReuseKVState() {
        return delegate.isSafeToReuseKVState();
    }

    @Override
    public int numKeyValueStateEntries() {
        awaitReplay();
        return delegate.numKeyValueStateEntries();
    }

    @Override
    public KeyedStateBackend<K> getDelegatedKeyedStateBackend(boolean recursive) {
        return recursive ? delegate.getDelegatedKeyedStateBackend(true) : delegate;
    }

    /**
     * The log contains the timers that the delegate leaves out of its snapshots. A native savepoint
     * has no log, so its timers go where Flink looks for them without a changelog.
     */
    @Override
    public boolean requiresLegacySynchronousTimerSnapshots(SnapshotType type) {
        return type instanceof SavepointType
                && ((SavepointType) type).getFormatType() == SavepointFormatType.NATIVE
                && parts.states().queuesLiveInLog();
    }

    // ---- checkpoints ----

    @Nonnull
    @Override
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long checkpointId,
            long timestamp,
            @Nonnull CheckpointStreamFactory streams,
            @Nonnull CheckpointOptions options)
            throws Exception {
        return parts.checkpoints().take(checkpointId, timestamp, streams, options);
    }

    @Nonnull
    @Override
    public SavepointResources<K> savepoint() throws Exception {
        awaitReplay();
        parts.states().checkLogged();
        if (!parts.states().complete()) {
            return DeclinedSavepoint.of(delegate.savepoint(), parts.states()::incomplete);
        }
        parts.states().settle();
        return delegate.savepoint();
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        if (parts.complete(checkpointId)) {
            completed.run();
        }
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) {
        parts.checkpoints().abort(checkpointId);
    }

    /** Flink notifies a keyed backend of this if it is an {@link InternalCheckpointListener}. */
    @Override
    public void notifyCheckpointSubsumed(long checkpointId) {
        parts.subsume(checkpointId);
    }

    // ---- life ----

    /** Ends the delegate's background work. A cancelling thread may call it. */
    @Override
    public void close() throws IOException {
        Closeables.<IOException>closeAll(parts::cancel, delegate::close);
    }

    @Override
    public void dispose() {
        Closeables.closeAll(parts::end, delegate::dispose, super::dispose);
    }
}
