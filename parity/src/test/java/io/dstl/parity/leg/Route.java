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

import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.parity.job.AsyncJob;
import io.dstl.parity.job.NullJob;
import io.dstl.parity.job.ParityJob;
import io.dstl.parity.job.SchemaJob;
import io.dstl.parity.model.Cast;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A job's way over several legs, which share a directory. The processes are shared by all routes of
 * a test run, and end with it.
 */
public final class Route {

    private static final Map<String, LegProcess> PROCESSES = new HashMap<>();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> PROCESSES.values().forEach(LegProcess::close)));
    }

    private final Path directory;
    private final Map<String, String> options = new HashMap<>();

    private Route(Path directory) {
        this.directory = directory;
    }

    public static Route named(String name) throws IOException {
        return new Route(Files.createTempDirectory(directories(), name + "-"));
    }

    public static Route in(Path directory) {
        return new Route(directory);
    }

    static Path directories() throws IOException {
        return Files.createDirectories(Path.of(Flavour.property("parity.directory"), "routes"));
    }

    /** All legs have this state backend, unless they say another. */
    public Route on(String backend) {
        options.put("state.backend.type", backend);
        return this;
    }

    /** Timers are on the heap while state is in RocksDB. */
    public Route heapTimers() {
        options.put("state.backend.rocksdb.timer-service.factory", "HEAP");
        return this;
    }

    /** A leg from nothing. */
    public Leg leg() {
        return new Leg(this, directory, options);
    }

    /** A leg that restores from where another one ended. */
    public Leg from(LegResult before) {
        return leg().from(before);
    }

    LegResult run(Flavour flavour, Leg leg) throws IOException {
        LegResult result = succeed(flavour, leg);
        assertThat(result.content).isEqualTo(expectedContent(leg, result));
        return result;
    }

    LegResult succeed(Flavour flavour, Leg leg) throws IOException {
        LegResult result = process(flavour, leg).run(leg);
        assertThat(result.error).as("%s leg on %s in %s", flavour, leg.flink, directory).isNull();
        return result;
    }

    String fail(Flavour flavour, Leg leg) throws IOException {
        LegResult result = process(flavour, leg).run(leg);
        assertThat(result.error)
                .as("%s leg on %s in %s", flavour, leg.flink, directory)
                .isNotNull();
        return result.error;
    }

    private static Map<String, String> expectedContent(Leg leg, LegResult result) {
        if (result.cast.isOfNulls()) {
            return NullJob.expectedContent(result.cast, result.auditedRound);
        }
        if (result.cast == Cast.ASYNCHRONOUS) {
            return AsyncJob.expectedContent(result.auditedRound);
        }
        return result.cast == Cast.SCHEMA
                ? SchemaJob.expectedContent(result.auditedRound, leg.addedSince)
                : ParityJob.expectedContent(result.cast, result.auditedRound);
    }

    /** Where the job of a leg that ended with a checkpoint keeps its files. */
    public List<Path> directoriesOf(LegResult leg) {
        String job = Path.of(URI.create(leg.path)).getParent().getFileName().toString();
        return List.of(
                directory.resolve("checkpoints").resolve(job),
                directory.resolve("changelog").resolve(job));
    }

    /** All files of the job of a leg that ended with a checkpoint. */
    public List<Path> filesOf(LegResult leg) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path each : directoriesOf(leg)) {
            if (Files.exists(each)) {
                try (Stream<Path> below = Files.walk(each)) {
                    below.filter(Files::isRegularFile).forEach(files::add);
                }
            }
        }
        return files;
    }

    private static synchronized LegProcess process(Flavour flavour, Leg leg) {
        return PROCESSES.computeIfAbsent(
                String.join("-", leg.flink.name(), flavour.name(), String.valueOf(leg.schema)),
                name -> {
                    try {
                        return LegProcess.start(name, leg.flink, flavour, leg.schema);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }
}
