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
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * Holds puts back to the rate that the store takes, and tells the {@link Pace} how each went. A put
 * that waits for its turn has not begun. Deletions are not held back: they are few, and free of
 * charge where requests are counted.
 *
 * <p><b>Threading.</b> As {@link SegmentStore} has it.
 */
public final class PacedSegmentStore implements SegmentStore {

    private final SegmentStore store;
    private final Pace pace;
    private final ScheduledExecutorService timer;

    public PacedSegmentStore(SegmentStore store, Pace pace, ScheduledExecutorService timer) {
        this.store = store;
        this.pace = pace;
        this.timer = timer;
    }

    @Override
    public Naming naming() {
        return store.naming();
    }

    @Override
    public CompletableFuture<FileStateHandle> put(
            String name, SegmentContent content, PutListener listener) {
        long wait = pace.take();
        if (wait == 0) {
            return putNow(name, content, listener);
        }
        CompletableFuture<FileStateHandle> stored = new CompletableFuture<>();
        try {
            timer.schedule(() -> turn(name, content, listener, stored), wait, TimeUnit.NANOSECONDS);
        } catch (Throwable t) {
            listener.ended();
            stored.completeExceptionally(t);
        }
        return stored;
    }

    private void turn(
            String name,
            SegmentContent content,
            PutListener listener,
            CompletableFuture<FileStateHandle> stored) {
        if (stored.isDone()) {
            listener.ended();
            return;
        }
        CompletableFuture<FileStateHandle> put = putNow(name, content, listener);
        put.whenComplete(
                (segment, error) -> {
                    if (error == null) {
                        stored.complete(segment);
                    } else {
                        stored.completeExceptionally(error);
                    }
                });
        stored.whenComplete((segment, error) -> put.cancel(false));
    }

    private CompletableFuture<FileStateHandle> putNow(
            String name, SegmentContent content, PutListener listener) {
        CompletableFuture<FileStateHandle> put = store.put(name, content, listener);
        put.whenComplete((segment, error) -> answered(error));
        return put;
    }

    private void answered(Throwable error) {
        if (error == null) {
            pace.succeeded();
        } else if (Throttling.isIn(error)) {
            pace.throttled();
        }
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        return store.open(segment);
    }

    @Override
    public void delete(StreamStateHandle segment) throws IOException {
        store.delete(segment);
    }

    @Override
    public void discard(String name) throws IOException {
        store.discard(name);
    }
}
