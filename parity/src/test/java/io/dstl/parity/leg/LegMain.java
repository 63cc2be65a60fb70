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

import static java.nio.charset.StandardCharsets.UTF_8;

import io.dstl.parity.job.StateReading;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.PluginManager;
import org.apache.flink.core.plugin.PluginUtils;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageLoader;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process in which legs run, one after the other: reads a leg and the file for its result from
 * each line of its input, and answers with a line when the result is there.
 */
final class LegMain {

    private static final Logger LOG = LoggerFactory.getLogger(LegMain.class);

    private LegMain() {}

    public static void main(String[] args) throws Exception {
        PluginManager plugins = PluginUtils.createPluginManagerFromRootFolder(new Configuration());
        FileSystem.initialize(new Configuration(), plugins);
        StateChangelogStorageLoader.initialize(plugins);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String file = in.readLine(); file != null; file = in.readLine()) {
            String leg = in.readLine();
            LegResult result = run(LegJson.read(leg, Leg.class), plugins);
            Files.writeString(Path.of(file), LegJson.write(result));
            System.out.println(file);
        }
    }

    private static LegResult run(Leg leg, PluginManager plugins) throws IOException {
        if (leg.reads) {
            return read(leg, plugins);
        }
        try (LegRun run = new LegRun(leg, plugins)) {
            return run.run();
        } catch (Exception e) {
            LegResult failed = new LegResult();
            failed.error = chain(e);
            LOG.info("The leg has failed", e);
            return failed;
        }
    }

    private static LegResult read(Leg leg, PluginManager plugins) {
        LegResult result = new LegResult();
        Configuration configuration = LegConfiguration.of(leg);
        try (LegCluster cluster = new LegCluster(configuration, leg.parallelism, plugins)) {
            StreamExecutionEnvironment env =
                    StreamExecutionEnvironment.getExecutionEnvironment(configuration);
            StateReading.build(env, leg.restorePath, leg.options.get("state.backend.type"));
            cluster.submit(env.getStreamGraph().getJobGraph())
                    .get()
                    .toJobExecutionResult(LegMain.class.getClassLoader());
            result.content = StateReading.content();
        } catch (Exception e) {
            result.error = chain(e);
            LOG.info("Reading has failed", e);
        }
        return result;
    }

    private static String chain(Throwable thrown) {
        return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause)
                .map(Throwable::toString)
                .collect(Collectors.joining("\n"));
    }
}
