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

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.util.ExceptionUtils;

/**
 * Refuses a restore from several bases that have the values of one state in different formats.
 *
 * <p>Flink's backends take the format of a state from the first base that has it, and do not check
 * the others: their values would be read as what they are not. Without a changelog, a checkpoint
 * has the state of all tasks in one format. With one, it may have bases of before and of after a
 * migration: a job that was restored with another schema migrates the state in each task, and each
 * task replaces its base when it next materializes.
 *
 * <p><b>Threading.</b> Begun and awaited by one thread. Reads on a thread of its own, while the
 * delegate is restored.
 */
final class RestoredSchemas {

    private final String operator;
    private final ClassLoader userClassLoader;
    private final CloseableRegistry cancellation;
    private final FutureTask<Void> check;

    private RestoredSchemas(
            List<KeyedStateHandle> bases,
            String operator,
            ClassLoader userClassLoader,
            CloseableRegistry cancellation) {
        this.operator = operator;
        this.userClassLoader = userClassLoader;
        this.cancellation = cancellation;
        this.check =
                new FutureTask<>(
                        () -> {
                            check(bases);
                            return null;
                        });
    }

    /**
     * Reads the metadata of the bases, if there are several.
     *
     * @param cancellation ends the reading when it is closed
     */
    static RestoredSchemas begin(
            List<KeyedStateHandle> bases,
            String operator,
            ClassLoader userClassLoader,
            CloseableRegistry cancellation) {
        RestoredSchemas schemas =
                new RestoredSchemas(bases, operator, userClassLoader, cancellation);
        if (bases.size() > 1) {
            Thread reader = new Thread(schemas.check, operator + " restored schemas");
            reader.setDaemon(true);
            reader.start();
        } else {
            schemas.check.run();
        }
        return schemas;
    }

    /**
     * Waits until all are read.
     *
     * @throws IllegalStateException if the values of a state have two formats
     * @throws IOException if a base can't be read
     */
    void await() throws Exception {
        try {
            check.get();
        } catch (ExecutionException e) {
            ExceptionUtils.rethrowException(e.getCause());
        }
    }

    private void check(List<KeyedStateHandle> bases) throws IOException {
        Map<String, Described> first = new HashMap<>();
        for (KeyedStateHandle base : bases) {
            for (StateMetaInfoSnapshot state : states(base)) {
                Described described = new Described(state, base);
                Described earlier = first.putIfAbsent(state.getName(), described);
                if (earlier != null && !earlier.hasFormatOf(described)) {
                    throw mixed(earlier, described);
                }
            }
        }
    }

    private List<StateMetaInfoSnapshot> states(KeyedStateHandle base) throws IOException {
        Optional<StreamStateHandle> metadata = metadata(base);
        if (!metadata.isPresent()) {
            return List.of();
        }
        KeyedBackendSerializationProxy<?> described =
                new KeyedBackendSerializationProxy<>(userClassLoader);
        try (FSDataInputStream file = metadata.get().openInputStream()) {
            cancellation.registerCloseable(file);
            try {
                described.read(new DataInputViewStreamWrapper(file));
            } finally {
                cancellation.unregisterCloseable(file);
            }
        }
        return described.getStateMetaInfoSnapshots();
    }

    /** Of the delegates that Flink has; those of others have formats of their own. */
    private static Optional<StreamStateHandle> metadata(KeyedStateHandle base) {
        if (base instanceof IncrementalKeyedStateHandle) {
            return Optional.of(((IncrementalKeyedStateHandle) base).getMetaDataStateHandle());
        }
        // A full snapshot begins with its metadata.
        return base instanceof KeyGroupsStateHandle
                ? Optional.of((KeyGroupsStateHandle) base)
                : Optional.empty();
    }

    private IllegalStateException mixed(Described one, Described other) {
        return new IllegalStateException(
                operator
                        + " cannot be restored: the base of key groups "
                        + one.keyGroups()
                        + " has state '"
                        + one.state.getName()
                        + "' in another format than that of key groups "
                        + other.keyGroups()
                        + ", as the schema of the state was changed and not all tasks had"
                        + " materialized since. Start the job from this checkpoint with the"
                        + " parallelism that it was taken with; then take a canonical savepoint,"
                        + " or wait until each task has materialized and a checkpoint has"
                        + " completed, and change the parallelism then.");
    }

    /** A state as a base has it. */
    private static final class Described {
        private final StateMetaInfoSnapshot state;
        private final KeyedStateHandle base;

        private Described(StateMetaInfoSnapshot state, KeyedStateHandle base) {
            this.state = state;
            this.base = base;
        }

        private String keyGroups() {
            return base.getKeyGroupRange().prettyPrintInterval();
        }

        private boolean hasFormatOf(Described other) throws IOException {
            Map<String, TypeSerializerSnapshot<?>> schemas =
                    state.getSerializerSnapshotsImmutable();
            Map<String, TypeSerializerSnapshot<?>> others =
                    other.state.getSerializerSnapshotsImmutable();
            if (!schemas.keySet().equals(others.keySet())) {
                return false;
            }
            for (Map.Entry<String, TypeSerializerSnapshot<?>> schema : schemas.entrySet()) {
                if (!areOneFormat(schema.getValue(), others.get(schema.getKey()))) {
                    return false;
                }
            }
            return true;
        }

        private static boolean areOneFormat(
                TypeSerializerSnapshot<?> one, TypeSerializerSnapshot<?> other) throws IOException {
            return Arrays.equals(bytes(one), bytes(other))
                    || (readsAsItIs(one, other) && readsAsItIs(other, one));
        }

        private static byte[] bytes(TypeSerializerSnapshot<?> schema) throws IOException {
            DataOutputSerializer out = new DataOutputSerializer(256);
            TypeSerializerSnapshot.writeVersionedSnapshot(out, schema);
            return out.getCopyOfBuffer();
        }

        /** Serializers for other bytes may be equal, such as with types registered otherwise. */
        @SuppressWarnings("unchecked")
        private static <T> boolean readsAsItIs(
                TypeSerializerSnapshot<T> reader, TypeSerializerSnapshot<?> written) {
            TypeSerializerSchemaCompatibility<T> found;
            try {
                found = reader.resolveSchemaCompatibility((TypeSerializerSnapshot<T>) written);
            } catch (RuntimeException e) {
                // As of a POJO's older snapshot that is asked about fields it does not know.
                return false;
            }
            return !found.isIncompatible() && !found.isCompatibleAfterMigration();
        }
    }
}
