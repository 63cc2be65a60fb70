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
package io.dstl.dist;

import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Both jars against each Flink version that they are to run on. They are built with {@code
 * flink.version} of {@code pom.xml}; only what is in them for Flink 2 is built with {@code
 * flink2.version}. They may use nothing that one of the versions does not have, but for what is
 * listed here. The build puts the jars of each version into a folder of its own; a version comes in
 * by its libraries in {@code dist/pom.xml} and its name in {@code flink.versions} or {@code
 * flink2.versions} of {@code pom.xml}.
 */
class FlinkVersionsIT {

    private static final String SHADED = "io/dstl/shaded/";
    private static final String CLASS_SUFFIX = ".class";

    /** Classes of ours that reach into a package of Flink's that only these versions have. */
    private static final Map<String, String> OF_ONE_FLINK =
            Map.of(
                    "org/apache/flink/contrib/streaming/state/", "1.",
                    "org/apache/flink/state/rocksdb/", "2.",
                    "io/dstl/changelog/flink2/Flink2$AsyncView", "2.");

    private static final String KEYED_BACKEND =
            "org.apache.flink.runtime.state.AbstractKeyedStateBackend";
    private static final String FLINK_2 = "io.dstl.changelog.flink2.Flink2";

    /** The first overrides what came with 1.20.2 and forwards it; the others are for Flink 2. */
    private static final Map<String, String> NEVER_CALLED =
            Map.of(
                    "java.util.stream.Stream "
                            + KEYED_BACKEND
                            + ".getKeys(java.util.List, java.lang.Object) is missing",
                    "io.dstl.changelog.keyed.LoggedKeyedStateBackend",
                    "void "
                            + KEYED_BACKEND
                            + ".setCurrentKeyAndKeyGroup(java.lang.Object, int) is missing",
                    FLINK_2,
                    "java.lang.String " + KEYED_BACKEND + ".getBackendTypeIdentifier() is missing",
                    FLINK_2);

    /**
     * What a version does not have and has nobody to call, each with the class that would: listed
     * so that it is not taken for granted, as no other class, version or member passes.
     */
    private static final Map<String, Map<String, Set<String>>> EXPECTED =
            Map.of(
                    "1.20.0",
                            notIn(
                                    "getKeys",
                                    "getBackendTypeIdentifier",
                                    "setCurrentKeyAndKeyGroup"),
                    "1.20.1",
                            notIn(
                                    "getKeys",
                                    "getBackendTypeIdentifier",
                                    "setCurrentKeyAndKeyGroup"),
                    "1.20.2", notIn("getBackendTypeIdentifier", "setCurrentKeyAndKeyGroup"),
                    "1.20.3", notIn("getBackendTypeIdentifier", "setCurrentKeyAndKeyGroup"),
                    "1.20.4", notIn("getBackendTypeIdentifier", "setCurrentKeyAndKeyGroup"),
                    "1.20.5", notIn("getBackendTypeIdentifier", "setCurrentKeyAndKeyGroup"),
                    "2.0.2", notIn("getKeys", "getBackendTypeIdentifier"),
                    "2.1.3", notIn("getBackendTypeIdentifier"));

    private static Map<String, Set<String>> notIn(String... methods) {
        Map<String, Set<String>> problems = new TreeMap<>();
        for (String method : methods) {
            String text =
                    NEVER_CALLED.keySet().stream()
                            .filter(problem -> problem.contains('.' + method + '('))
                            .findFirst()
                            .orElseThrow();
            problems.put(text, Set.of(NEVER_CALLED.get(text)));
        }
        return problems;
    }

