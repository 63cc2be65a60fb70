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

import java.io.IOException;
import java.util.Collection;
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

    /** What a second put to a name does; the same at each call. */
    Naming naming();

    /**
     * Stores a segment. Never throws.
     *
     * <p><b>The name</b> is one that no other segment has had. {@link Naming#REPLACES}: several
     * puts may share it, also at the same time, if their content is the same; each stores all of it
     * or nothing. {@link Naming#WRITE_ONCE}: a put to a name that is taken fails, and leaves what
     * is there.
     *
     * <p><b>Giving up.</b> Cancelling the future gives the put up: if it has not begun it never
     * does; if it runs, its request is aborted where the store can. What it stores all the same, by
     * the time it has ended ({@link PutListener#ended()}), is deleted by the store where a name is
     * written once. Where puts replace, the store deletes nothing, as it may be what another put of
     * that name has stored: {@link #discard} is the caller's, once all of them have ended.
     *
     * <p><b>Failure.</b> The future fails on any {@link Throwable} of the put, an {@link Error}
     * included, and never stays open unless the store's own client waits for ever. It fails with a
     * {@link ThrottledException} if the store asked for fewer requests. What was written by then is
     * treated as that of a put given up; a store out of reach may be left with a partial file that
     * no handle names.
     *
     * @param name the last part of the path in the handle; no path separator in it
     * @return completes on the thread that stored the segment
     */
    CompletableFuture<FileStateHandle> put(
            String name, SegmentContent content, PutListener listener);

    /**
     * Deletes a segment. Deleting one that is gone already is no failure.
     *
     * @throws IOException if the segment is, or may be, still there; it may be deleted again
     */
    void delete(StreamStateHandle segment) throws IOException;

    /**
     * How many segments {@link #deleteAll} deletes with one request, at most; 1: each takes its
     * own. Becomes 1 where the store turns out not to know such a request, or not to carry it out.
     */
    default int deletionBatch() {
        return 1;
    }

    /**
     * Deletes several segments, as {@link #delete} does; the failure of one is no failure of the
     * others.
     *
     * @param segments no more than {@link #deletionBatch} has returned
     * @return what failed may be deleted again
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
     * Deletes what puts to this name have stored, if anything: for puts without a handle. Not for a
     * name that a handle refers to.
     *
     * @throws IOException if something is, or may be, still there; it may be discarded again
     */
    void discard(String name) throws IOException;
}
