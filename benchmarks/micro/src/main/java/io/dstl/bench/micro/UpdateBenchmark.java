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

import com.sun.management.ThreadMXBean;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
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

    /**
     * What one thread alone has used: JMH's own profilers count all of them.
     *
     * <p>Threading: the thread that is looked at, which is the one that {@linkplain #start()
     * starts}.
     */
    static final class TaskThread {
        private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private long bytesBefore;
        private long cpuBefore;

        void start() {
            bytesBefore = allocated();
            cpuBefore = threads.getCurrentThreadCpuTime();
        }

        /** Allocated since the start. */
        long bytes() {
            return allocated() - bytesBefore;
        }

        /** On a CPU since the start: without the time that it was ready but others ran. */
        long cpuNanos() {
            return threads.getCurrentThreadCpuTime() - cpuBefore;
        }

        private long allocated() {
            return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        }
    }

    /**
     * The place of this fork among those that take turns: only one of them has work to do at a
     * time. It says when it is ready for its next turn and when that is over; the one who deals the
     * turns answers the former. What is said is a byte whose value does not matter.
     */
    static final class Turn implements AutoCloseable {
        /** Where turns are dealt, on this machine. */
        private static final String PORT = "dstl.bench.turns";

        private final Socket dealer;

        private Turn(Socket dealer) {
            this.dealer = dealer;
        }

        static Turn take() throws IOException {
            Integer port = Integer.getInteger(PORT);
            if (port == null) {
                throw new IllegalStateException(
                        "-D" + PORT + " is not set: start this by benchmarks/run.sh micro");
            }
            return new Turn(new Socket(InetAddress.getLoopbackAddress(), port));
        }

        /** Blocks until it is this fork's turn. */
        void await() throws IOException {
            say();
            if (dealer.getInputStream().read() < 0) {
                throw new EOFException(
                        "there are no more turns, as another fork has failed: the logs beside this one"
                                + " say why");
            }
        }

        void over() throws IOException {
            say();
        }

        private void say() throws IOException {
            dealer.getOutputStream().write('t');
        }

        /** Takes part no more; a turn under way is over. */
        @Override
        public void close() throws IOException {
            dealer.close();
        }
    }
}
