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
package io.dstl.changelog.keyed;

import static java.util.Objects.requireNonNull;

import java.util.Collection;
import java.util.Set;
import java.util.function.Supplier;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.util.CloseableIterator;

/**
 * Stands in for a queue of the delegate until the restored log has been replayed. Each use waits
 * for the end of the replay, and then lets the delegate create the queue.
 *
 * <p>One use does not wait. Before the task runs, a timer service looks at the first
 * processing-time timer, to be called when that is due, and looks again when it is called (Flink's
 * {@code InternalTimerServiceImpl}). During the replay, this queue shows it a timer that is due
 * soon. So the service looks again and again, without waiting, until it finds the real one.
 *
 * <p>Threading: the task thread.
 */
final class AwaitedQueue<T extends Keyed<?>> implements KeyGroupedInternalPriorityQueue<T> {
    /** The prefix of Flink's {@code InternalTimeServiceManagerImpl} for these queues. */
    private static final String PROCESSING_TIME_TIMERS = "_timer_state/processing_";

    /** A timer service learns of its timers at most this long after the end of the replay. */
    private static final long NEXT_LOOK_MILLIS = 20;

    private final Replay replay;
    private final Supplier<KeyGroupedInternalPriorityQueue<T>> create;
    private final boolean isLookedAtByTimerService;
    private long shownMillis;
    @Nullable private KeyGroupedInternalPriorityQueue<T> created;

    /** The replay that the queue waits for. */
    interface Replay {
        boolean isOver();

        /** Returns when the replay has ended and has called {@link #create()} of this queue. */
        void await();

        /** The time of the clock that timers use. */
        long nowMillis();
    }

    /**
     * @param create lets the delegate create the queue, and switches the users of this one to it
     */
    AwaitedQueue(
            String name,
            TypeSerializer<T> elements,
            Replay replay,
            Supplier<KeyGroupedInternalPriorityQueue<T>> create) {
        this.replay = requireNonNull(replay);
        this.create = requireNonNull(create);
        this.isLookedAtByTimerService =
                elements instanceof TimerSerializer && name.startsWith(PROCESSING_TIME_TIMERS);
    }

    /** Call this when the replay has ended. Only the first call counts. */
    void create() {
        if (created == null) {
            created = create.get();
        }
    }

    private KeyGroupedInternalPriorityQueue<T> queue() {
        if (created == null) {
            replay.await();
            create();
        }
        return created;
    }

    @Nullable
    @Override
    @SuppressWarnings("unchecked") // The serializer is the one of such timers.
    public T peek() {
        if (isLookedAtByTimerService && created == null && !replay.isOver()) {
            // Later than the last one, even if the clock was set back: so it is never due.
            shownMillis = Math.max(shownMillis + 1, replay.nowMillis() + NEXT_LOOK_MILLIS);
            return (T) new TimerHeapInternalTimer<>(shownMillis, "any", "any");
        }
        return queue().peek();
    }

    @Nullable
    @Override
    public T poll() {
        return queue().poll();
    }

    @Override
    public boolean add(@Nonnull T element) {
        return queue().add(element);
    }

    @Override
    public void addAll(@Nullable Collection<? extends T> elements) {
        queue().addAll(elements);
    }

    @Override
    public boolean remove(@Nonnull T element) {
        return queue().remove(element);
    }

    @Override
    public boolean isEmpty() {
        return queue().isEmpty();
    }

    @Override
    public int size() {
        return queue().size();
    }

    @Nonnull
    @Override
    public Set<T> getSubsetForKeyGroup(int keyGroup) {
        return queue().getSubsetForKeyGroup(keyGroup);
    }

    @Nonnull
    @Override
    public CloseableIterator<T> iterator() {
        return queue().iterator();
    }
}
