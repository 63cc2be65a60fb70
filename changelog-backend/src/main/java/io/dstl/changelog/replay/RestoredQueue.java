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

import java.util.function.Supplier;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;

/** A priority queue of the delegate that a log named, and the serializer it was logged with. */
public final class RestoredQueue<T> {

    private final String name;
    private final Supplier<KeyGroupedInternalPriorityQueue<T>> content;
    private final TypeSerializer<T> serializer;

    RestoredQueue(
            String name,
            Supplier<KeyGroupedInternalPriorityQueue<T>> content,
            TypeSerializer<T> serializer) {
        this.name = requireNonNull(name);
        this.content = requireNonNull(content);
        this.serializer = requireNonNull(serializer);
    }

    public String name() {
        return name;
    }

    /**
     * The queue, which is created if the replay did without. To be called once the replay is over;
     * valid until the delegate is asked to create it anew.
     */
    public KeyGroupedInternalPriorityQueue<T> content() {
        return content.get();
    }

    public TypeSerializer<T> serializer() {
        return serializer;
    }
}
