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
package io.dstl.changelog.keyed;

import static io.dstl.changelog.testing.Awaiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.dstl.fs.read.ChangeReader;
import io.dstl.fs.read.ContentSource;
import io.dstl.fs.read.ContentSource.FetchAhead;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.read.UncachedSource;
import io.dstl.fs.segment.SetInput;
import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogHandleReader;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A job whose log is replayed as far as the test lets it, after the first change set. */
abstract class HeldReplay {
    static final int KEYS = 40;
    static final Duration LONG = Duration.ofMinutes(1);

    /** Methods of ours in which a task waits for the replay. */
    static final String WHILE_RUNNING = "awaitEnd";

    static final String WHILE_STARTING = "finish";

    private final String threadName = Thread.currentThread().getName();
    final GatedRocksDb delegate = new GatedRocksDb();
    final HeldView view = new HeldView(1);
    private final List<HeldView> more = new ArrayList<>();
    TestJob job;

    @TempDir Path directory;

    @BeforeEach
    final void open() throws Exception {
        job = new TestJob(delegate, directory);
    }

    @AfterEach
    final void close() throws Exception {
        Thread.currentThread().setName(threadName);
        view.letGo();
        more.forEach(HeldView::letGo);
        job.close();
    }

    final TestSubtask subtask() {
        return job.subtasks().get(0);
    }

    /** Three change sets of one attempt, which is over. */
    final void writeALog() throws Exception {
        job.writeALog(1, KEYS, 3);
        stopTheWriter();
    }

    final void stopTheWriter() throws Exception {
        job.stop();
        job.readThrough(view);
        Thread.currentThread().setName("restore");
    }

    /** Of the job that is stopped. */
    final HeldView holdAgain() {
        HeldView held = new HeldView(1);
        more.add(held);
        job.readThrough(held);
        Thread.currentThread().setName("restore");
        return held;
    }

    /** Runs, and has the first change set. */
    final void startInTheMiddle() throws Exception {
        startInTheMiddle(1, view);
    }

    final void startInTheMiddle(int parallelism, HeldView held) throws Exception {
        job.start(parallelism);
        await().atMost(LONG).until(held::isHolding);
    }

    /** All of the log is read beside the base, and the start waits for it. */
    final void startAsBefore(HeldView held) throws Exception {
        delegate.whenRestored(() -> await().atMost(LONG).until(held::isHolding));
        duringWait(WHILE_STARTING, held::letGo, () -> job.start(1));
    }

    /** What is called waits for the replay, and goes on when that may. */
    final void whileHeld(String method, ThrowingRunnable<Exception> called) throws Exception {
        duringWait(method, view::letGo, called);
    }

    static void duringWait(String method, Runnable then, ThrowingRunnable<Exception> called)
            throws Exception {
        Thread caller = Thread.currentThread();
        CompletableFuture<Void> letGo =
                CompletableFuture.runAsync(
                        () -> {
                            await().atMost(LONG).until(() -> isIn(caller, method));
                            then.run();
                        });
        called.run();
        letGo.get(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    private static boolean isIn(Thread thread, String method) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(
                        frame ->
                                frame.getMethodName().equals(method)
                                        && frame.getClassName().startsWith("io.dstl.changelog."));
    }

    /** Nor does any log count as being replayed. */
    static void expectNoThreads() {
        await().atMost(LONG)
                .untilAsserted(
                        () -> {
                            assertThat(replays()).isEmpty();
                            assertThat(SystemScheduler.backgroundLoad().bytes()).isZero();
                        });
    }

    /** The task's operators are not open yet. */
    static void expectRest() {
        await().atMost(LONG)
                .until(() -> replays().stream().anyMatch(thread -> isIn(thread, "runBeside")));
    }

    /** The log is not read on after its first change set. */
    static void expectNothingRead() {
        await().atMost(LONG)
                .until(() -> replays().stream().anyMatch(thread -> isIn(thread, "mayReadOn")));
    }

    private static List<Thread> replays() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("restore re"))
                .collect(Collectors.toList());
    }

    /** A RocksDB that is restored when the test lets it. */
    static final class GatedRocksDb extends EmbeddedRocksDBStateBackend {
        private transient Gate before = () -> {};
        private transient Gate after = () -> {};
        private transient PriorityQueueStateType claimed = PriorityQueueStateType.ROCKSDB;
        private transient int restored;

        interface Gate {
            void pass() throws Exception;
        }

        GatedRocksDb() {
            super(true);
        }

        void whenRestored(Gate next) {
            before = next;
        }

        /** How often one was. */
        int restored() {
            return restored;
        }

        void onceRestored(Gate next) {
            after = next;
        }

        void claims(PriorityQueueStateType kept, PriorityQueueStateType told) {
            setPriorityQueueStateType(kept);
            claimed = told;
        }

        @Override
        public PriorityQueueStateType getPriorityQueueStateType() {
            return claimed;
        }

        @Override
        public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws IOException {
            pass(before);
            AbstractKeyedStateBackend<K> backend = super.createKeyedStateBackend(parameters);
            restored++;
            pass(after);
            return backend;
        }

        private static void pass(Gate gate) throws IOException {
            try {
                gate.pass();
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }

    /** Reads local segments, and from some change set on only when the test lets it. */
    static final class HeldView
            implements StateChangelogStorageView<ChangelogStateHandleStreamImpl> {
        private final int free;
        private final AtomicInteger asked = new AtomicInteger();
        private final CountDownLatch held = new CountDownLatch(1);
        private volatile String failure = "";
        private volatile boolean beginningsAreHidden;

        /**
         * @param free change sets that are read at once
         */
        HeldView(int free) {
            this.free = free;
        }

        boolean isHolding() {
            return held.getCount() > 0 && asked.get() > free;
        }

        void letGo() {
            held.countDown();
        }

        /** Metadata alone can't be read. */
        void hideBeginnings() {
            beginningsAreHidden = true;
        }

        /** The sets that were held can't be read. */
        void fail(String reason) {
            failure = reason;
            held.countDown();
        }

        @Override
        public StateChangelogHandleReader<ChangelogStateHandleStreamImpl> createReader() {
            return new ChangeReader(
                    new HeldSource(new UncachedSource(new FileSystemOpener())),
                    Redaction.of(new Configuration()));
        }

        @Override
        public void close() {}

        private final class HeldSource implements ContentSource {
            private final ContentSource source;

            HeldSource(ContentSource source) {
                this.source = source;
            }

            @Override
            public SetInput open(SetRequest set, CloseableRegistry cancellation)
                    throws IOException {
                if (!isWhole(set) && beginningsAreHidden) {
                    throw new IOException("hidden");
                }
                if (isWhole(set) && asked.incrementAndGet() > free) {
                    awaitLetGo();
                }
                return source.open(set, cancellation);
            }

            /** Not only the metadata, as where one looks at the logs of further writers. */
            private boolean isWhole(SetRequest set) {
                return set.keyGroups().getNumberOfKeyGroups() > 0;
            }

            private void awaitLetGo() throws IOException {
                try {
                    held.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("Ended while it was held");
                }
                if (!failure.isEmpty()) {
                    throw new IOException(failure);
                }
            }

            @Override
            public FetchAhead fetchAhead(List<SetRequest> sets) {
                return FetchAhead.NONE;
            }

            @Override
            public void close() throws IOException {
                source.close();
            }
        }
    }
}
