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
package io.dstl.changelog.replay;

import io.dstl.changelog.bulk.Cancellation;
import io.dstl.fs.read.LoggedChanges;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;

/**
 * Reads the log of one restore ahead of its replay, from the announcement on. A thread of its own
 * fetches, verifies and decodes what the replay will open. A bounded part of the heap holds what
 * the replay has not reached.
 *
 * <p>A part that can't be opened or read fails when the replay reaches it, as it would without
 * reading ahead. Parts have to be opened in the order of their announcement, each read to its end.
 *
 * <p>Owns the thread, which ends when the result of {@link #announce} is closed, or soon after the
 * task is cancelled. Does not own the source, which only that thread uses meanwhile.
 */
public final class ReadAhead implements LogSource {
    /** Enough to keep both threads at work; what is fetched further ahead is on disk. */
    public static final long MAX_BYTES = 2 << 20;

    private final LogSource source;
    private final CloseableRegistry cancellation;
    private final RestoreProgress progress;
    private final long maxBytes;
    private final boolean holdsBack;
    private ChangeBatch.HandOver queue;
    private volatile Runnable whenWoken = () -> {};

    /** Owned by the thread that replays. */
    private long waitedNanos;

    /**
     * @param cancellation closed when the task is cancelled
     * @param progress counts what was read, and how long that took
     */
    public ReadAhead(LogSource source, CloseableRegistry cancellation, RestoreProgress progress) {
        this(source, cancellation, progress, MAX_BYTES, false);
    }

    /** Announces and reads all parts but the first only after {@link LogSource.Ahead#readOn}. */
    public static ReadAhead holdingBack(
            LogSource source, CloseableRegistry cancellation, RestoreProgress progress) {
        return new ReadAhead(source, cancellation, progress, MAX_BYTES, true);
    }

    /** Holds only one batch of changes at a time, to spare the heap. */
    public static ReadAhead sparing(
            LogSource source, CloseableRegistry cancellation, RestoreProgress progress) {
        return new ReadAhead(source, cancellation, progress, 0, false);
    }

    private ReadAhead(
            LogSource source,
            CloseableRegistry cancellation,
            RestoreProgress progress,
            long maxBytes,
            boolean holdsBack) {
        this.source = source;
        this.cancellation = cancellation;
        this.progress = progress;
        this.maxBytes = maxBytes;
        this.holdsBack = holdsBack;
        this.queue = new ChangeBatch.HandOver(maxBytes, true);
    }

    /**
     * @throws org.apache.flink.runtime.execution.CancelTaskException if the task is cancelled
     */
    @Override
    public Ahead announce(List<LogSource.Part> parts) {
        progress.announced(parts.size());
        if (parts.isEmpty()) {
            return Ahead.NONE;
        }
        queue = new ChangeBatch.HandOver(maxBytes, !holdsBack);
        Reading reading =
                new Reading(new ReaderThread(source, parts, queue, progress, holdsBack), queue);
        reading.begin();
        return reading;
    }

    @Override
    public CloseableIterator<StateChange> open(ChangelogStateHandle log, KeyGroupRange keyGroups)
            throws IOException {
        ChangeBatch first = take();
        if (first.part().log() != log) {
            throw new IllegalStateException(
                    "Expected " + first.part() + ", which was announced next, to be opened");
        }
        first.checkOpened();
        return new Changes(first);
    }

    @Override
    public long waitedMillis() {
        return waitedNanos / 1_000_000;
    }

    private ChangeBatch take() {
        Optional<ChangeBatch> ready = queue.poll();
        if (ready.isPresent()) {
            return ready.get();
        }
        long begin = progress.now();
        try {
            Optional<ChangeBatch> next = queue.take();
            while (!next.isPresent()) {
                if (queue.isStopped()) {
                    throw new IllegalStateException("Reading the log was ended", queue.failure());
                }
                whenWoken.run();
                next = queue.take();
            }
            return next.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for the log", e);
        } finally {
            waitedNanos += progress.waited(begin);
        }
    }

    /** Announced logs, and the thread that reads them. */
    private final class Reading implements Ahead {
        private final ReaderThread reader;
        private final ChangeBatch.HandOver queue;
        private final Closeable onCancel;

        Reading(ReaderThread reader, ChangeBatch.HandOver queue) {
            this.reader = reader;
            this.queue = queue;
            this.onCancel = reader::stop;
        }

        void begin() {
            try {
                cancellation.registerCloseable(onCancel);
            } catch (IOException e) {
                // The registry has closed the closeable that it was given.
                throw Cancellation.exception(e);
            }
            reader.start();
        }

        @Override
        public void wake(Runnable action) {
            whenWoken = action;
            queue.wake();
        }

        @Override
        public void readOn() {
            reader.readOn();
        }

        /** The reader has already told the source. */
        @Override
        public void done(ChangelogStateHandle log) {}

        @Override
        public void close() {
            cancellation.unregisterCloseable(onCancel);
            reader.stop();
            reader.join();
        }
    }

    /** The changes of one part. */
    private final class Changes implements LoggedChanges {
        private ChangeBatch batch;
        private int next;
        private boolean ended;

        Changes(ChangeBatch first) {
            this.batch = first;
        }

        @Override
        public boolean isGrouped() {
            return batch.isGrouped();
        }

        @Override
        public boolean hasNext() {
            while (next == batch.size() && !ended) {
                progress.replayed(next, batch.contentBytes(), batch.isLast());
                ended = batch.isLast();
                if (!ended) {
                    batch.checkRead();
                    batch = take();
                    next = 0;
                }
            }
            return !ended;
        }

        @Override
        public StateChange next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return batch.get(next++);
        }

        @Override
        public void close() {}
    }
}
