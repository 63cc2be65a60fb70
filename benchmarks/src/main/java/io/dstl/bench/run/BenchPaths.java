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
package io.dstl.bench.run;

import io.dstl.bench.run.Variant.RunName;
import io.dstl.harness.cluster.FlinkHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Where the benchmark finds what was built, and where it writes. */
public final class BenchPaths {
    private final Path project;
    private final Path run;
    private final Path javaHome;
    private final Optional<String> flinkVersion;

    /**
     * @param project the root of the source tree
     * @param run for logs, stores and whatever else the next run may delete
     * @param javaHome the Java that the cluster runs on
     */
    public BenchPaths(Path project, Path run, Path javaHome) {
        this(project, run, javaHome, Optional.empty());
    }

    private BenchPaths(Path project, Path run, Path javaHome, Optional<String> flinkVersion) {
        this.project = project;
        this.run = run;
        this.javaHome = javaHome;
        this.flinkVersion = flinkVersion;
    }

    /** The same, with a Flink of that version in place of the one that this is built with. */
    public BenchPaths flinkVersion(Optional<String> version) {
        return new BenchPaths(project, run, javaHome, version);
    }

    /** The same, with a directory of its own for what one of several benchmarks writes. */
    public BenchPaths runIn(String folder) {
        return new BenchPaths(project, run.resolve(folder), javaHome, flinkVersion);
    }

    /** What a file of the source tree is called within it; other text stays as it is. */
    public String withinProject(String text) {
        return text.replace(project + "/", "");
    }

    public Path run() {
        return run;
    }

    public Path javaHome() {
        return javaHome;
    }

    public Path sampleConfiguration() {
        return project.resolve("conf/flink-conf.yaml");
    }

    /** Flink with our jar; laid out where it is not yet. */
    public FlinkHome flinkHome() throws IOException {
        Path assembled = project.resolve("e2e/flink-home/target");
        FlinkHome built = FlinkHome.at(assembled.resolve("flink-home"));
        if (flinkVersion.isEmpty()) {
            return built;
        }
        Path overlay = run.resolve("flink-home");
        // As build/built-module.sh assembles it.
        return Files.isDirectory(overlay)
                ? FlinkHome.at(overlay)
                : FlinkHome.over(
                        assembled.resolve("flink-" + flinkVersion.get()),
                        built,
                        Files.createDirectories(overlay));
    }

    /** Where the job of a run writes down its totals. */
    Path results(RunName name) {
        return run.resolve("totals-" + name);
    }

    /** Where the module of the JMH benchmarks was built. */
    public Path microBenchmarks() {
        return project.resolve("benchmarks/micro/target");
    }

    /** What the threads of a run's TaskManager did. */
    Path profile(RunName name) {
        return run.resolve("profile-" + name + ".collapsed");
    }

    /** The classes of this module. */
    public Path classes() {
        return project.resolve("benchmarks/target/classes");
    }

    Path jobJar() {
        return project.resolve("benchmarks/target/dstl-bench-job.jar");
    }
}
