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
package io.dstl.store.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dstl.store.SegmentStore;
import io.dstl.store.SegmentStore.Naming;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.SegmentStore.SegmentContent;
import io.dstl.testkit.ManualExecutor;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every {@link SegmentStore} keeps. */
public abstract class SegmentStoreContract {

    protected static final JobID JOB = new JobID(1, 2);

    @TempDir Path base;

    protected final ManualExecutor executor = new ManualExecutor();
    private int names;

    /**
     * @param uploads runs the puts
     */
    protected abstract SegmentStore create(Path base, Executor uploads) throws IOException;

    @Test
    void storesUnderTheJobsDirectoryAndReadsBack() throws Exception {
        SegmentStore store = create(base, executor);

        CompletableFuture<FileStateHandle> put =
                store.put(name(), bytes(1, 2, 3), PutListener.NONE);
        assertThat(put).isNotDone();
        executor.runAll();

        FileStateHandle segment = put.get();
        assertThat(segment.getStateSize()).isEqualTo(3);
        assertThat(segment.getFilePath().getParent().getPath()).isEqualTo(directory());
        try (InputStream content = store.open(segment)) {
            assertThat(content.readAllBytes()).containsExactly(1, 2, 3);
        }
    }

    @Test
    void storesUnderTheNameGiven() throws Exception {
        SegmentStore store = create(base, executor);
        store.put("one", bytes(1), PutListener.NONE);
        store.put("other", bytes(1), PutListener.NONE);
        executor.runAll();

        assertThat(files()).containsExactlyInAnyOrder("one", "other");
    }

    @Test
    void aSecondPutToANameReplacesOrFails() throws Exception {
        SegmentStore store = create(base, executor);
        FileStateHandle first = stored(store, "one", 1, 2);
        CompletableFuture<FileStateHandle> second = store.put("one", bytes(1, 2), PutListener.NONE);
        executor.runAll();

        assertThat(second.isCompletedExceptionally())
                .isEqualTo(store.naming() == Naming.WRITE_ONCE);
        assertThat(files()).containsExactly("one");
        try (InputStream content = store.open(first)) {
            assertThat(content.readAllBytes()).containsExactly(1, 2);
        }
    }

    @Test
    void discardsByName() throws Exception {
        SegmentStore store = create(base, executor);
        stored(store, "one", 1);
        stored(store, "other", 1);

        store.discard("one");
        store.discard("one");

        assertThat(files()).containsExactly("other");
    }

    @Test
    void deletesSeveral() throws Exception {
        SegmentStore store = create(base, executor);
        FileStateHandle one = stored(store, "one", 1);
        FileStateHandle gone = stored(store, "gone", 1);
        FileStateHandle other = stored(store, "other", 1);
        stored(store, "kept", 1);
        store.delete(gone);

        assertThat(store.deleteAll(List.of(one, gone, other)).failures()).isEmpty();
        assertThat(files()).containsExactly("kept");
    }

    @Test
    void tellsThatAPutBeginsAndEnds() throws Exception {
        SegmentStore store = create(base, executor);
        List<String> heard = new ArrayList<>();
        store.put(name(), bytes(1), recording(heard));
        assertThat(heard).isEmpty();
        executor.runAll();

        assertThat(heard).containsExactly("begun", "ended");
    }

    /** As one of a plugin's classes that needs another which is not there. */
    @Test
    void aFailureThatCannotBeShownFailsThePut() throws Exception {
        SegmentStore store = create(base, executor);
        CompletableFuture<FileStateHandle> put =
                store.put(
                        name(),
                        out -> {
                            throw new UnshowableException();
                        },
                        PutListener.NONE);
        executor.runAll();

        assertThat(put.isCompletedExceptionally()).isTrue();
        assertThatThrownBy(put::get).cause().hasMessage(UnshowableException.class.getName());
    }

    @Test
    void aPutThatFailsEndsToo() throws Exception {
        SegmentStore store = create(base, executor);
        List<String> heard = new ArrayList<>();
        store.put(
                name(),
                out -> {
                    throw new IOException("half-way");
                },
                recording(heard));
        executor.runAll();

        assertThat(heard).containsExactly("begun", "ended");
    }

    /** By which one that is slow is told from one that hangs. */
    @Test
    void tellsOfTheBytesThatItsTransportTakes() throws Exception {
        SegmentStore store = create(base, executor);
        List<String> heard = new ArrayList<>();
        store.put(
                name(),
                out -> out.write(new byte[200_000]),
                new PutListener() {
                    @Override
                    public void begun() {
                        heard.add("begun");
                    }

                    @Override
                    public void progressed() {
                        heard.add("progressed");
                    }

                    @Override
                    public void ended() {
                        heard.add("ended");
                    }
                });
        executor.runAll();

        assertThat(heard).startsWith("begun").endsWith("ended");
        assertThat(heard.subList(1, heard.size() - 1))
                .hasSizeGreaterThanOrEqualTo(200_000 >> 16)
                .containsOnly("progressed");
    }

