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
package io.dstl.tools.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.tools.launch.Launcher.FlinkClassPath;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlinkClassPathTest {
    @TempDir private Path home;

    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void aFlinkHome() throws IOException {
        for (String file :
                new String[] {
                    "lib/a.jar", "lib/flink-dist-1.jar", "lib/z.jar", "lib/a.txt", "hadoop/h.jar"
                }) {
            Files.createDirectories(home.resolve(file).getParent());
            Files.createFile(home.resolve(file));
        }
        Files.createDirectories(home.resolve("conf"));
    }

    @Test
    void isOursThenLibThenFlinkThenHadoop() throws IOException {
        environment.put(
                "HADOOP_CLASSPATH", home.resolve("hadoop") + "/*" + File.pathSeparator + "/x.jar");
        environment.put("HADOOP_CONF_DIR", "/etc/hadoop/conf");
        assertThat(names())
                .containsExactly(
                        "us.jar", "a.jar", "z.jar", "flink-dist-1.jar", "h.jar", "x.jar", "conf");
    }

    /** As Flink's scripts do. */
    @Test
    void takesWhatIsInFoldersOfLib() throws IOException {
        Files.createFile(Files.createDirectories(home.resolve("lib/hadoop")).resolve("b.jar"));
        environment.put("FLINK_LIB_DIR", "");

        assertThat(names())
                .containsExactly("us.jar", "a.jar", "b.jar", "z.jar", "flink-dist-1.jar");
    }

    @Test
    void takesTheLibOfTheEnvironment() throws IOException {
        environment.put("FLINK_LIB_DIR", home.resolve("hadoop").toString());
        assertThat(names()).containsExactly("us.jar", "h.jar");
    }

    @Test
    void namesTheDirectoryThatIsMissing() {
        assertThatThrownBy(() -> FlinkClassPath.of(Path.of("/us.jar"), Path.of("/no"), environment))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("/no/lib");
    }

    @Test
    void theHomeIsTheOneGivenOrOfTheEnvironmentOrAroundTheJar() {
        Path inLib = home.resolve("lib/us.jar");
        String[] none = {"orphans"};
        assertThat(Launcher.home(none, environment, inLib)).contains(home);
        assertThat(Launcher.home(none, environment, Path.of("/tmp/us.jar")))
                .isEqualTo(Optional.empty());
        environment.put("FLINK_HOME", "/env");
        assertThat(Launcher.home(none, environment, inLib)).contains(Path.of("/env"));
        assertThat(Launcher.home(new String[] {"--flink-home", "/a"}, environment, inLib))
                .contains(Path.of("/a"));
        assertThat(Launcher.home(new String[] {"--flink-home=/b"}, environment, inLib))
                .contains(Path.of("/b"));
    }

    /** It need not be there. */
    @Test
    void theHomeOfTheEnvironmentIsNotLookedAtWhereNoneIsNeeded() {
        environment.put("FLINK_HOME", "/env");
        for (String arguments : List.of("sizing --tasks 1", "--help", "verify --help")) {
            assertThat(Launcher.home(arguments.split(" "), environment, Path.of("/tmp/us.jar")))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "orphans, true",
        "orphans --delete, true",
        "orphans --help, false",
        "sizing --tasks 1, false",
        "--version, false"
    })
    void aCommandThatLooksAtAClusterNeedsFlink(String arguments, boolean needed) {
        assertThat(Launcher.needsFlink(arguments.split(" "))).isEqualTo(needed);
        assertThat(Launcher.needsFlink(new String[0])).isFalse();
    }

    private List<String> names() throws IOException {
        URL[] urls = FlinkClassPath.of(Path.of("/us.jar"), home, environment).urls();
        return Arrays.stream(urls)
                .map(url -> Path.of(url.getPath()).getFileName().toString())
                .collect(Collectors.toList());
    }
}
