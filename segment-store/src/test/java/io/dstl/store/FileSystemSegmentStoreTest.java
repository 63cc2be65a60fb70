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
package io.dstl.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.dstl.secret.Redaction;
import io.dstl.store.FileSystemSegmentStore.FileSystemOpener;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.testing.SegmentStoreContract;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FSDataOutputStreamWrapper;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.local.LocalFileSystem;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSystemSegmentStoreTest extends SegmentStoreContract {

    @Override
    protected SegmentStore create(Path base, Executor uploads) throws IOException {
        return create(FileSystem.getLocalFileSystem(), base, uploads);
    }

    private static SegmentStore create(FileSystem files, Path base, Executor uploads)
            throws IOException {
        SegmentDirectory directory =
                SegmentDirectory.of(new org.apache.flink.core.fs.Path(base.toUri()), JOB);
        return new FileSystemSegmentStore(files, directory, 1000, uploads, Redaction.OF_URIS);
    }

    /** As of streams that keep what has failed, and of the JVM for what fails often. */
    @Test
    void oneExceptionMayFailThePutAndAllThatFollows(@TempDir Path base) throws Exception {
        NullPointerException failure = new NullPointerException();
        SegmentStore store = create(new BrokenFileSystem(failure), base, Runnable::run);

        CompletableFuture<FileStateHandle> put =
                store.put("one", out -> out.write(1), PutListener.NONE);

        assertThatThrownBy(put::get).cause().isSameAs(failure);
    }

    /** Flink's local file system finds no file where it cannot open one. */
    @Test
    void aFileThatCannotBeOpenedIsNotMissing(@TempDir Path base) {
        FileStateHandle directory =
                new FileStateHandle(new org.apache.flink.core.fs.Path(base.toUri()), 1);

        assertThatThrownBy(() -> new FileSystemOpener().open(directory))
                .isExactlyInstanceOf(IOException.class)
                .hasMessageContaining("Cannot open");
    }

    /** As Flink's local file system, whose answer is all that it says. */
    @Test
    void aFileThatCannotBeDeletedIsAFailure(@TempDir Path base) throws Exception {
        SegmentStore store = create(new KeptFiles(), base, Runnable::run);
        store.discard("missing");
        store.put("one", out -> out.write(1), PutListener.NONE).get();
        assertThatThrownBy(() -> store.discard("one"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Could not delete");

        IOException failure = new IOException("reset");
        CompletableFuture<FileStateHandle> put =
                store.put(
                        "two",
                        out -> {
                            throw failure;
                        },
                        PutListener.NONE);
        assertThatThrownBy(put::get).cause().isSameAs(failure);
        assertThat(failure.getSuppressed())
                .singleElement()
                .satisfies(e -> assertThat(e).hasMessageContaining("Could not delete"));
    }

    /** Flink's local file system only says that it has failed. */
    @Test
    void aDirectoryThatMayNotBeMadeIsARefusal() throws Exception {
        // No one, not even root, makes one there.
        Path kernel = Path.of("/sys");
        assumeThat(kernel).isDirectory();
        SegmentStore store = create(kernel.resolve("dstl"), Runnable::run);

        CompletableFuture<FileStateHandle> put =
                store.put("one", out -> out.write(1), PutListener.NONE);

        assertThatThrownBy(put::get)
                .matches(RefusedException::isIn)
                .hasStackTraceContaining("Mkdirs failed");
    }

    /** Such as want of memory. A stream of HDFS has a thread, and its file a lease. */
    @Test
    void aStreamIsClosedWhateverFailsBeforeItsContent(@TempDir Path base) throws Exception {
        OpenStreams files = new OpenStreams();
        SegmentDirectory directory =
                SegmentDirectory.of(new org.apache.flink.core.fs.Path(base.toUri()), JOB);
        SegmentStore store =
                new FileSystemSegmentStore(files, directory, 0, Runnable::run, Redaction.OF_URIS);

        CompletableFuture<FileStateHandle> put =
                store.put("one", out -> out.write(1), PutListener.NONE);

        assertThatThrownBy(put::get).hasRootCauseMessage("Buffer size <= 0");
        assertThat(files.closed).containsExactly(true);
    }

    private static final class OpenStreams extends LocalFileSystem {
        private final List<Boolean> closed = new ArrayList<>();

        @Override
        public FSDataOutputStream create(org.apache.flink.core.fs.Path path, WriteMode mode)
                throws IOException {
            int number = closed.size();
            closed.add(false);
            return new FSDataOutputStreamWrapper(super.create(path, mode)) {
                @Override
                public void close() throws IOException {
                    closed.set(number, true);
                    super.close();
                }
            };
        }
    }

    private static final class KeptFiles extends LocalFileSystem {
        @Override
        public boolean delete(org.apache.flink.core.fs.Path path, boolean recursive) {
            return false;
        }
    }

    private static final class BrokenFileSystem extends LocalFileSystem {
        private final RuntimeException failure;

        BrokenFileSystem(RuntimeException failure) {
            this.failure = failure;
        }

        @Override
        public FSDataOutputStream create(org.apache.flink.core.fs.Path path, WriteMode mode) {
            return new BrokenStream(failure);
        }

        @Override
        public boolean delete(org.apache.flink.core.fs.Path path, boolean recursive) {
            throw failure;
        }
    }

    private static final class BrokenStream extends FSDataOutputStream {
        private final RuntimeException failure;

        BrokenStream(RuntimeException failure) {
            this.failure = failure;
        }

        @Override
        public void write(int b) {
            throw failure;
        }

        @Override
        public long getPos() {
            throw failure;
        }

        @Override
        public void flush() {
            throw failure;
        }

        @Override
        public void sync() {
            throw failure;
        }

        @Override
        public void close() {
            throw failure;
        }
    }
}
