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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * Puts a second time, beside the first, when that is late; the first of the two to succeed counts.
 *
 * <p>Only puts are hedged, each once. Both requests store to the same name where a put replaces;
 * else the second has a name of its own, and the loser's object is deleted.
 *
 * <p><b>Threading.</b> As {@link SegmentStore} has it; hedges are sent on the timer's thread.
 */
public final class HedgingSegmentStore implements SegmentStore {

    private final SegmentStore store;
    private final HedgePolicy policy;
    private final ScheduledExecutorService timer;
    private final SegmentNames names;
    private final HedgeListener listener;

    /**
     * @param names for hedges, where each needs its own
     */
    public HedgingSegmentStore(
            SegmentStore store,
            HedgePolicy policy,
            ScheduledExecutorService timer,
            SegmentNames names,
            HedgeListener listener) {
        this.store = store;
        this.policy = policy;
        this.timer = timer;
        this.names = names;
        this.listener = listener;
    }

    @Override
    public Naming naming() {
        return store.naming();
    }

    @Override
    public CompletableFuture<FileStateHandle> put(
            String name, SegmentContent content, PutListener putListener) {
        AttemptNames attemptNames = new AttemptNames(name, naming(), names);
        PutRequest request = new PutRequest(attemptNames, content, putListener);
        return new HedgedPut(store, policy, timer, listener, request).start();
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
    public int deletionBatch() {
        return store.deletionBatch();
    }

    @Override
    public DeletionOutcome<StreamStateHandle> deleteAll(Collection<StreamStateHandle> segments) {
        return store.deleteAll(segments);
    }

    @Override
    public void discard(String name) throws IOException {
        store.discard(name);
    }
}
