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
import io.dstl.store.SegmentStore.Naming;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;
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
    final LosingRequests losers;
    final PutObserver observer;

    /** Whether all requests of a put store to the same name. */
    final boolean sharesNames;

    private final LoserDeletion loserDeletion;
    private final OpenNames openNames;

    /**
     * @param timer must not block; after its shutdown no attempt follows a failed one
     * @param names of segments; a put takes one, or one for each request if puts do not replace
     */
    public PutContext(
            SegmentStore store,
            PutRules rules,
            ScheduledExecutorService timer,
            SegmentNames names,
            Cleanups cleanups,
            PutObserver observer) {
        this.store = store;
        this.rules = rules;
        this.queue = new RequestQueue(rules.pace, timer);
        this.timer = timer;
        this.names = names;
        this.sharesNames = store.naming() == Naming.REPLACES;
        this.loserDeletion = new LoserDeletion(this::discard, cleanups);
        this.openNames = new OpenNames(loserDeletion::deleteNowAndLater);
        this.losers =
                new LosingRequests(
                        Math.max(1, store.maxPuts() / 2),
                        rules.maxLosingBytes,
                        openNames,
                        cleanups.timer);
        this.observer = observer;
    }

    /** A request is about to be sent; {@link #ended} follows. */
    void started(String name) {
        if (sharesNames) {
            openNames.started(name);
        }
    }

    void ended(String name) {
        if (sharesNames) {
            openNames.ended(name);
        }
    }

    /**
     * If they share their name with the winner: those that have begun. The others were given up,
     * and may yet begin at this moment.
     */
    void leaveToEnd(PutRace race, StoreRequest winner) {
        if (sharesNames) {
            losers.add(
                    race,
                    race.state().requests(true).stream()
                            .filter(request -> request != winner && request.mayBeCarriedOut())
                            .collect(Collectors.toList()));
        }
    }

    /**
     * Nobody will refer to what the put stores. Unless the store has said of each request that it
     * stores nothing: a store that asks for fewer would get several deletions for each put that it
     * throttles.
     */
    void condemnIfShared(PutRace race) {
        if (sharesNames
                && race.state().requests(true).stream().anyMatch(StoreRequest::mayBeCarriedOut)) {
            openNames.condemn(race.name());
        }
    }

    /** The segment was stored too late for anybody to refer to it. */
    void deleteUnlessShared(StoreRequest late) {
        if (!sharesNames) {
            loserDeletion.delete(late.name());
        }
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
     * Deletes at once what lost requests have stored and waits for another attempt. Ends no
     * request; what one stores later is deleted later. Idempotent.
     */
    @Override
    public void close() {
        loserDeletion.close();
    }
}
