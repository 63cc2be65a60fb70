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

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toList;

import io.dstl.materializer.StallWatch;
import io.dstl.registry.LogSegmentHandle;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.IOUtils;

/**
 * Creates the files of one materialization. They go to the task-owned directory, as they belong to
 * no single checkpoint and outlive the first one that names them. Checkpoints list them as they
 * list segments, so that none waits for the JobManager to delete them. Counts the calls that have
 * returned, to tell a slow upload from one that hangs.
 *
 * <p>Thread-safe; each stream belongs to one thread.
 */
final class TaskOwnedStreams implements CheckpointStreamFactory, StallWatch.Progress, Closeable {
    /** As {@code RetryPolicy#patience} has it for segments. */
    private static final Duration PATIENCE_PER_MB = Duration.ofSeconds(1);

    /** An upload that hangs keeps others from their turn. */
    private static final Duration MOST_PATIENCE = Duration.ofHours(1);

    private final FlinkFiles files;
    private final Optional<DirectFiles> direct;
    private final Consumer<Collection<StreamStateHandle>> deletion;
    private final CloseableRegistry open = new CloseableRegistry();
    private final LongAdder steps = new LongAdder();
    private final LongAdder closingBytes = new LongAdder();
    private final Queue<StreamStateHandle> stored = new ConcurrentLinkedQueue<>();
    private volatile boolean discarded;

    /**
     * @param direct the way around Flink's file system, if there is one
     * @param deletion deletes files; any thread, does not block
     */
    TaskOwnedStreams(
            FlinkFiles files,
            Optional<DirectFiles> direct,
            Consumer<Collection<StreamStateHandle>> deletion) {
        this.files = requireNonNull(files);
        this.direct = requireNonNull(direct);
        this.deletion = requireNonNull(deletion);
    }

    @Override
    public CheckpointStateOutputStream createCheckpointStateOutputStream(
            CheckpointedStateScope scope) throws IOException {
        CountedStream counted;
        if (direct.isPresent() && direct.get().takeNext()) {
            DirectStream stream = opened(direct.get());
            counted = new CountedStream(stream, stream::isFlinks);
        } else {
            counted = new CountedStream(files.open(), () -> true);
        }
        steps.increment();
        return counted;
    }

    private DirectStream opened(DirectFiles directly) throws IOException {
        DirectStream stream =
                new DirectStream(
                        directly, files::open, steps::increment, open::unregisterCloseable);
        open.registerCloseable(stream);
        return stream;
    }

    /** Runs the upload of these files, and leaves no stream open. */
    void run(Runnable upload) {
        files.run(
                () -> {
                    try {
                        upload.run();
                    } finally {
                        // Else a direct upload might open a file of Flink's file system yet.
                        close();
                    }
                });
    }

    /**
     * Ends the uploads that still run. Flink closes a stream of a snapshot that has failed or was
     * cancelled only while it is written, and an upload begins when all is written.
     */
    @Override
    public void close() {
        IOUtils.closeQuietly(open);
    }

    /**
     * Deletes what was stored, as no result names it, and what is stored from now on: the first
     * file that fails ends the snapshot, while others are under way.
     */
    void discard() {
        discarded = true;
        deletion.accept(stored);
    }

    /** The number of calls to the file system that have returned so far. */
    @Override
    public long steps() {
        return steps.sum();
    }

    /**
     * A second for each megabyte of the files that are being closed, one hour at most: a file
     * system may upload a file in that one call, as Flink's for S3 by Presto does. None for the way
     * around it, which tells of its progress.
     */
    @Override
    public Duration patience() {
        Duration patience = PATIENCE_PER_MB.multipliedBy(closingBytes.sum() / 1_000_000);
        return patience.compareTo(MOST_PATIENCE) < 0 ? patience : MOST_PATIENCE;
    }

    @Override
    public boolean canFastDuplicate(StreamStateHandle stateHandle, CheckpointedStateScope scope)
            throws IOException {
        return files.toolset().canFastDuplicate(stateHandle);
    }

    @Override
    public List<StreamStateHandle> duplicate(
            List<StreamStateHandle> stateHandles, CheckpointedStateScope scope) throws IOException {
        List<StreamStateHandle> duplicates = files.toolset().duplicate(stateHandles);
        steps.increment();
        return duplicates.stream().map(this::listed).collect(toList());
    }

    private StreamStateHandle listed(StreamStateHandle file) {
        StreamStateHandle handle = LogSegmentHandle.of(file);
        stored.add(handle);
        if (discarded) {
            deletion.accept(List.of(handle));
        }
        return handle;
    }

    /**
     * Only its writer writes to it. Flink's stream to two places writes what is left in its buffer
     * as it is closed, by a task thread too, which a store that hangs would keep.
     */
    private final class CountedStream extends CheckpointStateOutputStream {
        private final CheckpointStateOutputStream stream;
        private final BooleanSupplier isFlinks;
        private final Thread writer = Thread.currentThread();

        /**
         * @param isFlinks whether it can't tell of its progress while it is closed
         */
        CountedStream(CheckpointStateOutputStream stream, BooleanSupplier isFlinks) {
            this.stream = stream;
            this.isFlinks = isFlinks;
        }

        private void checkWriter() throws IOException {
            Thread caller = Thread.currentThread();
            if (caller != writer) {
                throw new IOException(caller.getName() + " writes no part of this file");
            }
        }

        @Override
        public void write(int value) throws IOException {
            checkWriter();
            stream.write(value);
            steps.increment();
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            checkWriter();
            stream.write(bytes, offset, length);
            steps.increment();
        }

        @Override
        public void flush() throws IOException {
            checkWriter();
            stream.flush();
            steps.increment();
        }

        @Override
        public void sync() throws IOException {
            checkWriter();
            stream.sync();
            steps.increment();
        }

        @Override
        public long getPos() throws IOException {
            return stream.getPos();
        }

        @Nullable
        @Override
        public StreamStateHandle closeAndGetHandle() throws IOException {
            long bytes = isFlinks.getAsBoolean() ? stream.getPos() : 0;
            closingBytes.add(bytes);
            try {
                StreamStateHandle handle = stream.closeAndGetHandle();
                return handle == null ? null : listed(handle);
            } finally {
                // In this order: a look that finds no patience any more finds the progress.
                steps.increment();
                closingBytes.add(-bytes);
            }
        }

        @Override
        public void close() throws IOException {
            stream.close();
        }
    }
}
