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

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests that still run beside a winner with the same name. {@link PutRace} says why they are
 * left to end. But each holds a connection and its segment's bytes, and one that hangs holds them
 * until the store's own timeout. So their number and bytes are bounded: above a bound, those of the
 * races that were decided first are aborted, and those of a segment above the bound at once.
 *
 * <p>The store may still carry out an aborted request. So its name is {@link OpenNames#strays open}
 * for {@link LoserDeletion#STRAY_REQUEST} more.
 *
 * <p><b>Threading.</b> Any thread. No request is aborted under the lock.
 */
final class LosingRequests {

    private static final Logger LOG = LoggerFactory.getLogger(LosingRequests.class);

    private final int maxRequests;
    private final long maxBytes;
    private final OpenNames openNames;
    private final ScheduledExecutorService timer;

    /** By race, in the order of their decisions. */
    @GuardedBy("this")
    private final Map<PutRace, Losers> running = new LinkedHashMap<>();

    @GuardedBy("this")
    private int requests;

    @GuardedBy("this")
    private long bytes;

    /** Of one race: they share the bytes. */
    private static final class Losers {
        private final long bytes;
        private final Set<StoreRequest> running = new HashSet<>();

        private Losers(long bytes) {
            this.bytes = bytes;
        }
    }

    /**
     * @param maxRequests inclusive
     * @param maxBytes inclusive
     * @param timer after its shutdown the name of an aborted request is not open any more
     */
    LosingRequests(
            int maxRequests, long maxBytes, OpenNames openNames, ScheduledExecutorService timer) {
        this.maxRequests = maxRequests;
        this.maxBytes = maxBytes;
        this.openNames = openNames;
        this.timer = timer;
    }

    /**
     * The race is decided.
     *
     * @param losers may have ended by now; those that are given up may begin
     */
    void add(PutRace race, List<StoreRequest> losers) {
        losers.stream().filter(StoreRequest::isGivenUp).forEach(this::mayStray);
        for (StoreRequest tooMany : addAndTakeTooMany(race, losers)) {
            LOG.debug("Aborting a late put of {}, which another one has stored", tooMany.name());
            mayStray(tooMany);
            tooMany.giveUp();
        }
    }

    private void mayStray(StoreRequest request) {
        String name = request.name();
        openNames.strays(name);
        try {
            timer.schedule(
                    () -> openNames.straysNoMore(name),
                    LoserDeletion.STRAY_REQUEST.toNanos(),
                    TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            openNames.straysNoMore(name);
        }
    }

    private synchronized List<StoreRequest> addAndTakeTooMany(
            PutRace race, List<StoreRequest> losers) {
        Losers added = new Losers(race.content().expectedBytes());
        losers.stream()
                .filter(request -> !request.hasEnded() && !request.isGivenUp())
                .forEach(added.running::add);
        if (!added.running.isEmpty()) {
            running.put(race, added);
            requests += added.running.size();
            bytes += added.bytes;
        }
        List<StoreRequest> tooMany = new ArrayList<>();
        Iterator<Losers> oldest = running.values().iterator();
        while (requests > maxRequests || bytes > maxBytes) {
            Losers aborted = oldest.next();
            tooMany.addAll(aborted.running);
            requests -= aborted.running.size();
            bytes -= aborted.bytes;
            oldest.remove();
        }
        return tooMany;
    }

    /** A request has ended, one of these or another. Its {@link StoreRequest#hasEnded} is true. */
    synchronized void ended(PutRace race, StoreRequest request) {
        Losers losers = running.get(race);
        if (losers != null && losers.running.remove(request)) {
            requests--;
            if (losers.running.isEmpty()) {
                running.remove(race);
                bytes -= losers.bytes;
            }
        }
    }
}
