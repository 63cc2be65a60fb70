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

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
 * {@link Scene#batch} updates of keyed state, each as a task does it: set the key, update.
 * Checkpoints are part of it, one after each {@link Scene#interval} updates: what a barrier takes
 * on the task's thread is spread over the updates, what goes on behind it runs beside them. Without
 * a changelog there are none: what RocksDB's own checkpoints take is another question.
 *
 * <p>A number of updates and not a time: an update takes RocksDB up to twice as long as its
 * memtable fills, from one flush to the next, over a million of updates and more. By their number,
 * each variant's iterations meet the same memtables.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class UpdateBenchmark {

    @Benchmark
    public void update(Task task) throws Exception {
        task.loop.run();
    }

    /** Sums of an iteration, to be divided by its updates. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Counters {
        public long updates;

        /** Allocated by the task's thread. */
        public long taskBytes;

        /** That the task's thread was on a CPU for. */
        public long taskCpuNanos;
    }

    /** A task under way. */
    @State(Scope.Thread)
    public static class Task {
        private final TaskThread thread = new TaskThread();
        private Turn turn;
        private Path directory;
        private BenchmarkTask task;
        private UpdateLoop<?> loop;
        private long updatesBefore;

        @Setup(Level.Trial)
        public void open(Scene scene) throws Exception {
            directory = Files.createTempDirectory("dstl-bench");
            TaskSetup setup = new TaskSetup(directory, scene.changelog, scene.compressed);
            task = new BenchmarkTask(setup, List.of());
            task.loaded().report();
            loop = new UpdateLoop<>(task, Payloads.of(PayloadKind.of(scene.serializer)), scene);
            loop.fill();
            loop.settle();
            loop.rehearse(scene.rehearsals);
            loop.halfway();
            task.awaitRocksDb();
            turn = Turn.take();
        }

        @Setup(Level.Iteration)
        public void begin() throws Exception {
            turn.await();
            updatesBefore = loop.updates();
            thread.start();
        }

        /** Uploads, flushes and compactions end within the turn: they are in nobody else's way. */
        @TearDown(Level.Iteration)
        public void end(Counters counters) throws Exception {
            counters.taskCpuNanos = thread.cpuNanos();
            counters.taskBytes = thread.bytes();
            counters.updates = loop.updates() - updatesBefore;
            loop.awaitCheckpoint();
            task.awaitRocksDb();
            turn.over();
        }

        /** In a turn of its own: the others may have updates to measure yet. */
        @TearDown(Level.Trial)
        public void close() throws Exception {
            try (Turn last = turn) {
                last.await();
                loop.settle();
                task.close();
            } finally {
                FileUtils.deleteDirectory(directory.toFile());
            }
        }
    }
}
