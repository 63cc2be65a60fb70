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
package io.dstl.fs.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.SegmentIndex;
import io.dstl.fs.segment.SegmentIndex.IndexedFile;
import io.dstl.fs.segment.SetIndex;
import io.dstl.fs.segment.StoredBytes;
import io.dstl.fs.segment.StoredBytes.FileRange;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.store.SegmentOpener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.function.BiConsumerWithException;
import org.apache.flink.util.function.ThrowingConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a segment with an index that somebody needed, as stored: each byte is downloaded
 * once for all tasks, in as few requests as possible. A small segment comes whole with its index,
 * in one request.
 *
 * <p>Does not verify its bytes: its readers do, block by block, and have wrong ones replaced.
 */
final class PartialCopy extends LocalCopy {

    private static final Logger LOG = LoggerFactory.getLogger(PartialCopy.class);

    /** What a store delivers in about the time of a further request. */
    private static final int GAP_BYTES = 1 << 20;

    private static final int TAIL_BYTES = 1 << 20;

    /**
     * Also the largest write to the file: for each thread the JDK keeps a direct buffer of the size
     * of its largest one.
     */
    static final int BUFFER_BYTES = 64 << 10;

    private final SegmentOpener opener;
    private final FileRanges present = new FileRanges();
    private final Queue<SetRequest> pending = new ConcurrentLinkedQueue<>();

    /** Written with {@link #filling} held. */
    private volatile Optional<SegmentIndex> index = Optional.empty();

    /** Whether it was logged that the disk refuses bytes. Used with {@link #filling} held. */
    private boolean said;

    PartialCopy(StreamStateHandle segment, Path file, SegmentOpener opener) {
        super(segment, file);
        this.opener = opener;
    }

    @Override
    boolean isFilled() {
        return !present.isEmpty();
    }

    /**
     * @param cancellation closing it ends the download
     * @throws io.dstl.fs.segment.SegmentCorruptedException if there is no sound index
     */
    SegmentIndex index(CloseableRegistry cancellation) throws IOException {
        if (!index.isPresent()) {
            lock();
            try {
                loadIndex(cancellation);
            } finally {
                filling.unlock();
            }
        }
        return index.get();
    }

    private void loadIndex(CloseableRegistry cancellation) throws IOException {
        if (!index.isPresent()) {
            download(
                    cancellation,
                    (store, out) ->
                            index =
                                    Optional.of(
                                            IndexedFile.index(
                                                    segment(),
                                                    new Recorded(store, out),
                                                    TAIL_BYTES)));
        }
    }

    /**
     * Downloads the missing bytes of these parts.
     *
     * @param cancellation closing it ends the download
     */
    void provide(Collection<FileRange> ranges, CloseableRegistry cancellation) throws IOException {
        if (ranges.stream().allMatch(present::contains)) {
            return;
        }
        lock();
        try {
            fill(ranges, cancellation);
        } finally {
            filling.unlock();
        }
    }

    private void fill(Collection<FileRange> ranges, CloseableRegistry cancellation)
            throws IOException {
        List<FileRange> missing = present.missing(ranges, GAP_BYTES);
        if (!missing.isEmpty()) {
            LOG.debug("Downloading {} of {} to {}", missing, Redacted.of(segment()), file());
            download(
                    cancellation,
                    (store, out) -> {
                        store.expect(missing);
                        for (FileRange range : missing) {
                            copy(store, range, out);
                            present.add(range);
                        }
                    });
        }
    }

    /** Also fetches sets requested meanwhile, so that these need not wait for a thread. */
    @Override
    void fetch(List<SetRequest> sets) throws IOException {
        CloseableRegistry never = new CloseableRegistry();
        pending.addAll(sets);
        while (!pending.isEmpty() && filling.tryLock()) {
            try {
                loadIndex(never);
                fill(rangesOfPending(), never);
            } finally {
                filling.unlock();
            }
        }
    }

    private List<FileRange> rangesOfPending() throws IOException {
        List<FileRange> ranges = new ArrayList<>();
        for (SetRequest each = pending.poll(); each != null; each = pending.poll()) {
            SetIndex set = index.get().set(segment(), each.offset());
            ranges.addAll(set.rangesOf(each.keyGroups()));
        }
        return ranges;
    }

    private void copy(StoreBytes store, FileRange range, FileChannel out) throws IOException {
        byte[] buffer = new byte[(int) Math.min(BUFFER_BYTES, range.bytes())];
        long at = range.start();
        while (at < range.end()) {
            int part = (int) Math.min(buffer.length, range.end() - at);
            store.read(at, buffer, part);
            write(out, at, buffer, part);
            at += part;
        }
    }

    private void write(FileChannel out, long position, byte[] bytes, int length)
            throws IOException {
        ByteBuffer left = ByteBuffer.wrap(bytes, 0, length);
        try {
            while (left.position() < length) {
                left.limit(Math.min(length, left.position() + BUFFER_BYTES));
                out.write(left, position + left.position());
            }
        } catch (IOException e) {
            throw CopyDirectory.UnusableException.of(file(), e);
        }
    }

    /** Opens the file to read bytes that are present, and those fetched later. */
    FileChannel open() throws IOException {
        try {
            return FileChannel.open(file(), StandardOpenOption.READ);
        } catch (IOException e) {
            throw CopyDirectory.UnusableException.ofOpen(file(), e);
        }
    }

