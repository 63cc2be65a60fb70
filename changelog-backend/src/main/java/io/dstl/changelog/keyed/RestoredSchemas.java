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

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.schema.LoggedSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.InstantiationUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses a restore from several bases of different kinds, or that have the values of one state in
 * different formats.
 *
 * <p>Flink's backends take the format of a state from the first base that has it, and do not check
 * the others: their values would be read as what they are not. Without a changelog, a checkpoint
 * mostly has the state of all tasks in one format. With one, it may have bases of before and of
 * after a migration: a job that was restored with another schema migrates a state in each task as
 * the task first uses it, and the task replaces its base when it next materializes. A task that
 * never uses the state keeps it in the old format, in its bases and in canonical savepoints.
 *
 * <p><b>Threading.</b> The task thread, before the delegate is restored. It waits for some threads
 * that read the bases' metadata.
 */
final class RestoredSchemas {

    private static final Logger LOG = LoggerFactory.getLogger(RestoredSchemas.class);

    /** Each mostly waits for the store. */
    private static final int MAX_READERS = 16;

    private static final String START =
            " Start the job from this checkpoint with the parallelism that it was taken with";

    private static final String WAIT =
            " take a canonical savepoint, or wait until each task has materialized and a checkpoint"
                    + " has completed, and change the parallelism then.";

    private final String operator;
    private final ClassLoader userClassLoader;
    private final CloseableRegistry cancellation;

    /**
     * @param operator for messages
     * @param cancellation ends the reading when it is closed
     */
    RestoredSchemas(String operator, ClassLoader userClassLoader, CloseableRegistry cancellation) {
        this.operator = operator;
        this.userClassLoader = userClassLoader;
        this.cancellation = cancellation;
    }

    /**
     * Reads the metadata of the bases, if there are several.
     *
     * @throws IllegalStateException if the bases, or the values of a state, have two formats
     * @throws IOException if a base can't be read
     */
    void check(List<KeyedStateHandle> bases) throws Exception {
        if (bases.size() <= 1) {
            return;
        }
        checkKind(bases);
        List<List<StateMetaInfoSnapshot>> states = read(bases);
        Map<String, Described> first = new HashMap<>();
        for (int i = 0; i < bases.size(); i++) {
            for (StateMetaInfoSnapshot state : states.get(i)) {
                Described described = new Described(state, bases.get(i));
                Described earlier = first.putIfAbsent(state.getName(), described);
                if (earlier != null && !haveOneFormat(earlier, described)) {
                    throw mixed(earlier, described);
                }
            }
        }
    }

    /** RocksDB restores either files of its own or lists of entries, as the first base is. */
    private void checkKind(List<KeyedStateHandle> bases) {
        KeyedStateHandle first = bases.get(0);
        for (KeyedStateHandle base : bases) {
            if (hasFiles(base) != hasFiles(first)) {
                throw new IllegalStateException(
                        String.format(
                                Locale.ROOT,
                                "%s cannot be restored: the base of key groups %s has files of"
                                        + " RocksDB, and that of key groups %s has not.%s; then%s",
                                operator,
                                keyGroups(hasFiles(first) ? first : base),
                                keyGroups(hasFiles(first) ? base : first),
                                START,
                                WAIT));
            }
        }
    }

    /** RocksDB's full checkpoints too are handles of this class. */
    private static boolean hasFiles(KeyedStateHandle base) {
        return base instanceof IncrementalKeyedStateHandle;
    }

    private static String keyGroups(KeyedStateHandle base) {
        return base.getKeyGroupRange().prettyPrintInterval();
    }

    private List<List<StateMetaInfoSnapshot>> read(List<KeyedStateHandle> bases) throws Exception {
        String name = Thread.currentThread().getName() + " reads schemas";
        ExecutorService readers =
                Executors.newFixedThreadPool(
                        Math.min(MAX_READERS, bases.size()),
                        work -> {
                            Thread thread = new Thread(work, name);
                            thread.setDaemon(true);
                            return thread;
                        });
        try {
            List<Future<List<StateMetaInfoSnapshot>>> reads = new ArrayList<>();
            for (KeyedStateHandle base : bases) {
                reads.add(readers.submit(() -> states(base)));
            }
            List<List<StateMetaInfoSnapshot>> states = new ArrayList<>();
            for (Future<List<StateMetaInfoSnapshot>> read : reads) {
                states.add(read.get());
            }
            return states;
        } catch (ExecutionException e) {
            ExceptionUtils.rethrowException(e.getCause());
            throw e;
        } finally {
            readers.shutdownNow();
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
                        + ", as the schema of the state was changed and not all tasks had used it"
                        + " and materialized since."
                        + START
                        + ", and have each task call getState for this state in open(), also if the"
                        + " job no longer needs it: a task migrates a state when it first asks for"
                        + " it. Then"
                        + WAIT);
    }