    @Test
    void eachVersionIsThere() throws IOException {
        try (Stream<Path> folders = Files.list(flinkJars())) {
            assertThat(folders.map(folder -> folder.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(versions());
        }
        assertThat(versions()).contains(System.getProperty("flink.version"));
    }

    @ParameterizedTest
    @MethodSource("versions")
    void hasAllThatTheLibJarUses(String version) throws Exception {
        assertThat(problems("dstl.lib.jar", version))
                .as(
                        "what the jar uses that Flink %s does not have, and the classes that do",
                        version)
                .isEqualTo(EXPECTED.getOrDefault(version, Map.of()));
    }

    @ParameterizedTest
    @MethodSource("versions")
    void hasAllThatThePluginJarUses(String version) throws Exception {
        assertThat(problems("dstl.plugin.jar", version))
                .as(
                        "what the jar uses that Flink %s does not have, and the classes that do",
                        version)
                .isEmpty();
    }

    /** Without them, each change of a map state is serialized once more, for the log. */
    @ParameterizedTest
    @MethodSource("versions")
    void hasTheFieldsThatAreReadByName(String version) throws Exception {
        String of =
                OF_ONE_FLINK.keySet().stream()
                        .filter(name -> name.endsWith("/") && isFor(version, name))
                        .findFirst()
                        .orElseThrow();
        assertThat(invoked(version, of.replace('/', '.') + "RocksDbMapEntry", "isReadable"))
                .isEqualTo(true);
    }

    /** Flink 2 still has some classes in the package that RocksDB's had in Flink 1. */
    @ParameterizedTest
    @MethodSource("versions")
    void isToldFromTheOthers(String version) throws Exception {
        Object found = invoked(version, "io.dstl.changelog.delegate.FlinkVersion", "get");
        assertThat(found.getClass().getSimpleName()).isEqualTo("Flink" + version.charAt(0));
    }

    /** What a static method of the jar returns beside this Flink. */
    private static Object invoked(String version, String className, String method)
            throws Exception {
        List<URL> jars = flinkJars(version);
        try (BuiltJar jar = new BuiltJar("dstl.lib.jar")) {
            jars.add(jar.url());
            try (URLClassLoader jvm = new URLClassLoader(jars.toArray(URL[]::new), libraries())) {
                Method found = jvm.loadClass(className).getDeclaredMethod(method);
                found.setAccessible(true);
                return found.invoke(null);
            }
        }
    }

    static List<String> versions() {
        return List.of(System.getProperty("flink.versions").split(","));
    }

    private static Path flinkJars() {
        return Path.of(System.getProperty("dstl.flink.jars"));
    }

    /** Each with the classes that have it. */
    private static Map<String, Set<String>> problems(String property, String version)
            throws IOException {
        Map<String, Set<String>> problems = new TreeMap<>();
        List<URL> jars = flinkJars(version);
        try (BuiltJar jar = new BuiltJar(property)) {
            jars.add(jar.url());
            Set<String> classes =
                    jar.classFiles().stream()
                            .map(file -> file.substring(0, file.length() - CLASS_SUFFIX.length()))
                            .filter(name -> !name.startsWith(SHADED))
                            .filter(name -> isFor(version, name))
                            .collect(toSet());
            try (ClassPool pool = new ClassPool(jars);
                    URLClassLoader jvm =
                            new URLClassLoader(jars.toArray(URL[]::new), libraries())) {
                for (String name : classes) {
                    Set<String> found = Linkage.problems(pool, classes::contains, name);
                    found.addAll(verify(name, jvm));
                    for (String problem : found) {
                        problems.computeIfAbsent(problem, p -> new TreeSet<>())
                                .add(name.replace('/', '.'));
                    }
                }
            }
        }
        return problems;
    }

    private static boolean isFor(String version, String name) {
        return OF_ONE_FLINK.entrySet().stream()
                .filter(packageAndFlink -> name.startsWith(packageAndFlink.getKey()))
                .allMatch(packageAndFlink -> version.startsWith(packageAndFlink.getValue()));
    }

    /**
     * What the JVM's own verifier refuses. To list the methods of a class links it: that checks its
     * code, and that it overrides nothing final, but runs none of it.
     */
    private static Set<String> verify(String name, ClassLoader jvm) {
        try {
            Object unused = Class.forName(name.replace('/', '.'), false, jvm).getDeclaredMethods();
            return Set.of();
        } catch (ClassNotFoundException | LinkageError e) {
            return Set.of(e.toString().lines().findFirst().orElseThrow());
        }
    }

    private static List<URL> flinkJars(String version) throws IOException {
        List<URL> jars = new ArrayList<>();
        try (Stream<Path> files = Files.list(flinkJars().resolve(version))) {
            for (Path file : files.sorted().collect(toList())) {
                jars.add(file.toUri().toURL());
            }
        }
        return jars;
    }

    /** Of this test's class path what is not Flink. */
    private static ClassLoader libraries() {
        return new ClassLoader(FlinkVersionsIT.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve)
                    throws ClassNotFoundException {
                if (name.startsWith("org.apache.flink.")
                        && !name.startsWith("org.apache.flink.shaded.")) {
                    throw new ClassNotFoundException(name);
                }
                return super.loadClass(name, resolve);
            }

            @Override
            public URL getResource(String name) {
                return name.startsWith("org/apache/flink/") ? null : super.getResource(name);
            }
        };
    }
}
