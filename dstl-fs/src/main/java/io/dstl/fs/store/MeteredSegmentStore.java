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

import io.dstl.fs.metric.NanoClock;
import io.dstl.fs.metric.StorageMetrics;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** Measures each put of a store, one request each, and counts its other requests. */
public final class MeteredSegmentStore implements SegmentStore {

    private final SegmentStore store;
    private final StorageMetrics metrics;
    private final NanoClock clock;

    public MeteredSegmentStore(SegmentStore store, StorageMetrics metrics, NanoClock clock) {
        this.store = store;
        this.metrics = metrics;
        this.clock = clock;
    }

    @Override
    public Naming naming() {
        return store.naming();
    }

    @Override
    public CompletableFuture<FileStateHandle> put(
            String name, SegmentContent content, PutListener listener) {
        AtomicLong begunAt = new AtomicLong();
        CompletableFuture<FileStateHandle> stored =
                store.put(name, content, new Begin(listener, begunAt));
        stored.whenComplete((segment, error) -> ended(segment, error, begunAt.get()));
        return stored;
    }

    /** Notes when a put begins. */
    private final class Begin implements PutListener {

        private final PutListener next;
        private final AtomicLong begunAt;

        private Begin(PutListener next, AtomicLong begunAt) {
            this.next = next;
            this.begunAt = begunAt;
        }

        @Override
        public void begun() {
            begunAt.set(clock.nanos());
            metrics.attemptBegun();
            next.begun();
        }

        @Override
        public void progressed() {
            next.progressed();
        }

        @Override
        public void ended() {
            next.ended();
        }
    }

    private void ended(FileStateHandle segment, Throwable error, long begunAt) {
        if (error == null) {
            metrics.attemptSucceeded(segment.getStateSize(), clock.nanos() - begunAt);
        } else if (!(error instanceof CancellationException)) {
            metrics.attemptFailed();
        }
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        metrics.otherRequest();
        return store.open(segment);
    }

    @Override
    public void delete(StreamStateHandle segment) throws IOException {
        metrics.otherRequest();
        store.delete(segment);
    }

    @Override
    public int deletionBatch() {
        return store.deletionBatch();
    }

    @Override
    public DeletionOutcome<StreamStateHandle> deleteAll(Collection<StreamStateHandle> segments) {
        DeletionOutcome<StreamStateHandle> outcome = store.deleteAll(segments);
        metrics.otherRequests(outcome.requests());
        return outcome;
    }

    @Override
    public void discard(String name) throws IOException {
        metrics.otherRequest();
        store.discard(name);
    }
}
