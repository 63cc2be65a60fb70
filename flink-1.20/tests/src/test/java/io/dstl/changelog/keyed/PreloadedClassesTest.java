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
package io.dstl.changelog.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.streaming.runtime.tasks.OneInputStreamTask;
import org.junit.jupiter.api.Test;

class PreloadedClassesTest {
    private static final ClassLoader LOADER = PreloadedClassesTest.class.getClassLoader();

    private static boolean initialized;
    private static int asked;

    @Test
    void listsEachNameOnceInOrder() throws IOException {
        List<String> names = PreloadedClasses.ofJar().names();

        assertThat(names).hasSizeGreaterThan(1000).isSorted().doesNotHaveDuplicates();
        assertThat(names).allMatch(name -> name.matches("[a-z][\\w]*([.][\\w$-]+)+"));
    }

    /** If one is renamed, rename it in the list too. */
    @Test
    void eachOfOursIsThere() throws IOException {
        List<String> ours =
                PreloadedClasses.ofJar().names().stream()
                        .filter(name -> name.startsWith("io.dstl."))
                        .filter(name -> !name.matches("io.dstl.(shaded|changelog.flink[12])[.].*"))
                        .collect(Collectors.toUnmodifiableList());

        assertThat(ours).contains(LoggedKeyedStateBackend.class.getName());
        assertThat(ours).allSatisfy(name -> Class.forName(name, false, LOADER));
    }

    @Test
    void loadsTheTaskThatHasTheState() throws IOException {
        assertThat(PreloadedClasses.ofJar().names()).contains(OneInputStreamTask.class.getName());
        assertThat(PreloadedClasses.ofJar().load(() -> false)).isGreaterThan(500);
    }

    @Test
    void passesOverWhatThisFlinkDoesNotHave() {
        assertThat(classes("no.such.Class", Initialized.class.getName()).load(() -> false)).isOne();
    }

    @Test
    void passesOverWhatCannotBeLinked() {
        ClassLoader unableToLink =
                new ClassLoader(LOADER) {
                    @Override
                    protected Class<?> loadClass(String name, boolean resolve)
                            throws ClassNotFoundException {
                        if (name.startsWith("bad.")) {
                            throw new NoClassDefFoundError(name);
                        }
                        return super.loadClass(name, resolve);
                    }
                };

        assertThat(
                        new PreloadedClasses(
                                        List.of("bad.One", Initialized.class.getName()),
                                        unableToLink)
                                .load(() -> false))
                .isOne();
    }

    @Test
    void runsNoInitializer() {
        assertThat(classes(Initialized.class.getName()).load(() -> false)).isOne();
        assertThat(initialized).isFalse();

        new Initialized();
        assertThat(initialized).isTrue();
    }

    @Test
    void stopsBetweenTwoClasses() {
        String name = PreloadedClassesTest.class.getName();

        assertThat(classes(name, name, name).load(() -> asked++ == 2)).isEqualTo(2);
    }

    private static PreloadedClasses classes(String... names) {
        return new PreloadedClasses(List.of(names), LOADER);
    }

    private static final class Initialized {
        static {
            initialized = true;
        }
    }
}
