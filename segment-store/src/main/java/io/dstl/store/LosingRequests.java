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
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests that still run beside a winner with the same name. {@link PutRace} says why they are
 * left to end. But each holds a connection and its segment's bytes, and one that hangs holds them
 * until the store's own timeout. So their number and bytes are bounded: above a bound, those that
 * lost first are aborted. The store may still carry out an aborted request, so its name counts as
 * open for {@link OrphanDeletion#STRAY_REQUEST} more.
 *
 * <p><b>Threading.</b> Any thread. No request is aborted under the lock.
 */
final class LosingRequests {

    private static final Logger LOG = LoggerFactory.getLogger(LosingRequests.class);

    private final int maxRequests;
    private final long maxBytes;
    private final OpenNames openNames;
    private final ScheduledExecutorService timer;

    /** With the bytes of each, in the order in which they lost. */
    @GuardedBy("this")
    private final Map<StoreRequest, Long> running = new LinkedHashMap<>();

    @GuardedBy("this")
    private long bytes;

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

    /** Its race is decided, and it may run to its end. {@link #ended} may have been called. */
    void add(StoreRequest request) {
        for (StoreRequest tooMany : addAndTakeTooMany(request)) {
            abort(tooMany);
        }
    }

    private void abort(StoreRequest request) {
        String name = request.name();
        LOG.debug("Aborting a late request for {}, which another one has stored", name);
        openNames.started(name);
        try {
            timer.schedule(
                    () -> openNames.ended(name),
                    OrphanDeletion.STRAY_REQUEST.toNanos(),
                    TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            openNames.ended(name);
        }
        request.giveUp();
    }

    private synchronized List<StoreRequest> addAndTakeTooMany(StoreRequest request) {
        List<StoreRequest> tooMany = new ArrayList<>();
        if (request.hasEnded()) {
            return tooMany;
        }
        running.put(request, request.expectedBytes());
        bytes += request.expectedBytes();
        Iterator<Map.Entry<StoreRequest, Long>> first = running.entrySet().iterator();
        while (running.size() > maxRequests || bytes > maxBytes) {
            Map.Entry<StoreRequest, Long> oldest = first.next();
            tooMany.add(oldest.getKey());
            bytes -= oldest.getValue();
            first.remove();
        }
        return tooMany;
    }

    /** A request has ended, one of these or another. Its {@link StoreRequest#hasEnded} is true. */
    synchronized void ended(StoreRequest request) {
        Long its = running.remove(request);
        if (its != null) {
            bytes -= its;
        }
    }
}
