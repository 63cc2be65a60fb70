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
package io.dstl.registry;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes objects to their deletion, off the caller's thread.
 *
 * <p>Owns neither the executor nor the decision: whoever queues an object has made sure that nobody
 * needs it. That is the {@link SegmentRegistry} for registered segments, and the uploader for
 * objects it never registered (the loser of a hedged put).
 *
 * <p><b>Threading.</b> Thread-safe; {@link #delete} does not wait for the deletion, unless the
 * executor runs it on the caller's thread.
 *
 * <p><b>Order.</b> None.
 *
 * <p><b>Failure.</b> Never the caller's: counted by the listener and logged with the object's name.
 * The object stays in the store then, referenced by nothing.
 */
public final class DeletionQueue {

    private static final Logger LOG = LoggerFactory.getLogger(DeletionQueue.class);

    private final SegmentDeleter deleter;
    private final Executor executor;
    private final RegistryListener listener;

    /**
     * @param executor runs the deletions: as many at a time as it has threads ({@code
     *     state.changelog.dstl.dfs.discard.num-threads}); its owner shuts it down
     */
    public DeletionQueue(SegmentDeleter deleter, Executor executor, RegistryListener listener) {
        this.deleter = requireNonNull(deleter);
        this.executor = requireNonNull(executor);
        this.listener = requireNonNull(listener);
    }

    public void delete(StreamStateHandle segment) {
        requireNonNull(segment);
        try {
            executor.execute(() -> deleteNow(segment));
        } catch (RejectedExecutionException e) {
            failed(segment, e);
        }
    }

    private void deleteNow(StreamStateHandle segment) {
        try {
            deleter.delete(segment);
        } catch (Throwable t) {
            failed(segment, t);
            ExceptionUtils.rethrowIfFatalErrorOrOOM(t);
            return;
        }
        LOG.debug("Deleted segment {}", Shown.of(TrackedSegment.name(segment)));
        listener.deleted(segment);
    }

    private void failed(StreamStateHandle segment, Throwable cause) {
        LOG.warn(
                "Could not delete segment {} of {} bytes: it stays in the store, referenced by"
                        + " nothing",
                Shown.of(TrackedSegment.name(segment)),
                segment.getStateSize(),
                cause);
        listener.deleteFailed(segment, cause);
    }
}
