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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.core.plugin.DefaultPluginManager;
import org.apache.flink.core.plugin.DirectoryBasedPluginFinder;
import org.apache.flink.core.plugin.PluginManager;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jar for {@code plugins/dstl-fs/}: the log alone, for Flink's own changelog backend. Loaded by
 * Flink's plugin manager, which lets a plugin see no more of the classpath than Flink's public
 * packages.
 */
class PluginJarIT extends BuiltJarContract {

    @TempDir private Path plugins;

    PluginJarIT() {
        super("dstl.plugin.jar");
    }

    @Override
    ClassLoader classLoader() throws IOException {
        List<StateChangelogStorageFactory> factories = factories();
        assertThat(factories).hasSize(1);
        return factories.get(0).getClass().getClassLoader();
    }

    @Override
    String notice() {
        return "dstl-fs/src/plugin/NOTICE";
    }

    @Override
    boolean isOurs(String className) {
        return className.startsWith("io.dstl.fs.")
                || className.startsWith("io.dstl.registry.")
                || className.startsWith("io.dstl.secret.")
                || className.startsWith("io.dstl.store.")
                || className.startsWith("io.dstl.shaded.");
    }

    @Test
    void offersTheFilesystemStorageToThePluginManager() throws IOException {
        assertThat(factories())
                .extracting(StateChangelogStorageFactory::getIdentifier)
                .containsExactly("filesystem");
        assertThat(classLoader()).isNotSameAs(getClass().getClassLoader());
    }

    private List<StateChangelogStorageFactory> factories() throws IOException {
        Path plugin = plugins.resolve("dstl-fs");
        Files.createDirectories(plugin);
        Path copy = plugin.resolve(jar().path().getFileName());
        if (Files.notExists(copy)) {
            Files.copy(jar().path(), copy);
        }
        PluginManager manager =
                new DefaultPluginManager(
                        new DirectoryBasedPluginFinder(plugins).findPlugins(),
                        CoreOptions.getPluginParentFirstLoaderPatterns(new Configuration()));
        List<StateChangelogStorageFactory> factories = new ArrayList<>();
        manager.load(StateChangelogStorageFactory.class).forEachRemaining(factories::add);
        return factories;
    }
}
