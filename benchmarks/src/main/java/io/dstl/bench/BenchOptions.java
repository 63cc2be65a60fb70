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
import io.dstl.bench.report.ResultFiles.Report;
import io.dstl.bench.run.BenchPaths;
import io.dstl.harness.report.ReadmeTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
                    "Put the table into docs/benchmarks.md, of storage its main rows into README.md"
                            + " too.")
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

    private ResultFiles files(String usualName) {
        Path directory = results == null ? project.resolve("benchmarks/results") : results;
        return new ResultFiles(directory.toAbsolutePath(), name == null ? usualName : name);
    }

    /**
     * Runs a benchmark to its end, or to that of this JVM; shows what it has found.
     *
     * @param usualName of the files with the results
     * @param pages what goes into the documentation, where that is wanted
     */
    <R extends Report> R run(String usualName, Benchmark<R> benchmark, Pages<R> pages)
            throws Exception {
        ResultFiles files = files(usualName);
        R report;
        try (StopAtExit stop = StopAtExit.open()) {
            report = benchmark.run(files);
        }
        pages.fill(report);
        System.out.println();
        System.out.println(report.markdown());
        System.out.println("in " + files.table());
        return report;
    }

    /** What was found is in the files while it runs, too. */
    interface Benchmark<R> {
        R run(ResultFiles files) throws Exception;
    }

    /** Puts parts of a report into the documentation. */
    interface Pages<R> {
        void fill(R report) throws IOException;
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

    /** The same for a page of docs/. */
    void documentIn(String page, String mark, String table) throws IOException {
        if (docs) {
            ReadmeTable.replace(project.resolve("docs").resolve(page), mark, table);
        }
    }

    /** The same for the line of README.md. */
    void documentInReadme(String mark, String table) throws IOException {
        if (docs) {
            ReadmeTable.replace(project.resolve("README.md"), mark, table);
        }
    }

    /**
     * While open, interrupts the thread that opened it when the JVM is told to end, and lets it
     * clean up: the clusters' processes would outlive this one.
     */
    static final class StopAtExit implements AutoCloseable {
        private static final long LIMIT_SECONDS = 60;

        private final CountDownLatch done = new CountDownLatch(1);

        private StopAtExit() {}

        static StopAtExit open() {
            StopAtExit stop = new StopAtExit();
            Thread worker = Thread.currentThread();
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> stop.interrupt(worker), "stop-at-exit"));
            return stop;
        }

        @Override
        public void close() {
            done.countDown();
        }

        private void interrupt(Thread worker) {
            if (done.getCount() == 0) {
                return;
            }
            worker.interrupt();
            try {
                if (!done.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                    System.err.println("not all processes of the benchmark could be stopped");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
