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
package io.dstl.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstalledJarsTest {
    @TempDir private Path root;

    private URL installed(String name) throws IOException {
        Path version = root.resolve(name).resolve("io/dstl/version.properties");
        Files.createDirectories(version.getParent());
        Files.writeString(version, "version=" + name);
        return root.resolve(name).toUri().toURL();
    }

    @Test
    void findsEachVersionOnce() throws IOException {
        URL[] path = {installed("old"), installed("new"), installed("new")};
        try (URLClassLoader both = new URLClassLoader(path, null)) {
            assertThat(InstalledJars.in(both))
                    .satisfiesExactly(
                            first -> assertThat(first).contains("/old/"),
                            second -> assertThat(second).contains("/new/"));
        }
    }

    @Test
    void thisProcessHasOne() {
        assertThat(InstalledJars.in(getClass().getClassLoader())).hasSize(1);
    }
}
