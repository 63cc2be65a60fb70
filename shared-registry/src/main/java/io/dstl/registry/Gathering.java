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
package io.dstl.registry;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Holds deletions until they fill a request, or the first of them has waited for the time of the
 * {@link DeletionSchedule}.
 *
 * <p><b>Close.</b> Held deletions go at once; later ones go at once too, each by itself.
 *
 * <p><b>Threading.</b> Any thread. Batches are handed over on the thread of the caller or of the
 * timer, without the lock.
 */
final class Gathering<T> {

    private final DeletionSchedule schedule;
    private final Consumer<List<T>> batches;

    @GuardedBy("this")
    private List<T> gathered = new ArrayList<>();

    /** Hands over the gathered deletions; present while there are any. */
    @GuardedBy("this")
    private Optional<Future<?>> end = Optional.empty();

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param batches takes each batch, of one or more; does not block
     */
    Gathering(DeletionSchedule schedule, Consumer<List<T>> batches) {
        this.schedule = schedule;
        this.batches = batches;
    }

    /**
     * @param batchSize at which a batch is full; at least 1
     */
    void add(T deletion, int batchSize) {
        List<T> batch;
        synchronized (this) {
            gathered.add(deletion);
            if (gathered.size() < batchSize && !closed && hasEnd()) {
                return;
            }
            batch = take();
        }
        batches.accept(batch);
    }

    @GuardedBy("this")
    private boolean hasEnd() {
        if (!end.isPresent()) {
            try {
                end = schedule.afterGathering(this::handOver);
            } catch (Throwable t) {
                // The timer is shut down, or has no thread: the deletion waits for no others.
                return false;
            }
        }
        return end.isPresent();
    }

    private void handOver() {
        List<T> batch;
        synchronized (this) {
            batch = take();
        }
        if (!batch.isEmpty()) {
            batches.accept(batch);
        }
    }

    @GuardedBy("this")
    private List<T> take() {
        List<T> batch = gathered;
        gathered = new ArrayList<>();
        end.ifPresent(scheduled -> scheduled.cancel(false));
        end = Optional.empty();
        return batch;
    }

    /** Idempotent. */
    void close() {
        synchronized (this) {
            closed = true;
        }
        handOver();
    }
}
