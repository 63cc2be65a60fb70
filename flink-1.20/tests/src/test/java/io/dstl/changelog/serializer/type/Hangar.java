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

import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.formats.avro.typeutils.AvroSerializer;
import org.apache.flink.testutils.ClassLoaderUtils;

/**
 * A class that has got a field, for Avro to reflect on: it takes the schema from the class alone,
 * so there are two classes of one name, as in an older and a newer jar of the job.
 */
public final class Hangar implements AutoCloseable {
    private static final String NAME = "DeployedHangar";

    private final URLClassLoader before;
    private final URLClassLoader after;

    private Hangar(URLClassLoader before, URLClassLoader after) {
        this.before = before;
        this.after = after;
    }

    /**
     * @param directory for the two jars' content
     */
    public static Hangar compile(Path directory) throws IOException {
        return new Hangar(
                compile(directory.resolve("before"), "", "", ""),
                compile(
                        directory.resolve("after"),
                        "@org.apache.avro.reflect.Nullable private String door;",
                        "door = number < " + Departure.LATER + " ? null : \"door-\" + number;",
                        " + door"));
    }

    private static URLClassLoader compile(
            Path directory, String field, String assignment, String more) throws IOException {
        return ClassLoaderUtils.withRoot(Files.createDirectories(directory).toFile())
                .addClass(
                        NAME,
                        String.join(
                                "\n",
                                "public class " + NAME + " {",
                                "  public int number;",
                                "  private String owner;",
                                "  " + field,
                                "  public " + NAME + "() {}",
                                "  public " + NAME + "(int number) {",
                                "    this.number = number;",
                                "    owner = \"owner-\" + number;",
                                "    " + assignment,
                                "  }",
                                "  @Override public String toString() {",
                                "    return number + owner" + more + ";",
                                "  }",
                                "}"))
                .build();
    }

    /** To be the context of the thread that deserializes values of {@link #beforeDoors()}. */
    public ClassLoader before() {
        return before;
    }

    /** To be the context of the thread that deserializes values of {@link #withDoors()}. */
    public ClassLoader after() {
        return after;
    }

    public StateType<Object> beforeDoors() {
        return type("Avro reflect before", before);
    }

    /** From {@link Departure#LATER} on it has a door. */
    public StateType<Object> withDoors() {
        return type("Avro reflect with doors", after);
    }

    private static StateType<Object> type(String name, ClassLoader loader) {
        return StateType.<Object>of(
                        name,
                        () -> new AvroSerializer<>(load(loader)),
                        n -> of(load(loader), n),
                        hangar -> number(load(loader), hangar))
                .same((one, other) -> one.toString().equals(other.toString()));
    }

    @SuppressWarnings("unchecked") // Nobody knows it but by reflection.
    private static Class<Object> load(ClassLoader loader) {
        try {
            return (Class<Object>) Class.forName(NAME, true, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object of(Class<Object> type, int number) {
        try {
            return type.getConstructor(int.class).newInstance(number);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Fails for a value of the other class. */
    private static int number(Class<Object> type, Object hangar) {
        try {
            return type.getField("number").getInt(hangar);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            before.close();
        } finally {
            after.close();
        }
    }
}