    /**
     * Replaces a part by the bytes that the store holds now. If the disk refuses them, the copy
     * stays as it is.
     *
     * @param target gets the bytes
     * @param cancellation closing it ends the download
     */
    void replace(long position, byte[] target, CloseableRegistry cancellation) throws IOException {
        lock();
        try {
            fromStore(
                    cancellation,
                    store -> {
                        store.read(position, target);
                        mend(position, target);
                    });
        } finally {
            filling.unlock();
        }
    }

    private void mend(long position, byte[] stored) throws IOException {
        try (FileChannel out = openToWrite()) {
            write(out, position, stored, stored.length);
        } catch (CopyDirectory.UnusableException e) {
            if (!said) {
                said = true;
                LOG.warn("{} can't be mended, so its readers go to the store", this, e);
            }
            return;
        }
        present.add(new FileRange(position, position + stored.length));
    }

    private FileChannel openToWrite() throws IOException {
        return CopyDirectory.open(
                file(), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
    }

    /** Call with {@link #filling} held. */
    private void download(
            CloseableRegistry cancellation,
            BiConsumerWithException<StoreBytes, FileChannel, IOException> transfer)
            throws IOException {
        fromStore(
                cancellation,
                store -> {
                    try (FileChannel out = openToWrite()) {
                        transfer.accept(store, out);
                    }
                });
    }

    /** Call with {@link #filling} held. */
    private void fromStore(
            CloseableRegistry cancellation, ThrowingConsumer<StoreBytes, IOException> download)
            throws IOException {
        StoreBytes store = new StoreBytes(opener, segment());
        beginDownload(store);
        try {
            cancellation.registerCloseable(store);
            download.accept(store);
        } finally {
            end();
            cancellation.unregisterCloseable(store);
            store.close();
        }
    }

    private void end() {
        boolean useless;
        synchronized (this) {
            useless = endDownload() || present.isEmpty();
        }
        if (useless) {
            delete();
        }
    }

    /** Writes the bytes that it reads from the store to the file. Closes neither. */
    private final class Recorded implements StoredBytes {

        private final StoreBytes store;
        private final FileChannel out;

        Recorded(StoreBytes store, FileChannel out) {
            this.store = store;
            this.out = out;
        }

        @Override
        public void read(long position, byte[] target) throws IOException {
            store.read(position, target);
            record(position, target);
        }

        @Override
        public void readAgain(long position, byte[] target) throws IOException {
            store.readAgain(position, target);
            record(position, target);
        }

        private void record(long position, byte[] bytes) throws IOException {
            write(out, position, bytes, bytes.length);
            present.add(new FileRange(position, position + bytes.length));
        }

        @Override
        public void close() {}
    }

    /** The parts of a file that are present. Any thread. */
    static final class FileRanges {

        /** Start to end; neither overlapping nor adjacent. */
        @GuardedBy("this")
        private final TreeMap<Long, Long> ends = new TreeMap<>();

        synchronized boolean isEmpty() {
            return ends.isEmpty();
        }

        synchronized void add(FileRange added) {
            long start = added.start();
            long end = added.end();
            Map.Entry<Long, Long> touching = ends.floorEntry(end);
            while (touching != null && touching.getValue() >= start) {
                start = Math.min(start, touching.getKey());
                end = Math.max(end, touching.getValue());
                ends.remove(touching.getKey());
                touching = ends.floorEntry(end);
            }
            if (start < end) {
                ends.put(start, end);
            }
        }

        synchronized boolean contains(FileRange range) {
            Map.Entry<Long, Long> before = ends.floorEntry(range.start());
            return range.bytes() == 0 || (before != null && before.getValue() >= range.end());
        }

        /**
         * The missing bytes of the wanted parts, in order. Parts at most {@code gap} apart become
         * one: a larger request is quicker than two.
         *
         * @param gap in bytes
         */
        synchronized List<FileRange> missing(Collection<FileRange> wanted, long gap) {
            List<FileRange> absent = new ArrayList<>();
            wanted.forEach(range -> addAbsent(range, absent));
            absent.sort(Comparator.comparingLong(FileRange::start));
            List<FileRange> joined = new ArrayList<>();
            for (FileRange range : absent) {
                int last = joined.size() - 1;
                if (last >= 0 && range.start() - joined.get(last).end() <= gap) {
                    long end = Math.max(joined.get(last).end(), range.end());
                    joined.set(last, new FileRange(joined.get(last).start(), end));
                } else {
                    joined.add(range);
                }
            }
            return joined;
        }

        @GuardedBy("this")
        private void addAbsent(FileRange range, List<FileRange> absent) {
            long at = range.start();
            Map.Entry<Long, Long> before = ends.floorEntry(at);
            if (before != null) {
                at = Math.max(at, before.getValue());
            }
            while (at < range.end()) {
                Map.Entry<Long, Long> next = ends.ceilingEntry(at);
                long end = next == null ? range.end() : Math.min(range.end(), next.getKey());
                if (at < end) {
                    absent.add(new FileRange(at, end));
                }
                at = next == null ? range.end() : next.getValue();
            }
        }
    }
}
