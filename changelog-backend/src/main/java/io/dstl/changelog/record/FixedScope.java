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
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The key that was current when this scope was made, and a namespace of its own: for a map
 * iterator, which may outlive both, and for the namespaces of a merge.
 */
final class FixedScope<K, N> implements ChangeScope {
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