    private boolean haveOneFormat(Described one, Described other) {
        Map<String, TypeSerializerSnapshot<?>> schemas = one.schemas();
        Map<String, TypeSerializerSnapshot<?>> others = other.schemas();
        if (!schemas.keySet().equals(others.keySet())) {
            return false;
        }
        for (Map.Entry<String, TypeSerializerSnapshot<?>> schema : schemas.entrySet()) {
            Optional<Boolean> same = areOneFormat(schema.getValue(), others.get(schema.getKey()));
            if (!same.isPresent()) {
                LOG.warn(
                        "{} is restored as if the bases of key groups {} and {} had state '{}' in"
                                + " one format: their serializers cannot be compared. If the"
                                + " schema of the state was changed lately, its values may be"
                                + " misread",
                        operator,
                        one.keyGroups(),
                        other.keyGroups(),
                        one.state.getName());
            }
            if (!same.orElse(true)) {
                return false;
            }
        }
        return true;
    }

    /** Empty if they cannot be compared. */
    private Optional<Boolean> areOneFormat(
            TypeSerializerSnapshot<?> one, TypeSerializerSnapshot<?> other) {
        if (areSameBytes(one, other)) {
            return Optional.of(true);
        }
        TypeSerializerSnapshot<?> plain = plain(one);
        TypeSerializerSnapshot<?> otherPlain = plain(other);
        return plain == one && otherPlain == other
                ? compare(one, other)
                : areOneFormat(plain, otherPlain);
    }

    /** The same if its serializer cannot be restored, so that there is nothing to compare. */
    private static TypeSerializerSnapshot<?> plain(TypeSerializerSnapshot<?> read) {
        try {
            return DelegateSupport.get().writers().logged(read);
        } catch (RuntimeException e) {
            LOG.debug("Cannot restore the serializer of {}", read, e);
            return read;
        }
    }

    private Optional<Boolean> compare(
            TypeSerializerSnapshot<?> one, TypeSerializerSnapshot<?> other) {
        Optional<Boolean> reads = readsAsItIs(one, other);
        Optional<Boolean> isRead = readsAsItIs(other, one);
        if (!reads.orElse(true) || !isRead.orElse(true)) {
            return Optional.of(false);
        }
        // Two snapshots of a POJO do not compare if the class has lost a field that both have.
        return reads.isPresent() && isRead.isPresent()
                ? Optional.of(true)
                : haveOneSerializer(one, other);
    }

    /** False also if the bytes are unknown: not every snapshot that was read can be written. */
    private static boolean areSameBytes(
            TypeSerializerSnapshot<?> one, TypeSerializerSnapshot<?> other) {
        try {
            return LoggedSchema.areSame(one, other);
        } catch (RuntimeException e) {
            LOG.debug("Cannot write {} or {}", one, other, e);
            return false;
        }
    }

    /**
     * Whether one serializer reads what the other has written. Different bytes do not say that it
     * can't: a POJO's have the subclasses that the task has met.
     *
     * @return empty if they cannot be compared
     */
    private Optional<Boolean> readsAsItIs(
            TypeSerializerSnapshot<?> reader, TypeSerializerSnapshot<?> written) {
        try {
            return isAsItIs(reader, written);
        } catch (RuntimeException e) {
            LOG.debug("Cannot compare {} with {} as it was read", reader, written, e);
        }
        try {
            // A POJO's snapshot that was read lacks the configuration that this takes.
            return isAsItIs(reader.restoreSerializer().snapshotConfiguration(), written);
        } catch (RuntimeException e) {
            LOG.debug("Cannot compare {} with {}", reader, written, e);
            return Optional.empty();
        }
    }

    @SuppressWarnings("unchecked")
    private <T> Optional<Boolean> isAsItIs(
            TypeSerializerSnapshot<T> reader, TypeSerializerSnapshot<?> written) {
        TypeSerializerSchemaCompatibility<T> found =
                reader.resolveSchemaCompatibility((TypeSerializerSnapshot<T>) written);
        // Reconfigured it would read both, but a restored one is not, such as one of a longer enum.
        return found.isCompatibleWithReconfiguredSerializer()
                ? haveOneSerializer(reader, written)
                : Optional.of(found.isCompatibleAsIs());
    }

    /**
     * Whether the restored serializers have one configuration. Their copies forget the subclasses
     * that a POJO's has met. Empty if that is unknown.
     */
    private Optional<Boolean> haveOneSerializer(
            TypeSerializerSnapshot<?> one, TypeSerializerSnapshot<?> other) {
        try {
            return Optional.of(LoggedSchema.areSame(copied(one), copied(other)));
        } catch (IOException | ClassNotFoundException | RuntimeException e) {
            LOG.debug("Cannot copy a restored serializer of {} or of {}", one, other, e);
        }
        try {
            // That of a POJO whose class has lost a field cannot be copied.
            return Optional.of(one.restoreSerializer().equals(other.restoreSerializer()));
        } catch (RuntimeException e) {
            LOG.debug("Cannot restore a serializer of {} or of {}", one, other, e);
            return Optional.empty();
        }
    }

    private TypeSerializerSnapshot<?> copied(TypeSerializerSnapshot<?> schema)
            throws IOException, ClassNotFoundException {
        return InstantiationUtil.clone(schema.restoreSerializer(), userClassLoader)
                .snapshotConfiguration();
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
            return RestoredSchemas.keyGroups(base);
        }

        private Map<String, TypeSerializerSnapshot<?>> schemas() {
            return state.getSerializerSnapshotsImmutable();
        }
    }
}
