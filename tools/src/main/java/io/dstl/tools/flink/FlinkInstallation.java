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
package io.dstl.tools.flink;

import static java.util.Objects.requireNonNull;

import io.dstl.fs.option.DstlOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.DefaultPluginManager;
import org.apache.flink.core.plugin.DirectoryBasedPluginFinder;
import org.apache.flink.core.plugin.PluginDescriptor;
import org.apache.flink.runtime.security.SecurityConfiguration;
import org.apache.flink.runtime.security.SecurityUtils;

/**
 * A Flink home as {@code bin/flink} finds it: its configuration, its file systems, its way to log
 * in to Hadoop.
 *
 * <p>Owns nothing: what is started is the process's, and ends with it.
 */
public final class FlinkInstallation {
    /** What commands read that has an older spelling, too. */
    private static final List<ConfigOption<?>> OPTIONS =
            List.of(
                    DstlOptions.BASE_PATH,
                    CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                    CheckpointingOptions.SAVEPOINT_DIRECTORY,
                    CheckpointingOptions.MAX_RETAINED_CHECKPOINTS);

    private final Path home;
    private final Map<String, String> environment;

    /**
     * @param environment of the process: names directories that are not where they usually are
     */
    public FlinkInstallation(Path home, Map<String, String> environment) {
        this.home = requireNonNull(home);
        this.environment = requireNonNull(environment);
    }

    /**
     * What {@code flink-conf.yaml} or {@code config.yaml} says.
     *
     * @param overrides go before the file's, in whichever spelling of a key
     */
    public Configuration configuration(Map<String, String> overrides) {
        Configuration given = Configuration.fromMap(overrides);
        Configuration configuration =
                GlobalConfiguration.loadConfiguration(
                        directory("FLINK_CONF_DIR", "conf").toString(), given);
        OPTIONS.stream()
                .filter(option -> given.contains(option) && !given.containsKey(option.key()))
                .forEach(option -> configuration.removeKey(option.key()));
        return configuration;
    }

    /**
     * Starts the file systems of {@code lib/} and {@code plugins/}, and logs in where it is set.
     */
    public void start(Configuration configuration) throws Exception {
        FileSystem.initialize(
                configuration,
                new DefaultPluginManager(
                        plugins(), CoreOptions.getPluginParentFirstLoaderPatterns(configuration)));
        SecurityUtils.install(new SecurityConfiguration(configuration));
    }

    private Collection<PluginDescriptor> plugins() throws IOException {
        Path plugins = directory("FLINK_PLUGINS_DIR", "plugins");
        return Files.isDirectory(plugins)
                ? new DirectoryBasedPluginFinder(plugins).findPlugins()
                : Collections.emptyList();
    }

    private Path directory(String variable, String name) {
        String moved = environment.get(variable);
        return moved == null || moved.isEmpty() ? home.resolve(name) : Path.of(moved);
    }
}
