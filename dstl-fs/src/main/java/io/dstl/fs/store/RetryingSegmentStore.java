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
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * Attempts each put several times: beside the one that has timed out, or after a pause where one
 * has failed. The first success counts. No failure of an attempt fails the put while another
 * attempt is left.
 *
 * <p>Only puts are retried. All attempts store to the name they are given where a put replaces
 * ({@link Naming#REPLACES}); else each further one to a name of its own, and what a loser stores is
 * deleted. {@link OpenNames} says what keeps an attempt that ends late from leaving an object.
 *
 * <p><b>Threading.</b> As {@link SegmentStore} has it; further attempts are started on the timer's
 * thread.
 */
public final class RetryingSegmentStore implements SegmentStore {

    private final SegmentStore store;
    private final RetryPolicy policy;
    private final ScheduledExecutorService timer;
    private final SegmentNames names;
    private final OpenNames openNames;
    private final AttemptsListener attempts;

    /**
     * @param names for further attempts, where each needs its own
     * @param cleanups deletes what lost attempts have stored; takes work until the last attempt has
     *     ended, which may be long after the storage has been closed
     */
    public RetryingSegmentStore(
            SegmentStore store,
            RetryPolicy policy,
            ScheduledExecutorService timer,
            SegmentNames names,
            Executor cleanups,
            AttemptsListener attempts) {
        this.store = store;
        this.policy = policy;
        this.timer = timer;
        this.names = names;
        this.openNames = new OpenNames(store, new Leftovers(cleanups, timer));
        this.attempts = attempts;
    }

    @Override
    public Naming naming() {
        return store.naming();
    }

    /** Completes on the thread that stored the segment, or on the timer's at the last timeout. */
    @Override
    public CompletableFuture<FileStateHandle> put(
            String name, SegmentContent content, PutListener listener) {
        AttemptNames attemptNames = new AttemptNames(name, naming(), names);
        PutRequest request = new PutRequest(attemptNames, content, listener);
        return new RetriedPut(store, openNames, policy, timer, attempts, request).start();
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        return store.open(segment);
    }

    /** Now; and once more, later, if an attempt that may store it again is still under way. */
    @Override
    public void delete(StreamStateHandle segment) throws IOException {
        openNames.delete(segment);
    }

    @Override
    public int deletionBatch() {
        return store.deletionBatch();
    }

    @Override
    public DeletionOutcome<StreamStateHandle> deleteAll(Collection<StreamStateHandle> segments) {
        return openNames.deleteAll(segments);
    }

    @Override
    public void discard(String name) throws IOException {
        store.discard(name);
    }
}
