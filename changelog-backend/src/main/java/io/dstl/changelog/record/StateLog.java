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
package io.dstl.changelog.record;

import io.dstl.fs.arena.ChangeEffect;
import io.dstl.fs.log.ChangeAppender;
import java.io.IOException;
import java.util.Collection;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Writes the changes of one key-value state: {@code op, state id, key, namespace, data}.
 *
 * <p>Each method writes one whole record or, if a serializer throws, none. Data that the delegate
 * has already serialized comes as {@link Data}, other data with its serializer, which must belong
 * to the log alone, see {@link LogSerializer}.
 *
 * <p>The task thread only.
 *
 * @param <K> type of the keys
 * @param <N> type of the namespaces
 */
public final class StateLog<K, N> extends DescribedLog {
    private static final Data NOTHING = out -> {};

    /** Of a usual key and namespace; more are possible. */
    private static final int SCOPE_BYTES = 64;

    private final ChangeRecorder<K> recorder;
    private final ChangeAppender appender;
    private final Supplier<TypeSerializer<N>> namespaceSerializer;
    private final CurrentScope<N> current;
    private final LogSerializer<N> mergedNamespaces = new LogSerializer<>();

    /**
     * @param namespaceSerializer the delegate's; requested at each use, as it may change
     * @param metadata taken each time a METADATA record is due
     */
    public StateLog(
            ChangeRecorder<K> recorder,
            StateId id,
            String stateName,
            Supplier<TypeSerializer<N>> namespaceSerializer,
            Supplier<StateMetadata> metadata) {
        super(recorder, id, stateName, metadata);
        this.recorder = recorder;
        this.appender = recorder.appender();
        this.namespaceSerializer = namespaceSerializer;
        recorder.announced(this);
        this.current = new CurrentScope<>(recorder, namespaceSerializer);
    }

    public void setNamespace(N namespace) {
        current.setNamespace(namespace);
    }

    /** Null before the first {@link #setNamespace}. */
    @Nullable
    public N namespace() {
        return current.namespace();
    }

    public Object currentKey() {
        return recorder.keyContext().getCurrentKey();
    }

    /** The key and namespace that are current when a change is recorded. */
    public Scope currentScope() {
        return current;
    }

    /** The key that is current now, with the given namespace, even after both have changed. */
    public Scope fixedScope(N namespace) {
        return new FixedScope<>(recorder, this::mergeSerializer, namespace);
    }

    /** The scope as it is now. */
    public static Scope copyOf(Scope scope) throws IOException {
        DataOutputSerializer bytes = new DataOutputSerializer(SCOPE_BYTES);
        scope.writeTo(bytes);
        return new CopiedScope(scope.keyGroup(), bytes.getCopyOfBuffer());
    }

    private TypeSerializer<N> mergeSerializer() {
        return mergedNamespaces.of(namespaceSerializer.get());
    }

    /** Records a change that carries no data. */
    public void record(Scope scope, ChangeOp op) throws IOException {
        record(scope, op, NOTHING);
    }

    /** Records a change whose data exists as bytes. */
    public void record(Scope scope, ChangeOp op, Data data) throws IOException {
        record(scope, op, op.effect(), data);
    }

    /**
     * Does the same as {@link #record(Scope, ChangeOp, Data)}, for a value where there was none at
     * all. An expired value counts as a value: it would come back once the log has forgotten both
     * this change and its removal.
     */
    public void recordFirst(Scope scope, ChangeOp op, Data data) throws IOException {
        record(scope, op, ChangeEffect.CREATES_SCOPE, data);
    }

    private void record(Scope scope, ChangeOp op, ChangeEffect effect, Data data)
            throws IOException {
        try {
            DataOutputView out = begin(scope, op, effect);
            data.writeTo(out);
            appender.endRecord();
        } catch (Throwable t) {
            lose(t);
            throw t;
        }
    }

    /** Records a change of one entry of a map, whose key and value exist as bytes. */
    public void recordEntry(Scope scope, ChangeOp op, Data key, Data value) throws IOException {
        try {
            DataOutputView out = begin(scope, op);
            key.writeTo(out);
            appender.entryEnds();
            value.writeTo(out);
            appender.endRecord();
        } catch (Throwable t) {
            lose(t);
            throw t;
        }
    }

    /** Records a change that carries one value: the whole state, an element, or a map key. */
    public <T> void record(Scope scope, ChangeOp op, TypeSerializer<T> serializer, T value)
            throws IOException {
        try {
            recorder.serializing();
            DataOutputView out = begin(scope, op);
            serializer.serialize(value, out);
            appender.endRecord();
        } catch (Throwable t) {
            lose(t);
            throw t;
        }
    }

