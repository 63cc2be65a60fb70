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

import io.dstl.registry.SegmentDeleter;
import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.runtime.state.StreamStateHandle;

/** Deletes stored segments, and reports the number of requests. Any thread; blocks. */
public interface SegmentDeletion extends SegmentDeleter {

    /**
     * Deletes a segment. Deleting a missing segment is no failure.
     *
     * @throws IOException if the segment is, or may be, still there; it may be deleted again
     */
    @Override
    void delete(StreamStateHandle segment) throws IOException;

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

    @Override
    default Map<StreamStateHandle, IOException> deleteBatch(
            Collection<StreamStateHandle> segments) {
        return deleteAll(segments).failures();
    }

    /**
     * The outcome of deleting several objects. Immutable.
     *
     * @param <T> names an object
     */
    public static final class DeletionOutcome<T> {

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
