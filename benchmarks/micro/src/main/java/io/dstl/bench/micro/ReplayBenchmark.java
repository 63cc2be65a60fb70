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

import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.util.FileUtils;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One restore from a log of {@link Scene#changes} updates with nothing materialized, from the local
 * disk: to the moment at which the backend is there with its whole state. Also the size of that
 * log, which is settled by the number of updates and not by time.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class ReplayBenchmark {

    @Benchmark
    public void replay(Log log, Counters counters) throws Exception {
        long cpuBefore = cpuNanos();
        log.restore();
        counters.cpuNanos = cpuNanos() - cpuBefore;
        counters.updates = log.updates;
        counters.logBytes = log.bytes;
    }

    private static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    /** Of the log that is replayed. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Counters {
        public long updates;
        public long logBytes;

        /** Of the whole JVM, its compiler and collector among that. */
        public long cpuNanos;
    }

    /** A log, and what it was restored into. */
    @State(Scope.Thread)
    public static class Log {
        private Path directory;
        private TaskSetup restoring;
        private KeyedStateHandle handle;
        private long updates;
        private long bytes;
        private BenchmarkTask restored;

        @Setup(Level.Trial)
        public void write(Scene scene) throws Exception {
            directory = Files.createTempDirectory("dstl-bench");
            TaskSetup setup = new TaskSetup(directory.resolve("written"), true, scene.compressed);
            restoring = new TaskSetup(directory.resolve("restored"), true, scene.compressed);
            try (BenchmarkTask task = new BenchmarkTask(setup, List.of())) {
                task.loaded().report();
                UpdateLoop<?> loop =
                        new UpdateLoop<>(
                                task,
                                Payloads.of(PayloadKind.of(scene.serializer)).varied(),
                                scene);
                while (loop.updates() < scene.changes) {
                    loop.next();
                    loop.awaitCheckpoint();
                }
                handle = loop.settle().orElseThrow();
                updates = loop.updates();
                bytes = bytesBelow(setup.log());
            }
        }

        private static long bytesBelow(Path directory) throws IOException {
            try (Stream<Path> all = Files.walk(directory)) {
                return all.map(Path::toFile).filter(File::isFile).mapToLong(File::length).sum();
            }
        }

        private void restore() throws Exception {
            restored = new BenchmarkTask(restoring, List.of(handle));
        }

        @TearDown(Level.Invocation)
        public void close() throws Exception {
            restored.close();
        }

        @TearDown(Level.Trial)
        public void delete() throws Exception {
            FileUtils.deleteDirectory(directory.toFile());
        }
    }
}
