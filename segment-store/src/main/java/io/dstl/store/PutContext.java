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
import io.dstl.store.SegmentDirectory.SegmentNames;
import io.dstl.store.SegmentStore.DeletionOutcome;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * What the puts of a storage share: the store that they put to, the {@link PutRules}, and what is
 * known of their requests. Each put is a {@link PutRace}.
 *
 * <p>Opens and deletes segments too: by one call of the store, counted, not retried. {@link
 * OpenNames} repeats the deletion of a segment that a late request may store again.
 *
 * <p><b>Threading.</b> As {@link SegmentStore} says.
 */
public final class PutContext implements SegmentOpener, SegmentDeleter, AutoCloseable {

    // Used by the races.
    final SegmentStore store;
    final PutRules rules;
    final RequestQueue queue;
    final ScheduledExecutorService timer;
    final SegmentNames names;
    final LoserDeletion loserDeletion;
    final OpenNames openNames;
    final LosingRequests losers;
    final PutObserver observer;

    /**
     * @param timer must not block; after its shutdown no attempt follows a failed one
     * @param names of segments; a put takes one, or one for each request if puts do not replace
     * @param cleanups deletes what lost requests have stored; takes work until the last of them has
     *     ended, which may be long after the storage has been closed
     */
    public PutContext(
            SegmentStore store,
            PutRules rules,
            ScheduledExecutorService timer,
            SegmentNames names,
            Executor cleanups,
            PutObserver observer) {
        this.store = store;
        this.rules = rules;
        this.queue = new RequestQueue(rules.pace(), timer);
        this.timer = timer;
        this.names = names;
        this.loserDeletion = new LoserDeletion(this::discard, cleanups, timer);
        this.openNames = new OpenNames(loserDeletion::deleteNowAndLater);
        this.losers =
                new LosingRequests(
                        Math.max(1, store.maxPuts() / 2), rules.maxLosingBytes(), openNames, timer);
        this.observer = observer;
    }

    @Override
    public FSDataInputStream open(StreamStateHandle segment) throws IOException {
        observer.otherRequests(1);
        return store.open(segment);
    }

    /** Now, and once more later if a request that may store it again is still under way. */
    @Override
    public void delete(StreamStateHandle segment) throws IOException {
        openNames.condemnIfOpen(segment);
        observer.otherRequests(1);
        store.delete(segment);
    }

    @Override
    public int batchSize() {
        return store.batchSize();
    }

    @Override
    public Map<StreamStateHandle, IOException> deleteBatch(Collection<StreamStateHandle> segments) {
        segments.forEach(openNames::condemnIfOpen);
        DeletionOutcome<StreamStateHandle> outcome = store.deleteAll(segments);
        observer.otherRequests(outcome.requests());
        return outcome.failures();
    }

    private void discard(String name) throws IOException {
        observer.otherRequests(1);
        store.discard(name);
    }

    /**
     * Deletes at once what lost requests have stored and waits to be deleted. Ends no request. Call
     * this before the timer is shut down. Idempotent.
     */
    @Override
    public void close() {
        loserDeletion.close();
    }
}
