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
package io.dstl.fs.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * The names that attempts are storing to right now, where several attempts share one ({@link
 * Naming#REPLACES}); and their deletion.
 *
 * <p><b>Invariant.</b> After a name is deleted, and the attempts that were under way at that time
 * have ended, nothing is stored under it. For an attempt under way may store its object after the
 * deletion: a deletion in such a time is done again after the last of them has ended. And nobody
 * deletes a name because an attempt lost: the object may be the winner's.
 *
 * <p>An attempt that was aborted, or that ended without an answer, has ended here before the store
 * carries out its request: so what is deleted behind attempts is deleted once more after {@link
 * Leftovers#STRAY_REQUEST}. Out of reach are requests that take longer, and those that outlive a
 * stored segment: the JobManager waits for nobody, and {@link #delete} only for attempts under way.
 * They leave an object that nothing refers to.
 *
 * <p><b>Threading.</b> Any thread. The lock guards the counting only; requests are made by the
 * caller ({@link #delete}, {@link #deleteAll}) or by the {@link Leftovers} (all others).
 */
final class OpenNames {

    private final SegmentStore store;
    private final Leftovers leftovers;

    @GuardedBy("this")
    private final Map<String, Attempts> open = new HashMap<>();

    /** Those of one name. Guarded by the names' lock. */
    private static final class Attempts {
        private int underWay;
        private boolean condemned;
    }

    OpenNames(SegmentStore store, Leftovers leftovers) {
        this.store = store;
        this.leftovers = leftovers;
    }

    /** An attempt is about to be put; {@link #ended} follows. */
    synchronized void started(String name) {
        open.computeIfAbsent(name, newName -> new Attempts()).underWay++;
    }

    void ended(String name) {
        boolean last;
        boolean condemned;
        synchronized (this) {
            Attempts attempts = open.get(name);
            if (attempts == null) {
                throw new IllegalStateException("More attempts of " + name + " ended than started");
            }
            attempts.underWay--;
            last = attempts.underWay == 0;
            condemned = attempts.condemned;
            if (last) {
                open.remove(name);
            }
        }
        if (last && condemned) {
            leftovers.deleteNowAndLater(name, () -> store.discard(name));
        }
    }

    /** Nobody will ever refer to what is stored under the name: it goes, now or with the last. */
    void condemn(String name) {
        if (!condemnIfOpen(name)) {
            leftovers.deleteNowAndLater(name, () -> store.discard(name));
        }
    }

    private synchronized boolean condemnIfOpen(String name) {
        Attempts attempts = open.get(name);
        if (attempts != null) {
            attempts.condemned = true;
        }
        return attempts != null;
    }

    /** Deletes a stored segment, now, and again if an attempt to store it is still under way. */
    void delete(StreamStateHandle segment) throws IOException {
        condemnIfOpen(segment);
        store.delete(segment);
    }

    /** The same for several. */
    DeletionOutcome<StreamStateHandle> deleteAll(Collection<StreamStateHandle> segments) {
        segments.forEach(this::condemnIfOpen);
        return store.deleteAll(segments);
    }

    private void condemnIfOpen(StreamStateHandle segment) {
        if (segment instanceof FileStateHandle) {
            condemnIfOpen(((FileStateHandle) segment).getFilePath().getName());
        }
    }

    /** What an attempt stored under a name of its own, too late for anybody to refer to it. */
    void deleteUnwanted(FileStateHandle segment) {
        leftovers.delete(segment.getFilePath().getName(), () -> store.delete(segment));
    }

    /** Names with an attempt under way. */
    synchronized int size() {
        return open.size();
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%d names under way", size());
    }
}
