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

import io.dstl.store.RaceState.Attempt;
import io.dstl.store.SegmentStore.PutListener;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The state of one request of a {@link PutRace}, which sends it and hears of its progress. It waits
 * for its turn, begins, is answered or given up, and ends. Can be given up at any time, even before
 * its put has returned.
 *
 * <p><b>Threading.</b> Any thread.
 */
final class StoreRequest implements PutListener {

    private final PutRace race;
    private final Attempt attempt;
    private final boolean hedge;
    private final String name;
    private final CompletableFuture<Void> givenUp = new CompletableFuture<>();
    private final AtomicBoolean measured = new AtomicBoolean();
    private volatile boolean begun;
    private volatile long begunAt;

    private volatile boolean ended;

    private volatile boolean notStored;

    /** By itself, before it was given up. */
    private volatile boolean failed;

    /**
     * @param hedge whether it runs beside a late request
     * @param name that it stores to
     */
    StoreRequest(PutRace race, Attempt attempt, boolean hedge, String name) {
        this.race = race;
        this.attempt = attempt;
        this.hedge = hedge;
        this.name = name;
    }

    PutRace race() {
        return race;
    }

    Attempt attempt() {
        return attempt;
    }

    boolean isHedge() {
        return hedge;
    }

    String name() {
        return name;
    }

    boolean hasBegun() {
        return begun;
    }

    /** In ns. */
    long begunAt() {
        return begunAt;
    }

    boolean hasEnded() {
        return ended;
    }

    /**
     * Whether its object may be there, now or later: not if it never begins, or if the store has
     * said so. The first two in this order: one that is given up may begin and end between them.
     */
    boolean mayBeCarriedOut() {
        return (!ended || begun) && !notStored;
    }

    boolean isGivenUp() {
        return givenUp.isDone();
    }

    void giveUp() {
        givenUp.complete(null);
    }

    /** Runs when it is given up; now, if it was. */
    void whenGivenUp(Runnable action) {
        givenUp.thenRun(action);
    }

    /** It has failed by itself. */
    void fail() {
        failed = true;
    }

    boolean hasFailed() {
        return failed;
    }

    /** Whether it was given up after it had begun, and had not failed by then. */
    boolean wasAborted() {
        return begun && givenUp.isDone() && !failed;
    }

    /** Whether its time was not measured yet: it is measured once. */
    boolean takeMeasure() {
        return measured.compareAndSet(false, true);
    }

    @Override
    public void begun() {
        begunAt = race.now();
        begun = true;
        race.begun(this);
    }

    @Override
    public void progressed() {
        race.progressed(attempt);
    }

    @Override
    public void notStored() {
        notStored = true;
    }

    @Override
    public void ended() {
        ended = true;
        race.ended(this);
    }
}
