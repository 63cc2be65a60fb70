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
package io.dstl.changelog.replay;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.schema.SchemaHistory;
import io.dstl.changelog.schema.SchemaHistory.Standing;
import io.dstl.changelog.state.ChangeApplier;
import io.dstl.changelog.state.DeferredMerges;
import io.dstl.changelog.state.KeyCursor;
import io.dstl.changelog.state.RegisteredStates;
import io.dstl.changelog.state.StateKind;
import java.io.IOException;
import java.util.Optional;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.util.FlinkException;
import org.apache.flink.util.StateMigrationException;

/**
 * Replays into a delegate of any kind: through Flink's state API, or in bulk where the delegate can
 * take bytes.
 *
 * @param <K> type of the key
 */
public final class DelegateTarget<K> implements ReplayTarget {
    private final AbstractKeyedStateBackend<K> delegate;
    private final KeyCursor<K> cursor;
    private final ReplayLeftovers<K> leftovers;
    private final BulkReplay bulk;
    private final BulkAppliers inBulk;
    private final QueueAppliers queues;
    private final SchemaHistory schemas = new SchemaHistory();
    private final RegisteredStates<K> states;

    /**
     * @param bulk replays changes that states of RocksDB take as bytes; closed by the caller
     */
    public DelegateTarget(AbstractKeyedStateBackend<K> delegate, BulkReplay bulk) {
        this.delegate = delegate;
        this.bulk = bulk;
        this.cursor = new KeyCursor<>(delegate);
        DeferredMerges<K> merges = new DeferredMerges<>(delegate);
        this.leftovers = new ReplayLeftovers<>(merges);
        this.states =
                new RegisteredStates<>(delegate, cursor, DelegateSupport.get().writers(), merges);
        this.inBulk = new BulkAppliers(bulk, cursor);
        this.queues = new QueueAppliers(delegate, bulk, leftovers);
    }

    BulkReplay bulk() {
        return bulk;
    }

    /** What the replay leaves to the backend; complete once the replay has ended. */
    public ReplayLeftovers<K> leftovers() {
        return leftovers;
    }

    @Override
    public KeyGroupRange keyGroups() {
        return delegate.getKeyGroupRange();
    }

    @Override
    public void begin(boolean trusted) throws IOException {
        if (trusted) {
            bulk.resume();
        } else if (!bulk.isPaused()) {
            bulk.pause();
            queues.end();
        }
    }

    @Override
    public void complete() throws IOException {
        bulk.write();
        queues.complete();
    }

    @Override
    public void leave() {
        cursor.leave();
    }

    @Override
    public ChangeApplier bind(StateMetadata metadata, KeyGroupRange keyGroups) throws Exception {
        switch (metadata.type()) {
            case KEY_VALUE:
                return bindKeyed(metadata, keyGroups);
            case PRIORITY_QUEUE:
                return queues.bind(metadata, schemas.standingOf(metadata, keyGroups));
            default:
                throw new IOException(
                        metadata + ": expected a key-value state or a priority queue");
        }
    }

    private ChangeApplier bindKeyed(StateMetadata metadata, KeyGroupRange keyGroups)
            throws Exception {
        StateKind kind = RegisteredStates.kindOf(metadata);
        try {
            return bindKeyed(metadata, kind, schemas.standingOf(metadata, keyGroups));
        } catch (StateMigrationException | RuntimeException e) {
            Optional<Throwable> fault = DelegateSupport.get().faultIn(e);
            if (fault.isPresent()) {
                throw new FlinkException(
                        "RocksDB could not take state '"
                                + metadata.name()
                                + "': "
                                + fault.get().getMessage()
                                + ". See its disk (state.backend.rocksdb.localdir), and the limit of"
                                + " open files.",
                        e);
            }
            throw new StateMigrationException(
                    "State '"
                            + metadata.name()
                            + "' cannot be restored: the type it was logged with and the one that"
                            + " it was materialized with, or that the job has now, do not go"
                            + " together ("
                            + e.getMessage()
                            + "). Restore with the former type; or, if the parallelism was changed"
                            + " too, at the former one first, until each task has used the state and"
                            + " materialized and a checkpoint has completed.",
                    e);
        }
    }

    private ChangeApplier bindKeyed(StateMetadata metadata, StateKind kind, Standing standing)
            throws Exception {
        inBulk.beforeBinding(standing);
        ChangeApplier throughState = states.register(kind, metadata, standing);
        return inBulk.of(
                states.get(metadata.name()),
                metadata,
                standing,
                throughState,
                obstacleTo(metadata.name()));
    }

    private String obstacleTo(String name) {
        if (states.isLater(name)) {
            return "it is kept with a later schema than it was logged with";
        }
        return leftovers.statesWithDeferredMerges().contains(name)
                ? "merges of its namespaces wait for its function"
                : "";
    }
}