    /** Records a change that carries one entry of a map. */
    public <A, B> void record(
            Scope scope,
            ChangeOp op,
            TypeSerializer<A> keySerializer,
            A key,
            TypeSerializer<B> valueSerializer,
            B value)
            throws IOException {
        try {
            recorder.serializing();
            DataOutputView out = begin(scope, op);
            keySerializer.serialize(key, out);
            appender.entryEnds();
            valueSerializer.serialize(value, out);
            appender.endRecord();
        } catch (Throwable t) {
            lose(t);
            throw t;
        }
    }

    /**
     * Records that the values of the sources were added to the target's.
     *
     * @param scope of the target: the current namespace may not be set yet when windows merge after
     *     a restore
     */
    public void recordMerge(Scope scope, N target, Collection<N> sources) throws IOException {
        record(
                scope,
                ChangeOp.MERGE_NS,
                out -> {
                    TypeSerializer<N> serializer = mergeSerializer();
                    serializer.serialize(target, out);
                    out.writeInt(sources.size());
                    for (N source : sources) {
                        serializer.serialize(source, out);
                    }
                });
    }

    private DataOutputView begin(Scope scope, ChangeOp op) throws IOException {
        return begin(scope, op, op.effect());
    }

    private DataOutputView begin(Scope scope, ChangeOp op, ChangeEffect effect) throws IOException {
        DataOutputView out = begin(scope.keyGroup(), op);
        scope.writeTo(out);
        appender.scopeEnds(effect);
        return out;
    }

    /**
     * The current key of the backend and the current namespace of one state, each serialized once.
     */
    private static final class CurrentScope<N> implements Scope {
        private final ChangeRecorder<?> recorder;
        private final Supplier<TypeSerializer<N>> serializer;
        private final LogSerializer.CachedBytes<N> bytes = new LogSerializer.CachedBytes<>();
        @Nullable private N namespace;

        CurrentScope(ChangeRecorder<?> recorder, Supplier<TypeSerializer<N>> serializer) {
            this.recorder = recorder;
            this.serializer = serializer;
        }

        void setNamespace(N newNamespace) {
            if (!serializer.get().isImmutableType()) {
                // The object behind the bytes may have other content by now.
                bytes.invalidate();
            }
            namespace = newNamespace;
        }

        /** Null before the first {@link #setNamespace}. */
        @Nullable
        N namespace() {
            return namespace;
        }

        @Override
        public int keyGroup() {
            return recorder.keyContext().getCurrentKeyGroupIndex();
        }

        @Override
        public void writeTo(DataOutputView out) throws IOException {
            recorder.writeCurrentKey(out);
            bytes.writeTo(out, namespace, serializer.get());
        }
    }

    /**
     * The key that was current when this scope was made, and a namespace of its own: for a map
     * iterator, which may outlive both, and for the namespaces of a merge.
     */
    private static final class FixedScope<K, N> implements Scope {
        private final ChangeRecorder<K> recorder;
        private final Supplier<TypeSerializer<N>> namespaceSerializer;
        private final K key;
        private final int keyGroup;
        private final N namespace;

        FixedScope(
                ChangeRecorder<K> recorder,
                Supplier<TypeSerializer<N>> namespaceSerializer,
                N namespace) {
            this.recorder = recorder;
            this.namespaceSerializer = namespaceSerializer;
            this.key = recorder.keyContext().getCurrentKey();
            this.keyGroup = recorder.keyContext().getCurrentKeyGroupIndex();
            this.namespace = namespace;
        }

        @Override
        public int keyGroup() {
            return keyGroup;
        }

        @Override
        public void writeTo(DataOutputView out) throws IOException {
            recorder.writeKey(key, out);
            namespaceSerializer.get().serialize(namespace, out);
        }
    }

    private static final class CopiedScope implements Scope {
        private final int keyGroup;
        private final byte[] bytes;

        CopiedScope(int keyGroup, byte[] bytes) {
            this.keyGroup = keyGroup;
            this.bytes = bytes;
        }

        @Override
        public int keyGroup() {
            return keyGroup;
        }

        @Override
        public void writeTo(DataOutputView out) throws IOException {
            out.write(bytes);
        }
    }

    /**
     * Bytes of a change that exist already, or that are written when the log asks for them.
     *
     * <p>The task thread only.
     */
    public interface Data {
        void writeTo(DataOutputView out) throws IOException;
    }

    /**
     * The key and namespace that a change belongs to. Valid only for the state that it was made
     * for.
     *
     * <p>The task thread only.
     */
    public interface Scope {
        int keyGroup();

        /** Writes the key and the namespace, as their serializers do, one right after the other. */
        void writeTo(DataOutputView out) throws IOException;
    }

    /**
     * The current key as the delegate has serialized it.
     *
     * <p>The task thread only.
     *
     * @param <N> type of the namespaces
     */
    public interface DelegateKey<N> {
        /**
         * The current key with this namespace. Use it at once: it is valid until the next call, and
         * until the delegate does anything with a key.
         */
        Scope at(N namespace);
    }
}
