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
package io.dstl.harness.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlinkHomeTest {
    @TempDir Path directory;

    @Test
    void ourJarComesBeforeFlinksAndTheDistributionLast() throws IOException {
        FlinkHome home = FlinkHome.at(assembled());

        assertThat(classPath(home))
                .containsExactly("dstl-changelog-1.jar", "flink-runtime-1.jar", "log4j-1.jar");
    }

    @Test
    void aDistributionGetsOurJarAndThePluginItLacks() throws IOException {
        Path distribution = directory.resolve("distribution");
        files(distribution.resolve("lib"), "flink-dist-1.jar", "flink-cep-1.jar", "zz.jar");
        files(distribution.resolve("plugins/metrics-jmx"), "jmx.jar");

        FlinkHome home =
                FlinkHome.over(
                        distribution, FlinkHome.at(assembled()), directory.resolve("overlay"));

        assertThat(classPath(home))
                .containsExactly(
                        "dstl-changelog-1.jar", "flink-cep-1.jar", "zz.jar", "flink-dist-1.jar");
        assertThat(home.plugins().resolve("metrics-jmx/jmx.jar")).exists();
        assertThat(home.plugins().resolve("s3-fs-presto/presto.jar")).exists();
        assertThat(distribution.resolve("lib/dstl-changelog-1.jar")).doesNotExist();
    }

    @Test
    void anotherVersionGetsOurJarAndKeepsItsOwnChangelogBesideIt() throws IOException {
        Path older = directory.resolve("flink-1.20.0");
        files(older.resolve("lib"), "flink-runtime-1.20.0.jar");
        files(older.resolve("peer"), "flink-statebackend-changelog-1.20.0.jar");

        FlinkHome home =
                FlinkHome.over(older, FlinkHome.at(assembled()), directory.resolve("overlay"));

        assertThat(classPath(home))
                .containsExactly("dstl-changelog-1.jar", "flink-runtime-1.20.0.jar");
        assertThat(home.version()).isEqualTo("1.20.0");
        assertThat(classPath(home.withoutOurs(directory.resolve("stock"))))
                .containsExactly(
                        "flink-runtime-1.20.0.jar", "flink-statebackend-changelog-1.20.0.jar");
    }

    @Test
    void whatTheScriptsOfADistributionAskComesFirst() throws IOException {
        Path distribution = directory.resolve("flink-1.20.5");
        files(distribution.resolve("lib"), "flink-dist-1.20.5.jar");
        files(distribution.resolve("bin"), "bash-java-utils.jar");
        FlinkHome home =
                FlinkHome.over(
                        distribution, FlinkHome.at(assembled()), directory.resolve("overlay"));

        assertThat(home.scriptToolsClassPath())
                .isEqualTo(
                        home.directory().resolve("bin/bash-java-utils.jar")
                                + File.pathSeparator
                                + home.classPath());
    }

    @Test
    void saysWhatAHomeLacks() throws IOException {
        files(directory.resolve("lib"), "flink-runtime-1.jar");

        assertThatThrownBy(() -> FlinkHome.at(directory))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("lib")
                .hasMessageContaining("dstl-changelog-*.jar");
    }

    @Test
    void saysWhatADistributionLacks() throws IOException {
        FlinkHome additions = FlinkHome.at(assembled());
        Path overlay = directory.resolve("overlay");

        assertThatThrownBy(() -> FlinkHome.over(directory.resolve("none"), additions, overlay))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("flink-dist-*.jar");
    }

    private Path assembled() throws IOException {
        Path home = directory.resolve("assembled");
        files(
                home.resolve("lib"),
                "log4j-1.jar",
                "flink-runtime-1.jar",
                "dstl-changelog-1.jar",
                "README");
        files(home.resolve("plugins/s3-fs-presto"), "presto.jar");
        return home;
    }

    private static void files(Path folder, String... names) throws IOException {
        Files.createDirectories(folder);
        for (String name : names) {
            Files.createFile(folder.resolve(name));
        }
    }

    private static List<String> classPath(FlinkHome home) throws IOException {
        return Arrays.stream(home.classPath().split(File.pathSeparator))
                .map(jar -> Path.of(jar).getFileName().toString())
                .collect(Collectors.toList());
    }
}
