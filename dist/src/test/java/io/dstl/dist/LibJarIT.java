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
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageFactory;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The jar for Flink's {@code lib/}: the backend with its two doors, and the log. */
class LibJarIT extends BuiltJarContract {

    private static final String DOORS = "org.apache.flink.state.changelog.";
    private static final String ROCKSDB_ACCESS_1 = "org.apache.flink.contrib.streaming.state.";
    private static final String ROCKSDB_ACCESS_2 = "org.apache.flink.state.rocksdb.";

    private URLClassLoader loader;

    LibJarIT() {
        super("dstl.lib.jar");
    }

    @BeforeEach
    void putIntoLib() throws IOException {
        loader =
                new URLClassLoader(
                        new URL[] {jar().url()}, StateBackendLoader.class.getClassLoader());
    }

    @AfterEach
    void takeOut() throws IOException {
        loader.close();
    }

    @Override
    ClassLoader classLoader() {
        return loader;
    }

    @Override
    String notice() {
        return "NOTICE";
    }

    @Override
    boolean isOurs(String className) {
        return className.startsWith("io.dstl.")
                || className.startsWith(DOORS)
                || className.startsWith(ROCKSDB_ACCESS_1)
                || className.startsWith(ROCKSDB_ACCESS_2);
    }

    @Test
    void warmsUpAtTheStartOfTheProcess() throws IOException {
        String listener = jar().text("META-INF/services/" + "io.dstl.fs.ProcessListener").strip();

        assertThat(listener).isEqualTo("io.dstl.changelog.keyed.WarmUp");
        assertThat(jar().classNames()).contains(listener);
    }

    /** {@code build/preloaded-classes.sh} makes the list. */
    @Test
    void hasTheClassesThatItLoadsAheadOfAJob() throws IOException {
        List<String> named =
                jar().text("io/dstl/changelog/keyed/preloaded-classes.txt")
                        .lines()
                        .filter(name -> name.startsWith("io.dstl."))
                        .collect(toList());

        assertThat(named).anyMatch(name -> name.startsWith("io.dstl.shaded."));
        assertThat(jar().classNames()).containsAll(named);
    }

    @Test
    void reachesIntoTheRocksDbBackendOfEachFlinkByOneService() throws IOException {
        String service = "io.dstl.changelog.delegate.FlinkVersion";

        assertThat(jar().text("META-INF/services/" + service).lines())
                .containsExactlyInAnyOrder(
                        "io.dstl.changelog.flink1.Flink1", "io.dstl.changelog.flink2.Flink2");
        assertThat(jar().classNames())
                .contains(
                        service,
                        ROCKSDB_ACCESS_1 + "RocksDbSupport",
                        ROCKSDB_ACCESS_2 + "RocksDbSupport");
    }

    @Test
    void reachesIntoBothRocksDbBackendsInTheSameWay() {
        assertThat(simpleNames(ROCKSDB_ACCESS_1))
                .contains("RocksDbSupport")
                .isEqualTo(simpleNames(ROCKSDB_ACCESS_2));
    }

    private Set<String> simpleNames(String inPackage) {
        return jar().classNames().stream()
                .filter(name -> name.startsWith(inPackage))
                .map(name -> name.substring(inPackage.length()))
                .collect(toSet());
    }

    @Test
    void hasTwoDoors() {
        assertThat(jar().classNames())
                .filteredOn(name -> name.startsWith(DOORS))
                .containsExactlyInAnyOrder(
                        DOORS + "ChangelogStateBackend",
                        DOORS + "DeactivatedChangelogStateBackend");
    }

    @Test
    void flinkEntersByTheFirstDoorWhenTheChangelogIsOn() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, true);

        StateBackend backend =
                StateBackendLoader.fromApplicationOrConfigOrDefault(
                        new HashMapStateBackend(),
                        new Configuration(),
                        configuration,
                        loader,
                        null);

        assertThat(backend.getClass().getName()).isEqualTo(DOORS + "ChangelogStateBackend");
        assertThat(backend.getClass().getClassLoader()).isSameAs(loader);
        assertThat(StateBackendLoader.isChangelogStateBackend(backend)).isTrue();
    }

    @Test
    void flinkEntersByTheSecondDoorToRestoreWithTheChangelogOff() throws Exception {
        StateBackend backend =
                StateBackendLoader.loadStateBackendFromKeyedStateHandles(
                        new HashMapStateBackend(), loader, List.of(changelogHandle()));

        assertThat(backend.getClass().getName())
                .isEqualTo(DOORS + "DeactivatedChangelogStateBackend");
        assertThat(backend.getClass().getClassLoader()).isSameAs(loader);
    }

    private static ChangelogStateBackendHandle changelogHandle() {
        return new ChangelogStateBackendHandleImpl(
                List.of(), List.of(), KeyGroupRange.of(0, 127), 1L, 0L, 0L);
    }

    @Test
    void offersTheFilesystemStorage() {
        assertThat(ServiceLoader.load(StateChangelogStorageFactory.class, loader))
                .filteredOn(factory -> factory.getClass().getClassLoader() == loader)
                .extracting(StateChangelogStorageFactory::getIdentifier)
                .containsExactly("filesystem");
    }
}
