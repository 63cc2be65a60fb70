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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What holds for each jar that goes into a Flink. */
abstract class BuiltJarContract {

    private static final int JAVA_11 = 55;

    private final String property;

    private BuiltJar jar;

    BuiltJarContract(String property) {
        this.property = property;
    }

    @BeforeEach
    void open() throws IOException {
        jar = new BuiltJar(property);
    }

    @AfterEach
    void close() throws IOException {
        jar.close();
    }

    final BuiltJar jar() {
        return jar;
    }

    /** Flink with this jar in its place: sees nothing of ours that is not in the jar. */
    abstract ClassLoader classLoader() throws IOException;

    /** Whether the jar may hold a class of this name. */
    abstract boolean isOurs(String className);

    @Test
    void holdsOurClassesOnly() {
        assertThat(jar.classNames())
                .as("third-party code needs a relocation to io.dstl.shaded")
                .isNotEmpty()
                .allMatch(this::isOurs);
    }

    @Test
    void holdsNothingTwice() {
        assertThat(jar.files()).doesNotHaveDuplicates();
    }

    @Test
    void hidesNoClassOfFlink() {
        ClassLoader flink = getClass().getClassLoader();
        assertThat(jar.classFiles()).allMatch(name -> flink.getResource(name) == null);
    }

    @Test
    void runsOnJava11() throws IOException {
        for (String name : jar.classFiles()) {
            assertThat(jar.classFile(name).majorVersion()).as(name).isLessThanOrEqualTo(JAVA_11);
        }
    }

    @Test
    void needsNoClassThatIsMissing() throws IOException {
        ClassLoader loader = classLoader();
        Map<String, Set<String>> missing = new TreeMap<>();
        for (String name : jar.classFiles()) {
            for (String reference : jar.classFile(name).references()) {
                if (!isPresent(reference, loader)) {
                    missing.computeIfAbsent(reference, r -> new TreeSet<>()).add(name);
                }
            }
        }
        assertThat(missing).as("missing class, and who refers to it").isEmpty();
    }

    private static boolean isPresent(String className, ClassLoader loader) {
        try {
            Class.forName(className, false, loader);
            return true;
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            return false;
        }
    }

    @Test
    void namesFactoriesThatItHolds() throws IOException {
        String providers = jar.text("META-INF/services/" + factory());
        assertThat(providers.lines())
                .filteredOn(line -> !line.isBlank() && !line.startsWith("#"))
                .isNotEmpty()
                .doesNotHaveDuplicates()
                .isSubsetOf(jar.classNames());
    }

    private static String factory() {
        return StateChangelogStorageFactory.class.getName();
    }

    @Test
    void tellsItsVersion() throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(jar.text("io/dstl/version.properties")));
        assertThat(properties)
                .containsEntry("version", System.getProperty("dstl.version"))
                .containsEntry("flink.version", System.getProperty("flink.version"));
    }

    @Test
    void carriesLicenseAndNotice() throws IOException {
        Path root = Path.of(System.getProperty("dstl.root"));
        assertThat(jar.text("META-INF/LICENSE"))
                .isEqualTo(Files.readString(root.resolve("LICENSE"), UTF_8));
        assertThat(jar.text("META-INF/NOTICE"))
                .isEqualTo(Files.readString(root.resolve("NOTICE"), UTF_8));
    }

    @Test
    void carriesNoSignature() {
        assertThat(jar.files()).noneMatch(name -> name.matches("META-INF/.*\\.(SF|DSA|RSA)"));
    }
}
