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

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Deletes stored objects. Who decides which: see {@link DeletionQueue}.
 *
 * <p><b>Threading.</b> Called on the deletion threads, possibly several at a time, so
 * implementations are thread-safe. May block.
 *
 * <p><b>Idempotence.</b> Deleting a missing object succeeds: the JobManager may delete the same
 * one.
 *
 * <p><b>Failure.</b> Anything thrown may leave the object in place; the {@link DeletionQueue} tries
 * again.
 */
@FunctionalInterface
public interface SegmentDeleter {

    void delete(StreamStateHandle segment) throws Exception;

    /**
     * The most objects that {@link #deleteBatch} deletes with one request. 1: each takes its own,
     * so waiting for others is of no use. May change at any time.
     */
    default int batchSize() {
        return 1;
    }

    /**
     * Whether one request deletes a batch. Then one of its objects may be the reason that none was
     * deleted, and the next attempt is made in halves.
     */
    default boolean isOneRequest() {
        return true;
    }

    /**
     * Deletes several objects; each may fail by itself.
     *
     * @param segments no more than {@link #batchSize} returned
     * @return failures of objects that are, or may be, still there; those that failed together
     *     share the instance, and so do those that are {@link Untried}
     * @throws Exception if any of them may be still there: they failed together
     */
    default Map<StreamStateHandle, ? extends Throwable> deleteBatch(
            Collection<StreamStateHandle> segments) throws Exception {
        Map<StreamStateHandle, Throwable> failures = new HashMap<>();
        for (StreamStateHandle segment : segments) {
            try {
                delete(segment);
            } catch (Exception e) {
                failures.put(segment, e);
            }
        }
        return failures;
    }

    /** No failure of the object itself: it was left to another call. */
    final class Untried extends Exception {

        private static final long serialVersionUID = 1L;

        private Untried(String message, Throwable cause) {
            super(message, cause);
        }

        /** Its call would have taken long; another one may begin at once. */
        static Untried forNow() {
            return new Untried("not tried yet", null);
        }

        /** The store seems to be down. */
        static Untried after(Throwable failure) {
            return new Untried("not tried after the failure of others", failure);
        }

        /** Whether the failure is one, and another call may begin at once. */
        static boolean isForNow(Throwable failure) {
            return failure instanceof Untried && failure.getCause() == null;
        }
    }
}
