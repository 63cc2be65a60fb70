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
import io.dstl.fs.read.ContentSource.FetchAhead;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.secret.Redaction.Redacted;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the segments of one restore into the cache in the order in which they are first read: as
 * many at once as there are threads, and as many ahead as the cache has room for, in turn with
 * other restores.
 *
 * <p>Owns a pin of each segment from its turn until it has been read, or the restore ends. Never
 * waits: a reader that is ahead of the fetching downloads for itself.
 */
final class RestoreFetch implements FetchAhead {

    private static final Logger LOG = LoggerFactory.getLogger(RestoreFetch.class);

    private final SegmentCache cache;
    private final Executor downloads;

    /** Segments not read to the end, in order. */
    @GuardedBy("this")
    private final Map<PhysicalStateHandleID, Fetch> fetches = new LinkedHashMap<>();

    @GuardedBy("this")
    private boolean closed;

    private RestoreFetch(SegmentCache cache, Executor downloads, List<SetRequest> sets) {
        this.cache = cache;
        this.downloads = downloads;
        for (SetRequest set : sets) {
            fetches.computeIfAbsent(set.segment().getStreamStateHandleID(), id -> new Fetch())
                    .sets
                    .add(set);
        }
    }

    /** One segment. Guarded by the lock of the restore, but for the final fields. */
    private static final class Fetch {
        private final List<SetRequest> sets = new ArrayList<>();
        private int read;
        private Optional<LocalCopy> pinned = Optional.empty();

        StreamStateHandle segment() {
            return sets.get(0).segment();
        }
    }

    /**
     * @param sets not empty
     */
    static RestoreFetch begin(SegmentCache cache, Executor downloads, List<SetRequest> sets) {
        RestoreFetch fetch = new RestoreFetch(cache, downloads, sets);
        fetch.advance();
        return fetch;
    }

    /** Fetches on, as far as there is room; returns false if there is none at all. */
    boolean advance() {
        List<Fetch> next = pinNext();
        for (Fetch fetch : next) {
            try {
                downloads.execute(() -> fetch(fetch));
            } catch (Throwable t) {
                // The view is closed, or no thread can be started. Its reader downloads it.
                LOG.debug("Not fetching {} ahead", Redacted.of(fetch.segment()), t);
            }
        }
        return !next.isEmpty();
    }

    private synchronized List<Fetch> pinNext() {
        List<Fetch> next = new ArrayList<>();
        for (Fetch fetch : fetches.values()) {
            if (!fetch.pinned.isPresent()) {
                fetch.pinned = closed ? Optional.empty() : cache.pin(fetch.segment(), this);
                if (!fetch.pinned.isPresent()) {
                    return next;
                }
                next.add(fetch);
            }
        }
        return next;
    }

    private void fetch(Fetch fetch) {
        Optional<LocalCopy> copy;
        synchronized (this) {
            copy = fetch.pinned;
        }
        try {
            if (copy.isPresent()) {
                cache.fetch(copy.get(), fetch.sets);
            }
        } catch (Throwable t) {
            // The class only: the message may hold secrets. The reader gets the error, redacted.
            LOG.debug(
                    "Could not fetch {} ahead of its reader, who tries again: {}",
                    Redacted.of(fetch.segment()),
                    t.getClass().getName());
        }
    }

    @Override
    public void done(StreamStateHandle segment) {
        Optional<LocalCopy> toUnpin = Optional.empty();
        synchronized (this) {
            Fetch fetch = fetches.get(segment.getStreamStateHandleID());
            if (fetch != null && ++fetch.read == fetch.sets.size()) {
                fetches.remove(segment.getStreamStateHandleID());
                toUnpin = fetch.pinned;
                fetch.pinned = Optional.empty();
            }
        }
        toUnpin.ifPresent(cache::unpin);
        advance();
    }

    @Override
    public void close() {
        Collection<LocalCopy> toUnpin = new ArrayList<>();
        synchronized (this) {
            closed = true;
            for (Fetch fetch : fetches.values()) {
                fetch.pinned.ifPresent(toUnpin::add);
                fetch.pinned = Optional.empty();
            }
            fetches.clear();
        }
        cache.forget(this);
        toUnpin.forEach(cache::unpin);
    }
}
