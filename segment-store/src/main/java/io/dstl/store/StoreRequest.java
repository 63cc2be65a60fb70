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

import io.dstl.store.SegmentStore.PutListener;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * One request of a {@link PutRace}: waits for its turn, is sent, is answered or given up, and ends.
 * Measures its time and notifies the race. Can be given up at any time, even before its put has
 * returned.
 *
 * <p><b>Threading.</b> Any thread.
 */
final class StoreRequest implements PutListener {

    private final PutContext context;
    private final PutRace race;
    private final RaceState.Attempt attempt;
    private final boolean hedge;
    private final String name;
    private final CompletableFuture<Void> givenUp = new CompletableFuture<>();
    private final AtomicBoolean measured = new AtomicBoolean();
    private volatile boolean begun;
    private volatile long begunAt;

    private volatile boolean ended;

    private volatile boolean notStored;

    /** Failed by itself, not given up. */
    private volatile boolean failed;

    /**
     * @param hedge whether it runs beside a late request
     * @param name that it stores to
     */
    StoreRequest(
            PutContext context,
            PutRace race,
            RaceState.Attempt attempt,
            boolean hedge,
            String name) {
        this.context = context;
        this.race = race;
        this.attempt = attempt;
        this.hedge = hedge;
        this.name = name;
    }

    RaceState.Attempt attempt() {
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

    /** Sends the request, now or in its turn. */
    void start() {
        if (context.queue.takesTurn(this)) {
            send();
        }
        givenUp.thenRun(this::endIfWaiting);
    }

    private void endIfWaiting() {
        if (context.queue.remove(this)) {
            ended();
        }
    }

    /**
     * Its turn has come. Never throws, since other requests wait behind it.
     *
     * @return whether it was sent: if not, it was given up just now, and uses no turn
     */
    boolean send() {
        if (race.isOver() || givenUp.isDone()) {
            ended();
            return false;
        }
        try {
            CompletableFuture<FileStateHandle> put = put();
            put.whenComplete((segment, error) -> race.orFail(() -> answered(segment, error)));
            givenUp.thenRun(() -> put.cancel(false));
        } catch (Throwable t) {
            // Out of memory. Nobody would hear of the answer.
            race.orFail(() -> race.failed(this, t));
        }
        return true;
    }

    private CompletableFuture<FileStateHandle> put() {
        try {
            return context.store.put(name, race.content(), this);
        } catch (Throwable t) {
            // Stores should not throw; nothing is under way then.
            ended();
            return CompletableFuture.failedFuture(t);
        }
    }

    private void answered(FileStateHandle segment, Throwable error) {
        if (error == null) {
            context.observer.requestStored(segment.getStateSize(), now() - begunAt);
            if (!givenUp.isDone()) {
                measure();
            }
            context.queue.answered(Optional.empty());
            race.succeeded(this, segment);
        } else if (!givenUp.isDone()) {
            failed = true;
            context.observer.requestFailed();
            context.queue.answered(Optional.of(error));
            race.failed(this, error);
        }
    }

    /** The request cannot wait any longer, and will not be sent. */
    void reject(Throwable cause) {
        ended();
        race.orFail(() -> race.failed(this, cause));
    }

    void giveUp() {
        givenUp.complete(null);
    }

    @Override
    public void begun() {
        begunAt = now();
        begun = true;
        context.observer.requestBegun();
        if (!hedge) {
            race.begun(attempt, begunAt);
        }
    }

    @Override
    public void progressed() {
        race.progressed(attempt, now());
    }

    @Override
    public void notStored() {
        notStored = true;
    }

    @Override
    public void ended() {
        ended = true;
        context.losers.ended(race, this);
        if (hedge) {
            context.rules.hedges().hedgeEnded();
        }
        if (begun && givenUp.isDone() && !failed) {
            measure();
        }
        race.ended(this);
    }

    /**
     * Reports the duration to the race, at the first call only. Called when the request has
     * succeeded, and when one that was given up has ended. Both may happen, in either order.
     *
     * <p>Requests that were given up count too. They are mostly the slow ones: without them the
     * times would look shorter than they are.
     */
    private void measure() {
        if (measured.compareAndSet(false, true)) {
            race.took(now() - begunAt);
        }
    }

    private long now() {
        return context.rules.retries().now();
    }
}
