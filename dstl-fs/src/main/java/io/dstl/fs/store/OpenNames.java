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
import io.dstl.registry.Shown;
import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names that attempts are storing to right now, where several attempts share one ({@link
 * Naming#REPLACES}); and their deletion.
 *
 * <p><b>Invariant.</b> After a name is deleted, and the attempts that were under way at that time
 * have ended, nothing is stored under it. For an attempt under way may store its object after the
 * deletion: a deletion in such a time is done again after the last of them has ended. And nobody
 * deletes a name because an attempt lost: the object may be the winner's.
 *
 * <p>Two deletions are out of reach: the JobManager's, of a segment that was handed over, and any
 * before a store carries out a request that its client has seen fail or abort. Either leaves an
 * object that nothing refers to, and only if a request outlives the segment.
 *
 * <p><b>Threading.</b> Any thread. The lock guards the counting only; requests are made by the
 * caller ({@link #delete}) or by the executor (all others).
 */
final class OpenNames {

    private static final Logger LOG = LoggerFactory.getLogger(OpenNames.class);

    private final SegmentStore store;
    private final Executor cleanups;

    @GuardedBy("this")
    private final Map<String, Attempts> open = new HashMap<>();

    /** Those of one name. Guarded by the names' lock. */
    private static final class Attempts {
        private int underWay;
        private boolean condemned;
    }

    /**
     * @param cleanups runs deletions that nobody waits for; takes them until the last attempt of
     *     the storage has ended
     */
    OpenNames(SegmentStore store, Executor cleanups) {
        this.store = store;
        this.cleanups = cleanups;
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
            cleanUp(name, () -> store.discard(name));
        }
    }

    /** Nobody will ever refer to what is stored under the name: it goes, now or with the last. */
    void condemn(String name) {
        if (!condemnIfOpen(name)) {
            cleanUp(name, () -> store.discard(name));
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
        if (segment instanceof FileStateHandle) {
            condemnIfOpen(((FileStateHandle) segment).getFilePath().getName());
        }
        store.delete(segment);
    }

    /** What an attempt stored under a name of its own, too late for anybody to refer to it. */
    void deleteUnwanted(FileStateHandle segment) {
        cleanUp(segment.getFilePath().getName(), () -> store.delete(segment));
    }

    /** A request that deletes. */
    private interface Deletion {
        void run() throws IOException;
    }

    private void cleanUp(String name, Deletion deletion) {
        try {
            cleanups.execute(
                    () -> {
                        try {
                            deletion.run();
                        } catch (Throwable t) {
                            leftBehind(name, t);
                        }
                    });
        } catch (Throwable t) {
            leftBehind(name, t);
        }
    }

    private static void leftBehind(String name, Throwable cause) {
        LOG.warn(
                "Could not delete {} of a lost attempt; nothing refers to it",
                Shown.of(name),
                cause);
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
