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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.store.SegmentStore.Naming;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * The names that open requests store to, if the requests of a put share one ({@link
 * Naming#REPLACES}); and which of them to delete after the last request.
 *
 * <p><b>Invariant.</b> After a name is deleted, and the requests that were under way at that time
 * have ended, no object has this name. A request under way may store its object after the deletion:
 * so such a deletion is repeated after the last of them has ended. And a lost request alone never
 * deletes a name: the object may be the winner's.
 *
 * <p>The store may carry out a request after it has ended here, by an abort or without an answer:
 * so a deletion after requests is repeated after {@link LoserDeletion#STRAY_REQUEST}. The deletion
 * of a segment is repeated for requests under way and for strays, which were aborted beside a
 * winner. Not covered are requests that take longer, those that failed before the deletion of their
 * segment, those that a proxy sends to the store again and only the last of which is refused, and
 * deletions by the JobManager, which waits for no request. They leave an object that nothing refers
 * to.
 *
 * <p><b>Threading.</b> Any thread. The lock guards the counting only.
 */
final class OpenNames {

    private final Consumer<String> deletion;

    @GuardedBy("this")
    private final Map<String, Requests> open = new HashMap<>();

    /** The requests of one name. Guarded by the names' lock. */
    private static final class Requests {
        private int underWay;

        /** That have ended here, and may still be carried out. */
        private int strays;

        private boolean condemned;

        private boolean isOver() {
            return underWay == 0 && strays == 0;
        }
    }

    /**
     * @param deletion deletes what is stored under a name, now and later; does not block
     */
    OpenNames(Consumer<String> deletion) {
        this.deletion = deletion;
    }

    /** A request is about to be sent; {@link #ended} follows. */
    synchronized void started(String name) {
        open.computeIfAbsent(name, newName -> new Requests()).underWay++;
    }

    void ended(String name) {
        settle(name, requests -> --requests.underWay == 0);
    }

    /** A request was aborted, and may be carried out later; {@link #straysNoMore} follows. */
    synchronized void strays(String name) {
        open.computeIfAbsent(name, newName -> new Requests()).strays++;
    }

    void straysNoMore(String name) {
        settle(
                name,
                requests -> {
                    requests.strays--;
                    return requests.isOver();
                });
    }

    /**
     * @param isLast takes a request off; whether a condemned name is deleted after it
     */
    private void settle(String name, Predicate<Requests> isLast) {
        boolean delete;
        synchronized (this) {
            Requests requests = open.get(name);
            if (requests == null) {
                throw new IllegalStateException("More requests of " + name + " ended than started");
            }
            delete = isLast.test(requests) && requests.condemned;
            if (requests.isOver()) {
                open.remove(name);
            }
        }
        if (delete) {
            deletion.accept(name);
        }
    }

    /** Nobody will refer to an object of this name: deletes it now, or after its last request. */
    void condemn(String name) {
        if (!condemnIfOpen(name)) {
            deletion.accept(name);
        }
    }

    private synchronized boolean condemnIfOpen(String name) {
        Requests requests = open.get(name);
        if (requests != null) {
            requests.condemned = true;
        }
        return requests != null;
    }

    /** The segment is about to be deleted: repeats that after a request that may store it again. */
    void condemnIfOpen(StreamStateHandle segment) {
        if (segment instanceof FileStateHandle) {
            condemnIfOpen(((FileStateHandle) segment).getFilePath().getName());
        }
    }
}
