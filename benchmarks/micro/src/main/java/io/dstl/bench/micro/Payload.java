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
package io.dstl.bench.micro;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** The values that go into a state. For one thread. */
final class Payload<T> {
    /**
     * A power of two, and so many that few come again within the 64 KiB in which Snappy looks for
     * repetitions.
     */
    private static final int POOLED = 1 << 14;

    private final TypeSerializer<T> serializer;
    private final IntFunction<T> values;
    private int next;

    private Payload(TypeSerializer<T> serializer, IntFunction<T> values) {
        this.serializer = serializer;
        this.values = values;
    }

    /** Values that were made before: an update allocates none. */
    static <T> Payload<T> pooled(TypeSerializer<T> serializer, IntFunction<T> make) {
        List<T> pool = new ArrayList<>(POOLED);
        for (int i = 0; i < POOLED; i++) {
            pool.add(make.apply(i));
        }
        return new Payload<>(serializer, i -> pool.get(i & (POOLED - 1)));
    }

    /** Values that are made for each update, which is part of what is measured. */
    static <T> Payload<T> made(TypeSerializer<T> serializer, IntFunction<T> make) {
        return new Payload<>(serializer, i -> make.apply(i & (POOLED - 1)));
    }

    TypeSerializer<T> serializer() {
        return serializer;
    }

    T next() {
        return values.apply(next++);
    }
}
