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

import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * Keeps segments: whole immutable objects, each stored under a name.
 *
 * <p><b>Threading.</b> Any thread. {@link #put} returns at once; opening and deleting block for
 * I/O, so they are not for the task thread while it processes records.
 *
 * <p><b>Ordering.</b> None between puts. A segment can be opened, by any process, once the future
 * of its put has succeeded.
 */
public interface SegmentStore extends SegmentOpener {

    /** The effect of a second put to a name; the same at each call. */
    Naming naming();

    /** Puts that the store runs at the same time, at least 1; further ones wait. */
    default int maxPuts() {
        return Integer.MAX_VALUE;
    }

    /**
     * Stores a segment. Never throws.
     *
     * <p><b>The name</b> is one that no other segment has had. {@link Naming#REPLACES}: several
     * puts may share it, also at the same time, if their content is the same; each stores all of it
     * or nothing. {@link Naming#WRITE_ONCE}: a put to a taken name fails and does not change the
     * segment there.
     *
     * <p><b>Giving up.</b> Cancelling the future gives the put up: if it has not begun, it never
     * does; if it runs, its request is aborted if the store can. If it still stores the segment by
     * the time it has ended ({@link PutListener#ended()}), a store that writes a name once deletes
     * it. A store where puts replace deletes nothing, as the segment may be that of another put of
     * the same name: the caller has to {@link #discard} it once all of them have ended.
     *
     * <p><b>Failure.</b> The future fails on any {@link Throwable} of the put, an {@link Error}
     * included, and never stays open unless the store's own client waits for ever. It fails with a
     * {@link ThrottledException} if the store asked for fewer requests. Bytes written by then are
     * treated as those of a put given up; an unreachable store may keep a partial file that no
     * handle names.
     *
     * @param name the last part of the path in the handle; no path separator in it
     * @return completes on the thread that stored the segment
     */
    CompletableFuture<FileStateHandle> put(
            String name, SegmentContent content, PutListener listener);

    /**
     * Deletes what puts to this name have stored, if anything: for puts without a handle. Not for a
     * name that a handle refers to. Blocks.
     *
     * @throws IOException if a segment is, or may be, still there; it may be discarded again
     */
    void discard(String name) throws IOException;

    /**
     * Deletes a segment. Deleting a missing segment is no failure.
     *
     * @throws IOException if the segment is, or may be, still there; it may be deleted again
     */
    void delete(StreamStateHandle segment) throws IOException;

    /** The most that {@link #deleteAll} deletes with one request. May change at any time. */
    default int batchSize() {
        return 1;
    }

    /**
     * Deletes several segments, as {@link #delete} does; each may fail by itself.
     *
     * @param segments no more than {@link #batchSize} has returned
     * @return the failures; failed segments may be deleted again
     */
    default DeletionOutcome<StreamStateHandle> deleteAll(Collection<StreamStateHandle> segments) {
        Map<StreamStateHandle, IOException> failures = new HashMap<>();
        for (StreamStateHandle segment : segments) {
            try {
                delete(segment);
            } catch (IOException e) {
                failures.put(segment, e);
            }
        }
        return new DeletionOutcome<>(failures, segments.size());
    }

    /**
     * The bytes of one segment to be stored.
     *
     * <p><b>Threading.</b> Any thread, several at once: attempts to store the same segment may
     * overlap.
     */
    interface SegmentContent {

        /**
         * Writes the same bytes at each call. Neither flushes nor closes the stream.
         *
         * @throws IOException of the stream, or if the content was given up and its memory is gone
         */
        void writeTo(OutputStream out) throws IOException;

        /**
         * About how many bytes {@link #writeTo} writes, the same at each call; compression makes it
         * fewer. Used to classify the duration of a put, and to bound what lost requests hold.
         */
        default long expectedBytes() {
            return 0;
        }
    }

    /**
     * Follows one {@link SegmentStore#put}. Called by the threads that run the put; must not block.
     */
    interface PutListener {

        PutListener NONE = new PutListener() {};

        /**
         * The put left the queue and begins; from here on the store's own latency counts. Called at
         * most once, before the put's future succeeds; not at all for a put that never begins.
         */
        default void begun() {}

        /**
         * The transport has taken bytes of the put. Called between {@link #begun()} and {@link
         * #ended()}, often: at least once for each 64 KiB. A transport may take bytes ahead of
         * sending them, so some time may pass from the last call to the end.
         */
        default void progressed() {}

        /**
         * The store itself has answered that it stores nothing of the put: it wants fewer requests,
         * or refuses this one. Called before the put's future fails, and only if that is certain:
         * not on an answer that something else may have given, such as a load balancer's 503, which
         * may come after the store has stored the segment.
         */
        default void notStored() {}

        /**
         * The put has ended: none of its requests is under way, and none will be. Called exactly
         * once, whatever the outcome, after {@link #begun()} if that is called at all. Before or
         * after the future is done; long after, if the put was given up and its request could not
         * be aborted.
         */
        default void ended() {}
    }

    /** The effect of a second put to a name in a {@link SegmentStore}. */
    enum Naming {
        /**
         * The whole object is replaced, at once and atomically: at any time, a reader finds one of
         * the two. So all attempts to store a segment share its name, and one that ends late leaves
         * no second object. For object stores.
         */
        REPLACES,

        /**
         * The second put is refused. So each attempt has its own name. For file systems, where a
         * file grows under its name while it is written.
         */
        WRITE_ONCE
    }

    /**
     * The outcome of deleting several objects. Immutable.
     *
     * @param <T> names an object
     */
    final class DeletionOutcome<T> {

        private final Map<T, IOException> failures;
        private final int requests;

        /**
         * @param failures see {@link #failures()}
         * @param requests see {@link #requests()}
         */
        public DeletionOutcome(Map<T, IOException> failures, int requests) {
            this.failures = Collections.unmodifiableMap(new HashMap<>(failures));
            this.requests = requests;
        }

        /**
         * Failures of objects that are, or may be, still there; those that failed together, by one
         * request, share the instance.
         */
        public Map<T, IOException> failures() {
            return failures;
        }

        /** The number of requests sent. */
        public int requests() {
            return requests;
        }
    }
}
