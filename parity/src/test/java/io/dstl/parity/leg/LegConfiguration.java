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
package io.dstl.parity.leg;

import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;

/** The configuration of a leg: what is the same for all of them, then its own options. */
final class LegConfiguration {

    private LegConfiguration() {}

    static Configuration of(Leg leg) {
        Configuration configuration = new Configuration();
        configuration.setString("state.backend.type", "rocksdb");
        configuration.setString("state.backend.changelog.enabled", "true");
        configuration.setString("state.backend.changelog.storage", "filesystem");
        configuration.setString("state.backend.changelog.periodic-materialize.enabled", "false");
        configuration.setString("state.backend.changelog.periodic-materialize.interval", "100 ms");
        configuration.setString("dstl.dfs.base-path", uri(leg, "changelog"));
        configuration.setString("dstl.dfs.batch.persist-delay", "0 ms");
        configuration.setString("execution.checkpointing.dir", uri(leg, "checkpoints"));
        configuration.setString("execution.checkpointing.incremental", "true");
        // Checkpoints are taken when the leg asks for them.
        configuration.setString("execution.checkpointing.interval", "1 d");
        configuration.setString(
                "execution.checkpointing.externalized-checkpoint-retention",
                "RETAIN_ON_CANCELLATION");
        configuration.setString("execution.buffer-timeout.interval", "1 ms");
        configuration.setString("parallelism.default", String.valueOf(leg.parallelism));
        configuration.setString("pipeline.max-parallelism", "16");
        configuration.setString("io.tmp.dirs", Path.of(leg.directory, "tmp").toString());
        configuration.setString("taskmanager.memory.managed.size", "64 mb");
        configuration.setString("taskmanager.memory.network.min", "16 mb");
        configuration.setString("taskmanager.memory.network.max", "16 mb");
        configuration.setString("restart-strategy.type", leg.failures > 0 ? "fixed-delay" : "none");
        configuration.setString(
                "restart-strategy.fixed-delay.attempts", String.valueOf(leg.failures));
        configuration.setString("restart-strategy.fixed-delay.delay", "1 ms");
        configuration.setString("rest.port", "0");
        leg.options.forEach(configuration::setString);
        return configuration;
    }

    private static String uri(Leg leg, String directory) {
        return Path.of(leg.directory, directory).toUri().toString();
    }
}
