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
import io.dstl.fs.option.DownloadSettings;
import io.dstl.fs.option.DstlOptions;
import io.dstl.fs.read.ContentSource.FetchAhead;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.SegmentIndex;
import io.dstl.fs.segment.SegmentName;
import io.dstl.fs.segment.SetIndex;
import io.dstl.fs.segment.SetInput;
import io.dstl.store.SegmentDirectory.SegmentNames;
import io.dstl.store.SegmentOpener;
import java.io.File;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps copies of segments on local disk while a restore uses them: tasks that share a segment
 * download each of its bytes once per TaskManager, and each reads its part by seeking.
 *
 * <p>Owns the copies: counts the readers of each, and deletes it when nobody has read it for the
 * idle timeout, at once if the disk has little room, or when the cache is closed. A failed
 * download, or one whose reader is cancelled, leaves neither a file nor a descriptor, and fails the
 * reader that ran it; other readers that waited for it try themselves. Bytes fetched ahead count
 * against a limit, once for all restores that wait for them.
 *
 * <p><b>Threading.</b> Any thread; readers of one segment wait for each other's download, never for
 * that of another segment.
 */
public final class SegmentCache implements ContentSource {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentCache.class);

    /** Until the disk is tried again, and between two log lines about its room. */
    private static final Duration QUIET = Duration.ofMinutes(1);

    /** Left for RocksDB, which mostly has the same disk. */
    private static final long LITTLE_ROOM_BYTES = 10L << 30;

    private static final int LITTLE_ROOM_SHARE = 10;

    private final SegmentOpener opener;
    private final UncachedSource uncached;
    private final DownloadSettings settings;
    private final ScheduledExecutorService timer;
    private final Executor downloads;
    private final Predicate<Path> littleRoom;

    @GuardedBy("this")
    private final List<CopyDirectory> directories;

    @GuardedBy("this")
    private final Map<PhysicalStateHandleID, LocalCopy> copies = new HashMap<>();

    @GuardedBy("this")
    private long bytesAhead;

    /** Restores that wait for room, each with the segment that it has none for. */
    @GuardedBy("this")
    private final Map<RestoreFetch, PhysicalStateHandleID> waiting = new LinkedHashMap<>();

    @GuardedBy("this")
    private int nextDirectory;

    @GuardedBy("this")
    private boolean closed;

    /** Whether it was logged a short time ago that the disk is nearly full. */
    private volatile boolean saidLittleRoom;

    /** Whether the disk has refused a copy a short time ago. */
    private volatile boolean unusable;

    /**
     * @param settings with an idle timeout above zero
     * @param names of copies
     * @param timer not closed by the cache
     * @param downloads runs the fetches ahead; not closed by the cache
     * @param littleRoom whether no copy of this path stays that nobody reads; any thread
     */
    public SegmentCache(
            SegmentOpener opener,
            DownloadSettings settings,
            SegmentNames names,
            ScheduledExecutorService timer,
            Executor downloads,
            Predicate<Path> littleRoom) {
        this.opener = opener;
        this.uncached = new UncachedSource(opener);
        this.settings = settings;
        this.timer = timer;
        this.downloads = downloads;
        this.littleRoom = littleRoom;
        this.directories =
                settings.directories().stream()
                        .map(parent -> new CopyDirectory(parent.toPath(), names, downloads))
                        .collect(Collectors.toList());
    }

    /**
     * Whether the disk of a file is nearly full: less than a tenth of it, and than 10 GB, is free.
     */
    public static boolean hasLittleRoom(Path file) {
        File directory = file.getParent().toFile();
        return isLittle(directory.getUsableSpace(), directory.getTotalSpace());
    }

    static boolean isLittle(long freeBytes, long bytes) {
        return freeBytes < LITTLE_ROOM_BYTES && freeBytes < bytes / LITTLE_ROOM_SHARE;
    }

    /** Reads from the store where the disk takes no copy: a restart would find it as full. */
    @Override
    public SetInput open(SetRequest set, CloseableRegistry cancellation) throws IOException {
        if (!unusable) {
            try {
                return openCopy(set, cancellation);
            } catch (CopyDirectory.UnusableException e) {
                readDirectly(e);
            }
        }
        return uncached.open(set, cancellation);
    }

    /** For a while, so that a restore does not try the disk for each change set. */
    private void readDirectly(CopyDirectory.UnusableException cause) {
        unusable = true;
        deleteUnused(copy -> true);
        LOG.warn(
                "No local copies of segments for {} s: each task reads from the store what it needs,"
                        + " which takes more requests. {}. See that {} has room and works, or set {} to 0.",
                QUIET.getSeconds(),
                cause.getMessage(),
                CoreOptions.TMP_DIRS.key(),
                DstlOptions.CACHE_IDLE_TIMEOUT.key());
        afterQuiet(() -> unusable = false);
    }

    private void deleteUnused(Predicate<LocalCopy> which) {
        List<LocalCopy> unused;
        synchronized (this) {
            unused =
                    copies.values().stream()
                            .filter(copy -> !copy.isUsed() && which.test(copy))
                            .collect(Collectors.toList());
            copies.values().removeAll(unused);
        }
        unused.forEach(LocalCopy::delete);
    }

    private SetInput openCopy(SetRequest set, CloseableRegistry cancellation) throws IOException {
        LocalCopy copy = use(set.segment());
        try {
            return open(copy, set, cancellation);
        } catch (NoSuchFileException e) {
            if (!copy.file().toString().equals(e.getFile())) {
                endUse(copy);
                throw e;
            }
            LOG.warn("{} is gone: somebody has deleted it. It is downloaded again", copy);
            forgetGone(copy);
        } catch (Throwable t) {
            endUse(copy);
            throw t;
        }
        LocalCopy another = use(set.segment());
        try {
            return open(another, set, cancellation);
        } catch (Throwable t) {
            endUse(another);
            throw t;
        }
    }

    private SetInput open(LocalCopy copy, SetRequest set, CloseableRegistry cancellation)
            throws IOException {
        return copy instanceof PartialCopy
                ? openPart((PartialCopy) copy, set, cancellation)
                : SetInput.unindexed(
                        set.segment(),
                        set.offset(),
                        new Reading(((WholeCopy) copy).open(set.offset(), cancellation), copy));
    }

    /** Hands the copy out no more. Otherwise each restart would find that its file is gone. */
    private void forgetGone(LocalCopy copy) {
        synchronized (this) {
            copies.remove(copy.id(), copy);
        }
        endUse(copy);
    }

    private SetInput openPart(PartialCopy copy, SetRequest request, CloseableRegistry cancellation)
            throws IOException {
        SegmentIndex index = copy.index(cancellation);
        SetIndex set = index.set(request.segment(), request.offset());
        copy.provide(set.rangesOf(request.keyGroups()), cancellation);
        return SetInput.indexed(
                request.segment(),
                index,
                set,
                new LocalBytes(copy, copy.open(), cancellation, () -> endUse(copy)));
    }

    @Override
    public FetchAhead fetchAhead(List<SetRequest> sets) {
        return sets.isEmpty() ? FetchAhead.NONE : RestoreFetch.begin(this, downloads, sets);
    }

    private synchronized LocalCopy use(StreamStateHandle segment) throws IOException {
        LocalCopy copy = copyOf(segment);
        copy.use();
        return copy;
    }

    @GuardedBy("this")
    private LocalCopy copyOf(StreamStateHandle segment) throws IOException {
        if (closed) {
            throw new IllegalStateException("The cache of downloaded segments is closed");
        }
        LocalCopy present = copies.get(segment.getStreamStateHandleID());
        if (present != null) {
            return present;
        }
        LocalCopy copy = newCopy(segment, newFile());
        copies.put(copy.id(), copy);
        return copy;
    }

    private LocalCopy newCopy(StreamStateHandle segment, Path file) {
        return SegmentName.isIndexed(segment)
                ? new PartialCopy(segment, file, opener)
                : new WholeCopy(segment, file, opener);
    }

    @GuardedBy("this")
    private Path newFile() throws IOException {
        return directories.get(nextDirectory++ % directories.size()).newFile();
    }

    /**
     * Keeps the bytes fetched ahead of a segment until it is unpinned.
     *
     * @param restore is advanced when there is room, if there is none at the moment
     * @return empty if there is no room at the moment, or the disk refuses copies, or the cache is
     *     closed
     */
    synchronized Optional<LocalCopy> pin(StreamStateHandle segment, RestoreFetch restore) {
        if (closed || unusable) {
            return Optional.empty();
        }
        LocalCopy present = copies.get(segment.getStreamStateHandleID());
        boolean counted = present != null && present.isPinned();
        long bytes = segment.getStateSize();
        if (!counted && bytesAhead > 0 && bytesAhead + bytes > settings.maxAheadBytes()) {
            waiting.put(restore, segment.getStreamStateHandleID());
            return Optional.empty();
        }
        LocalCopy copy;
        try {
            copy = copyOf(segment);
        } catch (IOException e) {
            LOG.debug("Not fetching ahead: its reader meets this again", e);
            return Optional.empty();
        }
        if (copy.pin()) {
            bytesAhead += bytes;
        }
        return Optional.of(copy);
    }

    void unpin(LocalCopy copy) {
        boolean makesRoom;
        synchronized (this) {
            makesRoom = copy.unpin();
            if (makesRoom) {
                bytesAhead -= copy.segment().getStateSize();
            }
        }
        endUse(copy);
        if (makesRoom) {
            advanceNext();
        }
    }

    /**
     * Gives room to the restore that waits longest and can use it, so that none takes it all. Those
     * that wait for the same segment then need none for it.
     */
    private void advanceNext() {
        List<RestoreFetch> inTurn;
        synchronized (this) {
            inTurn = new ArrayList<>(waiting.keySet());
        }
        boolean given = false;
        for (RestoreFetch restore : inTurn) {
            if (!given || waitsForPinned(restore)) {
                forget(restore);
                given |= restore.advance();
            }
        }
    }

    private synchronized boolean waitsForPinned(RestoreFetch restore) {
        LocalCopy copy = copies.get(waiting.get(restore));
        return copy != null && copy.isPinned();
    }

    /** The restore no longer waits for room. */
    synchronized void forget(RestoreFetch restore) {
        waiting.remove(restore);
    }

    /** Fetches for a restore that has pinned the copy, while it is pinned. */
    void fetch(LocalCopy copy, List<SetRequest> sets) throws IOException {
        synchronized (this) {
            if (!copy.isPinned()) {
                return;
            }
            copy.beginFetch();
        }
        try {
            copy.fetch(sets);
        } finally {
            end(copy, copy::endFetch);
        }
    }

    private void endUse(LocalCopy copy) {
        end(copy, copy::endUse);
    }

    /**
     * @param count runs with the lock held
     */
    private void end(LocalCopy copy, Runnable count) {
        boolean mayStay = hasRoom(copy);
        boolean delete;
        boolean forgotten;
        synchronized (this) {
            count.run();
            boolean stays = mayStay && !closed && isCurrent(copy) && copy.isFilled();
            delete = !copy.isUsed() && !stays;
            forgotten = copy.isForgotten() && !copy.keepAsItIs();
            if (delete || forgotten) {
                copies.remove(copy.id(), copy);
            } else if (!copy.isUsed()) {
                deleteWhenIdle(copy);
            }
        }
        if (forgotten) {
            copy.abandon();
        }
        if (delete) {
            copy.delete();
            leaveDirectories();
        }
        if (!mayStay) {
            Path full = copy.file().getParent();
            deleteUnused(other -> other.file().getParent().equals(full));
        }
    }

    private boolean hasRoom(LocalCopy copy) {
        if (!littleRoom.test(copy.file())) {
            return true;
        }
        if (!saidLittleRoom) {
            saidLittleRoom = true;
            LOG.warn(
                    "The disk of {} is nearly full: no local copy of a segment stays that nobody reads"
                            + " at the moment, so a restore may download it again. Make room in {}",
                    copy.file().getParent(),
                    CoreOptions.TMP_DIRS.key());
            afterQuiet(() -> saidLittleRoom = false);
        }
        return false;
    }

    private void afterQuiet(Runnable action) {
        try {
            timer.schedule(action, QUIET.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("The cache is about to be closed", e);
        }
    }

    /** Directories with a copy that is being read are deleted with that copy. */
    private synchronized void leaveDirectories() {
        if (closed) {
            directories.forEach(CopyDirectory::deleteIfEmpty);
        }
    }

    @GuardedBy("this")
    private boolean isCurrent(LocalCopy copy) {
        return copies.get(copy.id()) == copy;
    }

    @GuardedBy("this")
    private void deleteWhenIdle(LocalCopy copy) {
        try {
            copy.idle(
                    timer.schedule(
                            () -> idleOver(copy),
                            settings.idleTimeout().toNanos(),
                            TimeUnit.NANOSECONDS));
        } catch (RejectedExecutionException e) {
            LOG.debug("Leaving {} to the closing of the cache", copy, e);
        }
    }

    private void idleOver(LocalCopy copy) {
        synchronized (this) {
            if (copy.isUsed() || !copies.remove(copy.id(), copy)) {
                return;
            }
        }
        copy.delete();
    }

    /** Deletes all copies; one that is being read or downloaded goes with its last reader. */
    @Override
    public void close() {
        List<LocalCopy> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(copies.values());
            copies.clear();
        }
        left.forEach(LocalCopy::abandon);
        left.forEach(LocalCopy::delete);
        leaveDirectories();
    }

    /** A stream that ends the use of its copy when it is closed. */
    private final class Reading extends FilterInputStream {

        private final LocalCopy copy;
        private final AtomicBoolean ended = new AtomicBoolean();

        Reading(InputStream content, LocalCopy copy) {
            super(content);
            this.copy = copy;
        }

        @Override
        public void close() throws IOException {
            try {
                super.close();
            } finally {
                if (ended.compareAndSet(false, true)) {
                    endUse(copy);
                }
            }
        }
    }
}
