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

import static java.util.Objects.requireNonNull;
import static org.apache.flink.runtime.state.CompositeKeySerializationUtils.computeRequiredBytesInKeyGroupPrefix;
import static org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys.KEYED_STATE_TYPE;

import io.dstl.changelog.bulk.Cancellation;
import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.schema.LoggedSchema;
import io.dstl.changelog.state.StateKind;
import java.io.IOException;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;

/**
 * How RocksDB will keep a state, as far as its metadata tells: enough to take changes in before
 * RocksDB exists. Later {@link #fits} tells whether RocksDB does keep it so.
 */
final class LoggedLayout implements RawState {
    private final Form form;
    private final Keys keys;
    private final TypeSerializer<?> namespaceSerializer;
    private final TypeSerializer<?> valueSerializer;
    private final WriterOpener opener;

    private LoggedLayout(
            Form form,
            Keys keys,
            TypeSerializer<?> namespaceSerializer,
            TypeSerializer<?> valueSerializer,
            WriterOpener opener) {
        this.form = form;
        this.keys = keys;
        this.namespaceSerializer = namespaceSerializer;
        this.valueSerializer = valueSerializer;
        this.opener = opener;
    }

    /** What all states of a task have in common. */
    static final class Keys {
        private final TypeSerializer<?> serializer;
        private final int numberOfKeyGroups;
        private final boolean queuesAreRaw;

        /**
         * @param serializer of the thread that replays
         * @param numberOfKeyGroups of the job
         * @param queuesAreRaw whether RocksDB will keep the priority queues
         */
        Keys(TypeSerializer<?> serializer, int numberOfKeyGroups, boolean queuesAreRaw) {
            this.serializer = requireNonNull(serializer);
            this.numberOfKeyGroups = numberOfKeyGroups;
            this.queuesAreRaw = queuesAreRaw;
        }

        TypeSerializer<?> serializer() {
            return serializer;
        }

        int numberOfKeyGroups() {
            return numberOfKeyGroups;
        }
    }

    /** Opens writers to the delegate, once it exists. */
    interface WriterOpener {
        RawState.RawWriter open(Cancellation cancellation) throws IOException;
    }

    /**
     * Empty if the metadata does not tell, or can't be understood: the registration with the
     * delegate then reports more.
     */
    static Optional<LoggedLayout> of(StateMetadata metadata, Keys keys, WriterOpener opener) {
        if (metadata.type() == BackendStateType.PRIORITY_QUEUE) {
            return keys.queuesAreRaw
                    ? Optional.of(
                            new LoggedLayout(
                                    Form.QUEUE,
                                    keys,
                                    VoidNamespaceSerializer.INSTANCE,
                                    new RegisteredPriorityQueueStateBackendMetaInfo<>(
                                                    metadata.snapshot())
                                            .getElementSerializer(),
                                    opener))
                    : Optional.empty();
        }
        Optional<StateKind> kind = StateKind.named(metadata.snapshot().getOption(KEYED_STATE_TYPE));
        if (!kind.isPresent() || metadata.type() != BackendStateType.KEY_VALUE) {
            return Optional.empty();
        }
        RegisteredKeyValueStateBackendMetaInfo<?, ?> info =
                new RegisteredKeyValueStateBackendMetaInfo<>(metadata.snapshot());
        TypeSerializer<?> values = info.getStateSerializer();
        Form form = kind.get().form();
        return form.keeps(values)
                ? Optional.of(
                        new LoggedLayout(form, keys, info.getNamespaceSerializer(), values, opener))
                : Optional.empty();
    }

    /** Whether the keys are the same bytes. For the values, their schema decides that. */
    boolean fits(RawState real) {
        return real.form() == form
                && real.keyGroupBytes() == keyGroupBytes()
                && real.numberOfKeyGroups() == numberOfKeyGroups()
                && real.hasLengths() == hasLengths()
                && (form == Form.QUEUE || isSame(real.keySerializer(), keySerializer()));
    }

    /**
     * Equality alone does not suffice: serializers of Kryo are equal whatever number each class is
     * registered with.
     */
    private static boolean isSame(TypeSerializer<?> one, TypeSerializer<?> other) {
        return one.equals(other)
                && LoggedSchema.areSame(one.snapshotConfiguration(), other.snapshotConfiguration());
    }

    @Override
    public Form form() {
        return form;
    }

    @Override
    public int keyGroupBytes() {
        return computeRequiredBytesInKeyGroupPrefix(keys.numberOfKeyGroups);
    }

    @Override
    public int numberOfKeyGroups() {
        return keys.numberOfKeyGroups;
    }

    @Override
    public TypeSerializer<?> keySerializer() {
        return keys.serializer;
    }

    @Override
    public TypeSerializer<?> namespaceSerializer() {
        return namespaceSerializer;
    }

    @Override
    public TypeSerializer<?> valueSerializer() {
        return valueSerializer;
    }

    @Override
    public RawState.RawWriter newWriter(Cancellation cancellation) throws IOException {
        return opener.open(cancellation);
    }

    @Override
    public String toString() {
        return form + " as logged";
    }
}
