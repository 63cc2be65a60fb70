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
import java.util.List;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AsyncKeyedStateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoundVersionTest {
    @TempDir Path directory;

    @Test
    void thisProcessHasOne() {
        assertThat(DelegateSupport.get()).isSameAs(DelegateSupport.get());
        assertThat(FlinkVersion.get()).isSameAs(FlinkVersion.get());
    }

    @Test
    void saysEachTimeThatTheServiceFileIsMissing() throws IOException {
        try (URLClassLoader empty = new URLClassLoader(new URL[0], null)) {
            FoundVersion found = FoundVersion.in(empty);
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
        Files.writeString(services.resolve(FlinkVersion.class.getName()), "not.there.Version");
        try (URLClassLoader broken =
                new URLClassLoader(new URL[] {directory.toUri().toURL()}, null)) {
            FoundVersion found = FoundVersion.in(broken);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(found::orThrow)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("RocksDB backend")
                        .hasRootCauseMessage(
                                FlinkVersion.class.getName()
                                        + ": Provider not.there.Version not found");
            }
        }
    }

    @Test
    void namesTheBackendsOfWhichNoneIsThere() throws IOException {
        try (URLClassLoader withoutRocksDb = withMarks()) {
            assertThatThrownBy(FoundVersion.in(withoutRocksDb)::orThrow)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("RocksDB backend")
                    .hasMessageContaining(Older.MARK)
                    .hasMessageContaining(Newer.MARK);
        }
    }

    @Test
    void takesTheVersionWhoseBackendIsThere() throws IOException {
        try (URLClassLoader flink = withMarks(Newer.MARK)) {
            assertThat(FoundVersion.in(flink).orThrow()).isInstanceOf(Newer.class);
        }
    }

    @Test
    void refusesTwoFlinksInOneClassPath() throws IOException {
        try (URLClassLoader both = withMarks(Older.MARK, Newer.MARK)) {
            assertThatThrownBy(FoundVersion.in(both)::orThrow)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("More than one");
        }
    }

    /** With both versions as services, and these classes. */
    private URLClassLoader withMarks(String... marks) throws IOException {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.write(
                services.resolve(FlinkVersion.class.getName()),
                List.of(Older.class.getName(), Newer.class.getName()));
        for (String mark : marks) {
            Path file = directory.resolve(mark.replace('.', '/') + ".class");
            Files.createDirectories(file.getParent());
            Files.write(file, new byte[0]);
        }
        // Not the services and classes of this test's own class path.
        ClassLoader classes = getClass().getClassLoader();
        return new URLClassLoader(new URL[] {directory.toUri().toURL()}, null) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                return classes.loadClass(name);
            }
        };
    }

    /** Of a Flink that this process does not have. */
    public static class Older implements FlinkVersion {
        static final String MARK = "older.RocksDb";

        @Override
        public String classOfItsOwn() {
            return MARK;
        }

        @Override
        public DelegateSupport delegates() {
            return FlinkVersion.get().delegates();
        }

        @Override
        public <K> void setCurrentKeyAndKeyGroup(
                AbstractKeyedStateBackend<K> backend, K key, int keyGroup) {
            backend.setCurrentKey(key);
        }

        @Override
        public boolean hasAsyncState() {
            return false;
        }

        @Override
        public <B> AsyncKeyedStateBackend asyncView(AbstractKeyedStateBackend<B> backend) {
            throw new UnsupportedOperationException(MARK);
        }

        @Override
        public String typeOf(AbstractKeyedStateBackend<?> backend) {
            return MARK;
        }
    }

    /** The next one. */
    public static final class Newer extends Older {
        static final String MARK = "newer.RocksDb";

        @Override
        public String classOfItsOwn() {
            return MARK;
        }
    }
}
