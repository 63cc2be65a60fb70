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
import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.schema.LoggedSerializer;
import io.dstl.changelog.schema.SchemaHistory.Standing;
import io.dstl.changelog.state.ChangeApplier;
import io.dstl.changelog.state.KeyCursor;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;

/**
 * Decides which key-value states are replayed in bulk: those of exactly Flink's RocksDB classes
 * that keep values as the log has them. All others go through the state, and are named with the
 * reason.
 *
 * <p>Used by the thread that replays only.
 */
final class BulkAppliers {
    private final BulkReplay bulk;
    private final KeyCursor<?> cursor;
    private final Map<String, BulkApplier> appliers = new HashMap<>();

    BulkAppliers(BulkReplay bulk, KeyCursor<?> cursor) {
        this.bulk = bulk;
        this.cursor = cursor;
    }

    /** A state is going to be registered: what it has may be migrated. */
    void beforeBinding(Standing standing) throws IOException {
        if (standing != Standing.CURRENT) {
            bulk.write();
        }
    }

    /**
     * @param state as it is registered now
     * @param metadata that it was registered from
     * @param throughState for the changes that can't be replayed in bulk
     * @param obstacle why none can; empty if there is no other reason than is found here
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
        BulkApplier former = appliers.get(name);
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
        BulkApplier applier =
                new BulkApplier(
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
        return isSame(state.getValueSerializer(), metadata.snapshot(), VALUE_SERIALIZER)
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
        return ofLog != null
                && Arrays.equals(
                        LoggedSerializer.bytes(ofLog),
                        LoggedSerializer.bytes(kept.snapshotConfiguration()));
    }
}
