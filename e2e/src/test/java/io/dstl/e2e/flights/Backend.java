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
package io.dstl.e2e.flights;

import java.net.URI;
import java.time.Duration;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.contrib.streaming.state.RocksDBConfigurableOptions;

/** Where the state of a test's job is kept. */
enum Backend {
    HASHMAP("hashmap", false),
    ROCKSDB("rocksdb", false),
    HASHMAP_WITH_CHANGELOG("hashmap", true),
    ROCKSDB_WITH_CHANGELOG("rocksdb", true);

    /** Short, so that a job of seconds is materialized, truncated and replayed. */
    private static final Duration MATERIALIZATION_INTERVAL = Duration.ofMillis(500);

    private final String delegate;
    private final boolean changelog;

    Backend(String delegate, boolean changelog) {
        this.delegate = delegate;
        this.changelog = changelog;
    }

    /**
     * @param log where the changelog goes, if there is one
     */
    void configure(Configuration settings, URI log) {
        settings.set(StateBackendOptions.STATE_BACKEND, delegate);
        // The default's arenas are each larger than what a test's slot may use for all of them:
        // RocksDB would flush without end.
        settings.set(RocksDBConfigurableOptions.WRITE_BUFFER_SIZE, MemorySize.ofMebiBytes(1));
        settings.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, changelog);
        if (changelog) {
            settings.set(StateChangelogOptions.STATE_CHANGE_LOG_STORAGE, "filesystem");
            settings.set(
                    StateChangelogOptions.PERIODIC_MATERIALIZATION_INTERVAL,
                    MATERIALIZATION_INTERVAL);
            settings.setString("state.changelog.dstl.dfs.base-path", log.toString());
        }
    }
}
