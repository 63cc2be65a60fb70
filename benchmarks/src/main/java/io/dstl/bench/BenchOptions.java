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
package io.dstl.bench;

import io.dstl.bench.report.ResultFiles;
import io.dstl.bench.run.BenchPaths;
import io.dstl.harness.report.ReadmeTable;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** What the commands have in common: where things are, and where results go. */
final class BenchOptions {
    @Option(
            names = "--name",
            description = "Of the files with the results; by default command and workload.")
    private String name;

    @Option(
            names = "--docs",
            description =
                    "Put the table into docs/benchmarks.md; storage, micro, and cluster with its"
                            + " workload value put their main rows into README.md too.")
    private boolean docs;

    @Option(names = "--commit", hidden = true, defaultValue = "unknown")
    private String commit;

    @Option(names = "--command", hidden = true, defaultValue = "benchmarks/run.sh")
    private String command;

    @Option(names = "--project", hidden = true, required = true)
    private Path project;

    @Option(names = "--run-dir", hidden = true, required = true)
    private Path runDirectory;

    @Option(names = "--results", hidden = true)
    private Path results;

    String commit() {
        return commit;
    }

    String command() {
        return command;
    }

    /** Whether the files with the results were given a name. */
    boolean named() {
        return name != null;
    }

    BenchPaths paths() {
        return new BenchPaths(
                project.toAbsolutePath().normalize(),
                runDirectory.toAbsolutePath().normalize(),
                Path.of(System.getProperty("java.home")));
    }

    ResultFiles files(String usualName) {
        Path directory = results == null ? project.resolve("benchmarks/results") : results;
        return new ResultFiles(directory.toAbsolutePath(), name == null ? usualName : name);
    }

    /**
     * Puts the table into the documentation, where that is wanted.
     *
     * @param mark the line of docs/benchmarks.md that the table belongs below
     */
    void document(String mark, String table) throws IOException {
        if (docs) {
            ReadmeTable.replace(project.resolve("docs/benchmarks.md"), mark, table);
        }
    }

    /** The same for the line of README.md. */
    void documentInReadme(String mark, String table) throws IOException {
        if (docs) {
            ReadmeTable.replace(project.resolve("README.md"), mark, table);
        }
    }
}
