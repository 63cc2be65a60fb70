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
package io.dstl.changelog.serializer.type;

import static io.dstl.changelog.testing.Serializers.INTS;

import java.lang.reflect.Field;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;

/** A POJO that has got a field since the state was written. */
public final class Fare {
    /** As Flink made its serializer when it had no tax. */
    public static final StateType<Fare> BEFORE =
            StateType.of("POJO before", Fare::withoutTax, Fare::of, fare -> fare.number);

    public static final StateType<Fare> AFTER =
            BEFORE.with(() -> Types.POJO(Fare.class).createSerializer(new SerializerConfigImpl()));

    public int number;
    public long tax;

    static Fare of(int number) {
        Fare fare = new Fare();
        fare.number = number;
        fare.tax = number < Departure.LATER ? 0 : number * 7L;
        return fare;
    }

    private static TypeSerializer<Fare> withoutTax() {
        try {
            return new PojoSerializer<>(
                    Fare.class,
                    new TypeSerializer<?>[] {INTS},
                    new Field[] {Fare.class.getField("number")},
                    new SerializerConfigImpl());
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Fare
                && number == ((Fare) other).number
                && tax == ((Fare) other).tax;
    }

    @Override
    public int hashCode() {
        return number;
    }

    @Override
    public String toString() {
        return "fare " + number + " with tax " + tax;
    }
}
