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

import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.PojoField;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;

/**
 * A POJO with two subclasses, which its serializer knows once it has met them. A deployment of a
 * newer version of the job gives them a field.
 */
public class Cargo {
    /** From these numbers on a value is of a subclass. */
    public static final int LIVE = Departure.LATER;

    public static final int FROZEN = 2 * Departure.LATER;

    /** Flink drops the new field of a subclass where it goes on with the older schema. */
    public static final StateType<Cargo> TYPE =
            StateType.of(
                            "POJO with subclasses",
                            () ->
                                    Types.POJO(Cargo.class)
                                            .createSerializer(new SerializerConfigImpl()),
                            Cargo::of,
                            cargo -> cargo.number)
                    .same(
                            (one, other) ->
                                    one.getClass() == other.getClass()
                                            && one.number == other.number);

    private static volatile boolean deployed;

    public int number;

    public static void deployBefore() {
        deployed = false;
    }

    public static void deployAfter() {
        deployed = true;
    }

    static Cargo of(int number) {
        Cargo cargo =
                number < LIVE ? new Cargo() : number < FROZEN ? new LiveCargo() : new FrozenCargo();
        cargo.number = number;
        return cargo;
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + " " + number;
    }

    @TypeInfo(Deployed.class)
    public static final class LiveCargo extends Cargo {
        public long added;
    }

    @TypeInfo(Deployed.class)
    public static final class FrozenCargo extends Cargo {
        public long added;
    }

    /** Makes the type of a subclass of the fields that it has in the deployed version. */
    public static final class Deployed extends TypeInfoFactory<Cargo> {
        @Override
        @SuppressWarnings("unchecked") // It is of a subclass.
        public TypeInformation<Cargo> createTypeInfo(
                Type type, Map<String, TypeInformation<?>> parameters) {
            Class<Cargo> subclass = (Class<Cargo>) type;
            try {
                PojoField number = new PojoField(subclass.getField("number"), Types.INT);
                PojoField added = new PojoField(subclass.getField("added"), Types.LONG);
                return new PojoTypeInfo<>(
                        subclass, deployed ? List.of(number, added) : List.of(number));
            } catch (NoSuchFieldException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
