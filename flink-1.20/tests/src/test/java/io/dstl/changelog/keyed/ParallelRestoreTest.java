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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.changelog.keyed.ForwardingBackend.KeyedOnly;
import io.dstl.fs.option.DownloadSettings;
import io.dstl.fs.read.ChangeReader;
import io.dstl.fs.read.ContentSource;
import io.dstl.fs.read.ContentSource.FetchAhead;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.read.SegmentCache;
import io.dstl.fs.segment.SetInput;
import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import io.dstl.store.SegmentOpener;
import io.dstl.testkit.ManualTimer;
import io.dstl.testkit.PathsBelow;
import io.dstl.testkit.SilentStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChangelogHandleReader;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A log is fetched, verified and decoded while the delegate restores what is materialized. */
@Timeout(120)
class ParallelRestoreTest {
    private static final int KEYS = 40;
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir private Path directory;

    private final ExecutorService downloads = Executors.newFixedThreadPool(2);
    private final String threadName = Thread.currentThread().getName();
    private final GatedBackend delegate = new GatedBackend();
    private SharedView view;
    private TestJob job;

    @BeforeEach
    void writeTwoSegments() throws Exception {
        view = new SharedView(Files.createDirectory(directory.resolve("copies")), downloads);
        job = new TestJob(delegate, directory);
        job.writeALog(2, KEYS, 2);
        job.readThrough(view);
        Thread.currentThread().setName("restore");
    }

    @AfterEach
    void stop() throws Exception {
        Thread.currentThread().setName(threadName);
        job.close();
        view.close();
        downloads.shutdownNow();
    }

    @Test
    void readsWhileTheDelegateIsRestored() throws Exception {
        // The second set is opened when the first has been decoded.
        delegate.whenRestored(of -> awaitAtLeast(2, view.setsOpened));

        job.start(1);

        assertThat(job.read(1, KEYS).values()).containsOnly("v2 of [v1, v2] timed");
        assertThat(readers()).isEmpty();
    }

    @Test
    void fetchesWhatTasksShareOnce() throws Exception {
        job.start(2);

        assertThat(job.read(1, KEYS).values()).containsOnly("v2 of [v1, v2] timed");
        assertThat(view.setsOpened).as("2 of each task").hasValue(4);
        assertThat(view.segmentsOpened.keySet()).hasSize(2);
        assertThat(view.segmentsOpened.values()).containsOnly(1);
    }

    @Test
    void leavesNothingWhenTheDelegateFails() throws Exception {
        SilentStream silent = view.staySilent();
        delegate.whenRestored(
                of -> {
                    silent.awaitRead();
                    throw new IOException("the base is missing");
                });

        assertThatThrownBy(() -> job.start(1)).hasRootCauseMessage("the base is missing");

        assertReleased(silent);
    }

    @Test
    void endsWhenTheTaskIsCancelledWhileTheDelegateIsRestored() throws Exception {
        SilentStream silent = view.staySilent();
        delegate.whenRestored(
                of -> {
                    silent.awaitRead();
                    of.getCancelStreamRegistry().close();
                    assertReleased(silent);
                    throw new CancelTaskException("as the delegate does");
                });

        assertThatThrownBy(() -> job.start(1)).hasRootCauseMessage("as the delegate does");

        assertThat(silent.isClosed()).isTrue();
    }

    @Test
    void reportsWhatCannotBeFetchedWhenTheReplayComesToIt() throws Exception {
        view.opener =
                segment -> {
                    throw new IOException("unreachable");
                };
        delegate.whenRestored(of -> awaitAtLeast(1, view.setsOpened));

        assertThatThrownBy(() -> job.start(1))
                .hasStackTraceContaining("LogReplayException: Cannot read the change set at offset")
                .satisfies(
                        failure ->
                                assertThat(job.segmentsOf(2))
                                        .anyMatch(
                                                ExceptionUtils.stringifyException(failure)
                                                        ::contains))
                .hasRootCauseMessage("unreachable");
        assertThat(readers()).isEmpty();
    }

    private void assertReleased(SilentStream silent) {
        await().atMost(LONG).until(silent::isClosed);
        await().atMost(LONG).untilAsserted(() -> assertThat(readers()).isEmpty());
        await().atMost(LONG).untilAsserted(() -> assertThat(view.copies()).isEmpty());
    }

    private static Set<String> readers() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("restore") && name.contains("ahead"))
                .collect(Collectors.toSet());
    }

    private static void awaitAtLeast(int count, AtomicInteger counter) {
        await().atMost(LONG).until(() -> counter.get() >= count);
    }

    /** What a TaskManager reads through, which counts what is opened. */
    private static final class SharedView
            implements StateChangelogStorageView<ChangelogStateHandleStreamImpl> {
        final AtomicInteger setsOpened = new AtomicInteger();
        final Map<String, Integer> segmentsOpened = new ConcurrentHashMap<>();
        volatile SegmentOpener opener = new FileSystemOpener();

        private final Path directory;
        private final SegmentCache cache;
        private final AtomicInteger names = new AtomicInteger();

        SharedView(Path directory, ExecutorService downloads) {
            this.directory = directory;
            this.cache =
                    new SegmentCache(
                            this::open,
                            new DownloadSettings(
                                    List.of(directory.toFile()), Duration.ofHours(1), 2, 1 << 20),
                            () -> "copy-" + names.incrementAndGet(),
                            new ManualTimer(),
                            downloads,
                            path -> false);
        }

        private FSDataInputStream open(StreamStateHandle segment) throws IOException {
            segmentsOpened.merge(segment.getStreamStateHandleID().getKeyString(), 1, Integer::sum);
            return opener.open(segment);
        }

        /** From now on the store answers nothing. */
        SilentStream staySilent() {
            SilentStream silent = new SilentStream();
            opener = segment -> silent;
            return silent;
        }

        List<Path> copies() throws IOException {
            return PathsBelow.files(directory).stream()
                    .filter(file -> !file.toString().endsWith(".lock"))
                    .collect(Collectors.toList());
        }

        @Override
        public StateChangelogHandleReader<ChangelogStateHandleStreamImpl> createReader() {
            return new ChangeReader(
                    new ContentSource() {
                        @Override
                        public SetInput open(SetRequest set, CloseableRegistry cancellation)
                                throws IOException {
                            setsOpened.incrementAndGet();
                            return cache.open(set, cancellation);
                        }

                        @Override
                        public FetchAhead fetchAhead(List<SetRequest> sets) {
                            return cache.fetchAhead(sets);
                        }

                        @Override
                        public void close() {}
                    },
                    Redaction.of(new Configuration()));
        }

        @Override
        public void close() {
            cache.close();
        }
    }

    /** A heap backend that is restored when the test lets it. */
    private static final class GatedBackend implements KeyedOnly {
        private final transient HashMapStateBackend heap = new HashMapStateBackend();
        private transient Gate gate = parameters -> {};

        interface Gate {
            void pass(KeyedStateBackendParameters<?> parameters) throws Exception;
        }

        void whenRestored(Gate next) {
            gate = next;
        }

        @Override
        public <K> CheckpointableKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws Exception {
            gate.pass(parameters);
            return heap.createKeyedStateBackend(parameters);
        }
    }
}
