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
package io.dstl.changelog.delegate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoundSupportTest {
    @TempDir Path directory;

    @Test
    void thisProcessHasOne() {
        assertThat(DelegateSupport.get()).isSameAs(DelegateSupport.get());
    }

    @Test
    void saysEachTimeThatTheServiceFileIsMissing() throws IOException {
        try (URLClassLoader empty = new URLClassLoader(new URL[0], null)) {
            DelegateSupport.Found found = DelegateSupport.Found.in(empty);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(found::orThrow)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("names 0 implementations")
                        .hasMessageContaining("lib/");
            }
        }
    }

    /** As where there is no RocksDB to link with. */
    @Test
    void namesTheBackendThatAnImplementationDoesNotLoadWithout() throws IOException {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(DelegateSupport.class.getName()), "not.there.Support");
        try (URLClassLoader broken =
                new URLClassLoader(new URL[] {directory.toUri().toURL()}, null)) {
            DelegateSupport.Found found = DelegateSupport.Found.in(broken);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(found::orThrow)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("RocksDB backend")
                        .hasRootCauseMessage(
                                DelegateSupport.class.getName()
                                        + ": Provider not.there.Support not found");
            }
        }
    }
}
