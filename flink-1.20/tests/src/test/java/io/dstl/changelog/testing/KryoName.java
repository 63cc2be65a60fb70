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
package io.dstl.changelog.testing;

import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;

/** A key that Kryo writes with the name of its class, or the number that was registered. */
public final class KryoName {
    private String text = "";

    private KryoName() {}

    public KryoName(String text) {
        this.text = text;
    }

    /** A serializer of any keys, with these classes registered, in this order. */
    public static TypeSerializer<Object> keys(Class<?>... registered) {
        SerializerConfigImpl config = new SerializerConfigImpl();
        for (Class<?> each : registered) {
            config.registerKryoType(each);
        }
        return new KryoSerializer<>(Object.class, config);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KryoName && text.equals(((KryoName) other).text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }
}