    /**
     * @param heard what a put begins and ends with, as it does
     */
    private static PutListener recording(List<String> heard) {
        return new PutListener() {
            @Override
            public void begun() {
                heard.add("begun");
            }

            @Override
            public void ended() {
                heard.add("ended");
            }
        };
    }

    @Test
    void aFailureLeavesNoPartialFile() throws Exception {
        SegmentStore store = create(base, executor);
        CompletableFuture<FileStateHandle> put =
                store.put(
                        name(),
                        out -> {
                            out.write(new byte[100_000]);
                            throw new IOException("half-way");
                        },
                        PutListener.NONE);
        executor.runAll();

        assertThatThrownBy(put::get).hasRootCauseMessage("half-way");
        assertThat(files()).isEmpty();
    }

    /** In stock, an Error in an upload thread completes nobody, and the checkpoint hangs. */
    @Test
    void anErrorEndsThePutToo() throws Exception {
        SegmentStore store = create(base, executor);
        CompletableFuture<FileStateHandle> put =
                store.put(
                        name(),
                        out -> {
                            throw new NoClassDefFoundError("org/xerial/snappy/Snappy");
                        },
                        PutListener.NONE);
        executor.runAll();

        assertThatThrownBy(put::get).hasRootCauseInstanceOf(NoClassDefFoundError.class);
        assertThat(files()).isEmpty();
    }

    @Test
    void aPutThatIsGivenUpBeforeItBeginsNeverDoes() throws Exception {
        SegmentStore store = create(base, executor);
        List<String> heard = new ArrayList<>();
        CompletableFuture<FileStateHandle> put = store.put(name(), bytes(1), recording(heard));
        put.cancel(false);
        executor.runAll();

        assertThat(files()).isEmpty();
        assertThat(heard).containsExactly("ended");
    }

    @Test
    void aPutThatIsGivenUpWhileItRunsLeavesNothing() throws Exception {
        SegmentStore store = create(base, executor);
        CompletableFuture<CompletableFuture<FileStateHandle>> self = new CompletableFuture<>();
        self.complete(
                store.put(
                        name(),
                        out -> {
                            out.write(1);
                            self.join().cancel(false);
                        },
                        PutListener.NONE));
        executor.runAll();

        assertThat(files()).isEmpty();
    }

    @Test
    void withoutThreadsThePutFails() throws Exception {
        SegmentStore store =
                create(
                        base,
                        task -> {
                            throw new RejectedExecutionException("closed");
                        });

        List<String> heard = new ArrayList<>();
        assertThat(store.put(name(), bytes(1), recording(heard))).isCompletedExceptionally();
        assertThat(heard).containsExactly("ended");
    }

    @Test
    void deletesAndDeletesAgain() throws Exception {
        SegmentStore store = create(base, executor);
        FileStateHandle segment = stored(store, name(), 1);

        store.delete(segment);
        store.delete(segment);

        assertThat(files()).isEmpty();
        assertThatThrownBy(() -> read(store, segment))
                .isInstanceOf(FileNotFoundException.class)
                .hasMessageContaining(segment.getFilePath().getName())
                .hasMessageContaining("1 bytes");
    }

    @Test
    void readsFromWhereItIsSoughtTo() throws Exception {
        SegmentStore store = create(base, executor);
        FileStateHandle segment = stored(store, name(), 1, 2, 3, 4, 5);

        try (FSDataInputStream content = store.open(segment)) {
            content.seek(3);
            assertThat(content.read()).isEqualTo(4);
            assertThat(content.getPos()).isEqualTo(4);
            content.seek(1);
            assertThat(content.readAllBytes()).containsExactly(2, 3, 4, 5);
            assertThat(content.read()).isEqualTo(-1);
            content.seek(5);
            assertThat(content.read()).isEqualTo(-1);
        }
    }

    private String name() {
        return "segment-" + ++names;
    }

    /** Of a store whose puts our executor runs. */
    protected FileStateHandle stored(SegmentStore store, String name, int... content)
            throws Exception {
        CompletableFuture<FileStateHandle> put = store.put(name, bytes(content), PutListener.NONE);
        executor.runAll();
        return put.get();
    }

    protected static SegmentContent bytes(int... values) {
        return out -> {
            for (int value : values) {
                out.write(value);
            }
        };
    }

    private static void read(SegmentStore store, FileStateHandle segment) throws IOException {
        try (InputStream content = store.open(segment)) {
            content.read();
        }
    }

    /** The path that segments of the job are in. */
    protected String directory() {
        return base.resolve(JOB.toHexString()).resolve("dstl").toString();
    }

    /** The names of what is stored. */
    protected List<String> files() throws IOException {
        try (Stream<Path> paths = Files.walk(base)) {
            return paths.filter(Files::isRegularFile)
                    .map(path -> path.getFileName().toString())
                    .collect(Collectors.toList());
        }
    }
}
