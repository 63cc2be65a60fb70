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
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * Keeps segments: whole immutable objects, each stored under a name of its own.
 *
 * <p><b>Threading.</b> Any thread. {@link #put} returns at once; opening and deleting block for
 * I/O, so they are not for the task thread while it processes records.
 *
 * <p><b>Ordering.</b> None between puts. A segment can be opened, by any process, once the future
 * of its put has succeeded.
 */
public interface SegmentStore extends SegmentOpener {

    /**
     * Stores a new segment. Never takes the name of an existing one, so a repeated put of one
     * content makes a second segment.
     *
     * <p><b>Giving up.</b> Cancelling the future gives the put up: if it has not begun it never
     * does; if it runs, what it stores is deleted by the store. So a segment exists for good only
     * if its future has succeeded.
     *
     * <p><b>Failure.</b> The future fails on any {@link Throwable} of the put, an {@link Error}
     * included, and never stays open. What was written by then is deleted as far as the store can
     * be reached; a store out of reach may be left with a partial file that no handle names.
     *
     * @return completes on the thread that stored the segment
     */
    CompletableFuture<FileStateHandle> put(SegmentContent content, PutListener listener);

    /**
     * Deletes a segment. Deleting one that is gone already is no failure.
     *
     * @throws IOException if the segment is, or may be, still there; it may be deleted again
     */
    void delete(StreamStateHandle segment) throws IOException;
}
