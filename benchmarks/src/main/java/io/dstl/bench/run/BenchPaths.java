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
import java.nio.file.Path;

/** Where the benchmark finds what was built, and where it writes. */
public final class BenchPaths {
    private final Path project;
    private final Path run;
    private final Path javaHome;

    /**
     * @param project the root of the source tree
     * @param run for logs, stores and whatever else the next run may delete
     * @param javaHome the Java that the cluster runs on
     */
    public BenchPaths(Path project, Path run, Path javaHome) {
        this.project = project;
        this.run = run;
        this.javaHome = javaHome;
    }

    /** The same, with a directory of its own for what one of several benchmarks writes. */
    public BenchPaths runIn(String folder) {
        return new BenchPaths(project, run.resolve(folder), javaHome);
    }

    /** What a file of the source tree is called within it; other text stays as it is. */
    String withinProject(String text) {
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

    public Path flinkHome() {
        return project.resolve("e2e/flink-home/target/flink-home");
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

    Path jobJar() {
        return project.resolve("benchmarks/target/dstl-bench-job.jar");
    }
}
