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

import io.dstl.store.SegmentDirectory.SegmentNames;
import io.dstl.store.SegmentStore.DeletionOutcome;
import io.dstl.store.SegmentStore.Naming;
import io.dstl.store.SegmentStore.PutListener;
import io.dstl.store.SegmentStore.SegmentContent;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * A store whose puts are reliable: each is a race of requests to the store below, by the {@link
 * PutRules}, which the first success wins. {@link PutRace} has the order of events of one put.
 *
 * <p>Only puts are retried; opening and deleting are one call of the store below, counted. All
 * requests of a put store to one name if a put replaces ({@link Naming#REPLACES}); if not, each
 * further one has its own name, and what a loser stores is deleted. {@link OpenNames} keeps a
 * request that ends late from leaving an object.
 *
 * <p><b>Threading.</b> As {@link SegmentStore} says; the thread of the timer or of an answer starts
 * further requests.
 */
public final class PutEngine implements SegmentStore, AutoCloseable {

    // Used by the races too.
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
     * @param names for further requests, if each needs its own
     * @param cleanups deletes what lost requests have stored; takes work until the last of them has
     *     ended, which may be long after the storage has been closed
     */
    public PutEngine(
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
    public Naming naming() {
        return store.naming();
    }

    @Override
    public int maxPuts() {
        return store.maxPuts();
    }

    /** Completes on the thread that stored the segment, or on the timer's at the last timeout. */
    @Override
    public CompletableFuture<FileStateHandle> put(
            String name, SegmentContent content, PutListener listener) {
        return new PutRace(this, name, content, listener).start();
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
    public DeletionOutcome<StreamStateHandle> deleteAll(Collection<StreamStateHandle> segments) {
        segments.forEach(openNames::condemnIfOpen);
        DeletionOutcome<StreamStateHandle> outcome = store.deleteAll(segments);
        observer.otherRequests(outcome.requests());
        return outcome;
    }

    @Override
    public void discard(String name) throws IOException {
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
