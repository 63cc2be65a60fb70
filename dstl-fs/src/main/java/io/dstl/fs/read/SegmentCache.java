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
import io.dstl.fs.segment.SegmentInput;
import io.dstl.fs.store.SegmentNames;
import io.dstl.fs.store.SegmentOpener;
import io.dstl.registry.Shown;
import java.io.File;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps uncompressed copies of segments on local disk while a restore uses them: tasks that share a
 * segment download it once per TaskManager, and each reads its part by seeking.
 *
 * <p>Owns the copies: each is counted while it is read, and deleted when it has not been for the
 * idle timeout, or when the cache is closed. A failed download leaves neither a file nor a
 * descriptor, and fails the reader that ran it; others that waited for it try for themselves.
 *
 * <p><b>Threading.</b> Any thread; readers of one segment wait for each other's download, never for
 * that of another segment.
 */
public final class SegmentCache implements ContentSource {

    private static final Logger LOG = LoggerFactory.getLogger(SegmentCache.class);

    private final SegmentOpener opener;
    private final DownloadSettings settings;
    private final SegmentNames names;
    private final ScheduledExecutorService timer;

    @GuardedBy("this")
    private final Map<PhysicalStateHandleID, LocalCopy> copies = new HashMap<>();

    @GuardedBy("this")
    private int nextDirectory;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param settings with an idle timeout above zero
     * @param timer not closed by the cache
     */
    public SegmentCache(
            SegmentOpener opener,
            DownloadSettings settings,
            SegmentNames names,
            ScheduledExecutorService timer) {
        this.opener = opener;
        this.settings = settings;
        this.names = names;
        this.timer = timer;
    }

    @Override
    public InputStream open(StreamStateHandle segment, long offset) throws IOException {
        LocalCopy copy = use(segment);
        try {
            InputStream content = copy.open(() -> download(segment, copy), offset);
            return new Reading(content, copy);
        } catch (Throwable t) {
            endUse(copy);
            throw t;
        }
    }

    private synchronized LocalCopy use(StreamStateHandle segment) {
        if (closed) {
            throw new IllegalStateException("The cache of downloaded segments is closed");
        }
        LocalCopy copy =
                copies.computeIfAbsent(
                        segment.getStreamStateHandleID(), id -> new LocalCopy(id, newFile()));
        copy.use();
        return copy;
    }

    @GuardedBy("this")
    private Path newFile() {
        List<File> directories = settings.directories();
        File directory = directories.get(nextDirectory++ % directories.size());
        return directory.toPath().resolve("dstl-segment-" + names.next());
    }

    private void download(StreamStateHandle segment, LocalCopy copy) throws IOException {
        LOG.debug("Downloading {} to {}", Shown.of(segment), copy.file());
        Files.createDirectories(copy.file().getParent());
        try (InputStream content = SegmentInput.open(opener.open(segment), segment, 0)) {
            Files.copy(content, copy.file());
        }
    }

    private void endUse(LocalCopy copy) {
        boolean delete;
        synchronized (this) {
            copy.endUse();
            delete = !copy.isUsed() && (closed || !copy.isReady());
            if (delete) {
                copies.remove(copy.id(), copy);
            } else if (!copy.isUsed()) {
                deleteWhenIdle(copy);
            }
        }
        if (delete) {
            copy.delete();
        }
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

    /** Deletes all copies; what is being read or downloaded goes with its last reader. */
    @Override
    public void close() {
        List<LocalCopy> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(copies.values());
            copies.clear();
        }
        left.forEach(LocalCopy::delete);
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
