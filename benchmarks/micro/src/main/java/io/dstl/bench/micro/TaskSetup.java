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
package io.dstl.bench.micro;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.configuration.Configuration;

/** How a task is configured, and its directories. */
final class TaskSetup {
    private static final String DFS = "state.changelog.dstl.dfs.";

    private final Path directory;
    private final boolean changelog;
    private final boolean compressed;

    /**
     * @param directory of this task alone
     * @param changelog whether there is one, or RocksDB alone
     * @param compressed whether the log is, by Snappy
     */
    TaskSetup(Path directory, boolean changelog, boolean compressed) {
        this.directory = directory;
        this.changelog = changelog;
        this.compressed = compressed;
    }

    boolean changelog() {
        return changelog;
    }

    /** Where the log's segments go. */
    Path log() {
        return directory.resolve("log");
    }

    Path checkpoints() throws IOException {
        return Files.createDirectories(directory.resolve("checkpoints"));
    }

    /** For whatever the backend keeps locally. */
    Path local() throws IOException {
        return Files.createDirectories(directory.resolve("local"));
    }

    /**
     * All as by default, but for the materialization, which would come in between at random, and
     * the replay in the background: a backend that is there has its whole state.
     */
    Configuration configuration() throws IOException {
        Configuration configuration = new Configuration();
        configuration.setString("state.backend.type", "rocksdb");
        configuration.setString("execution.checkpointing.incremental", "true");
        configuration.setString("state.backend.rocksdb.localdir", local().toString());
        configuration.setString("state.backend.changelog.enabled", String.valueOf(changelog));
        configuration.setString("state.backend.changelog.storage", "filesystem");
        configuration.setString(
                "state.backend.changelog.periodic-materialize.enabled", String.valueOf(false));
        configuration.setString("state.changelog.replay.background.enabled", String.valueOf(false));
        configuration.setString(DFS + "base-path", log().toUri().toString());
        configuration.setString(DFS + "compression.enabled", String.valueOf(compressed));
        RocksDbWork.ask(configuration);
        return configuration;
    }

    /** Where a backend takes the settings of its materialization from. */
    ExecutionConfig executionConfig() throws IOException {
        return new ExecutionConfig(configuration());
    }
}
