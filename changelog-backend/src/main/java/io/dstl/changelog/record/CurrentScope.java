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

import java.io.IOException;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputView;

/** The current key of the backend and the current namespace of one state, each serialized once. */
final class CurrentScope<N> implements ChangeScope {
    private final ChangeRecorder<?> recorder;
    private final Supplier<TypeSerializer<N>> serializer;
    private final CachedBytes<N> bytes = new CachedBytes<>();
    @Nullable private N namespace;

    CurrentScope(ChangeRecorder<?> recorder, Supplier<TypeSerializer<N>> serializer) {
        this.recorder = recorder;
        this.serializer = serializer;
    }

    void setNamespace(N newNamespace) {
        if (!serializer.get().isImmutableType()) {
            // The object that the bytes were made of may have other content by now.
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
