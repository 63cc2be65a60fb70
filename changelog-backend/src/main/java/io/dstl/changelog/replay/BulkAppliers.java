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

import static org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys.NAMESPACE_SERIALIZER;
import static org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys.VALUE_SERIALIZER;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.BulkState;
import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.ChangeOp;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.schema.LoggedSchema;
import io.dstl.changelog.schema.SchemaHistory.Standing;
import io.dstl.changelog.state.ChangeApplier;
import io.dstl.changelog.state.KeyCursor;
import io.dstl.changelog.state.RecordInput;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;

/**
 * Decides which key-value states are replayed in bulk: those of exactly Flink's RocksDB classes
 * that keep values as the log has them. Replays all others through the state, and notes the reason.
 *
 * <p>Used only by the thread that replays.
 */
final class BulkAppliers {
    private final BulkReplay bulk;
    private final KeyCursor<?> cursor;
    private final Map<String, Applier> appliers = new HashMap<>();

    BulkAppliers(BulkReplay bulk, KeyCursor<?> cursor) {
        this.bulk = bulk;
        this.cursor = cursor;
    }

    /** Call this before a state is registered, as that may migrate its content. */
    void beforeBinding(Standing standing) throws IOException {
        if (standing != Standing.CURRENT) {
            bulk.write();
        }
    }

    /**
     * @param state as it is registered now
     * @param metadata that it was registered from
     * @param throughState for the changes that can't be replayed in bulk
     * @param obstacle why no change can; empty if the caller knows no reason
     */
    ChangeApplier of(
            InternalKvState<?, ?, ?> state,
            StateMetadata metadata,
            Standing standing,
            ChangeApplier throughState,
            String obstacle)
            throws IOException {
        if (!bulk.isEnabled()) {
            return throughState;
        }
        String name = metadata.name();
        Optional<RawState> raw = DelegateSupport.get().rawState(state);
        String reason = obstacle.isEmpty() ? reasonAgainst(raw, state, metadata) : obstacle;
        Applier former = appliers.get(name);
        if (former != null && standing == Standing.CURRENT && reason.isEmpty()) {
            return former;
        }
        bulk.write();
        Optional<BulkState> opened = reason.isEmpty() ? bulk.open(raw.get()) : Optional.empty();
        if (!opened.isPresent()) {
            bulk.leaveOut(name, reason.isEmpty() ? "too many states were registered" : reason);
            appliers.remove(name);
            return throughState;
        }
        Applier applier =
                new Applier(
                        name,
                        bulk,
                        opened.get(),
                        (op, keyGroup, record) -> cursor.check(keyGroup, record),
                        throughState);
        appliers.put(name, applier);
        return applier;
    }

    private static String reasonAgainst(
            Optional<RawState> raw, InternalKvState<?, ?, ?> state, StateMetadata metadata) {
        if (!raw.isPresent()) {
            return "it is a " + state.getClass().getName();
        }
        return isSame(
                                DelegateSupport.get().writers().logged(state.getValueSerializer()),
                                metadata.snapshot(),
                                VALUE_SERIALIZER)
                        && isSame(
                                state.getNamespaceSerializer(),
                                metadata.snapshot(),
                                NAMESPACE_SERIALIZER)
                ? ""
                : "it is kept with another serializer than it was logged with";
    }

    private static boolean isSame(
            TypeSerializer<?> kept, StateMetaInfoSnapshot logged, CommonSerializerKeys which) {
        TypeSerializerSnapshot<?> ofLog = logged.getTypeSerializerSnapshot(which);
        return ofLog != null && LoggedSchema.areSame(ofLog, kept.snapshotConfiguration());
    }

    /**
     * Applies the changes of a state in bulk: only the last one of each key reaches the delegate,
     * later, with its bytes in the log.
     *
     * <p>A change that needs the delegate's content, or that the state never logs, ends the bulk
     * replay of the state: from then on all its changes go through the state itself.
     *
     * <p>Reads some of the keys, though most serializers need not read them: if the job had another
     * key serializer now, most keys would be of other key groups. The first key of each key group
     * in a change set is among those read.
     */
    static final class Applier implements ChangeApplier {
        private static final int CHANGES_PER_CHECK = 16;

        private final String name;
        private final BulkReplay bulk;
        private final BulkState state;
        private final KeyCheck keys;
        private final ChangeApplier throughState;

        /** Reads the key of a change, and leaves the record as it was. */
        interface KeyCheck {
            /**
             * @throws org.apache.flink.util.StateMigrationException if the key can't be read, or is
             *     not of the key group
             */
            void check(ChangeOp op, int keyGroup, RecordInput record) throws Exception;
        }

        private boolean ended;
        private int lastKeyGroup = -1;
        private int unchecked;

        Applier(
                String name,
                BulkReplay bulk,
                BulkState state,
                KeyCheck keys,
                ChangeApplier throughState) {
            this.name = name;
            this.bulk = bulk;
            this.state = state;
            this.keys = keys;
            this.throughState = throughState;
        }

        @Override
        public boolean apply(ChangeOp op, int keyGroup, KeyGroupRange keyGroups, RecordInput record)
                throws Exception {
            if (!keyGroups.contains(keyGroup)) {
                return false;
            }
            if (!ended && !state.takes(op)) {
                end(op);
            }
            if (ended || bulk.isPaused()) {
                return throughState.apply(op, keyGroup, keyGroups, record);
            }
            unchecked++;
            if (keyGroup != lastKeyGroup || unchecked == CHANGES_PER_CHECK) {
                keys.check(op, keyGroup, record);
                lastKeyGroup = keyGroup;
                unchecked = 0;
            }
            bulk.add(state, op, keyGroup, record.bytes());
            record.skipToEnd();
            return true;
        }

        /** Whether such a change only needs to write bytes to the delegate. */
        boolean takes(ChangeOp op) {
            return !ended && !bulk.isPaused() && state.takes(op);
        }

        /** Whether the user's function takes part in such a change. */
        boolean needsFunction(ChangeOp op) {
            return !state.takes(op) && state.raw().form().needsFunction();
        }

        RawState raw() {
            return state.raw();
        }

        private void end(ChangeOp op) throws IOException {
            bulk.write();
            end("its log has " + op);
        }

        /** All later changes go through the state. Write the added ones before this call. */
        void end(String reason) {
            bulk.leaveOut(name, reason);
            ended = true;
        }
    }
}
