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
package io.dstl.changelog.replay;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.BulkState;
import io.dstl.changelog.bulk.RawState;
import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.schema.SchemaHistory.Standing;
import io.dstl.changelog.state.ChangeApplier;
import io.dstl.changelog.state.QueueApplier;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;

/**
 * Creates the delegate's priority queues that the log names, and replays in bulk those that RocksDB
 * keeps.
 *
 * <p>A queue of RocksDB caches RocksDB's content and does not see writes that bypass it. So the
 * queue is created, or created anew, when the bulk replay has ended. The first change that has to
 * go through a queue ends the bulk replay for good: a queue keeps its writes in a batch of the
 * delegate, and they would come after later bulk writes. A queue that RocksDB already has can be
 * written to before it is created. Creating it takes long, and the task does that anyway.
 *
 * <p>Used only by the thread that replays.
 */
final class QueueAppliers {
    private static final String UNVERIFIED =
            "a part of its log was not verified, or not written by dstl's backend";

    private final AbstractKeyedStateBackend<?> delegate;
    private final BulkReplay bulk;
    private final ReplayLeftovers<?> leftovers;

    /** The newest queue in bulk by name; empty for a queue that is not in bulk, or no longer. */
    private final Map<String, Optional<InBulk<?>>> queues = new HashMap<>();

    QueueAppliers(
            AbstractKeyedStateBackend<?> delegate, BulkReplay bulk, ReplayLeftovers<?> leftovers) {
        this.delegate = delegate;
        this.bulk = bulk;
        this.leftovers = leftovers;
    }

    ChangeApplier bind(StateMetadata metadata, Standing standing) throws IOException {
        Optional<InBulk<?>> former = queues.getOrDefault(metadata.name(), Optional.empty());
        if (standing == Standing.CURRENT && former.isPresent() && former.get().isCurrent) {
            return former.get().applier;
        }
        return create(metadata, standing);
    }

    private <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            ChangeApplier create(StateMetadata metadata, Standing standing) throws IOException {
        bulk.write();
        String name = metadata.name();
        TypeSerializer<T> elements =
                new RegisteredPriorityQueueStateBackendMetaInfo<T>(metadata.snapshot())
                        .getElementSerializer();
        QueueApplier<T> throughQueue =
                new QueueApplier<>(
                        name,
                        creation(delegate, name, elements),
                        elements,
                        delegate.getNumberOfKeyGroups());
        leftovers.put(new ReplayLeftovers.Queue<>(name, throughQueue::queue, elements));
        Optional<BulkState> opened = open(name, throughQueue, elements);
        if (!opened.isPresent()) {
            throughQueue.queue();
            queues.put(name, Optional.empty());
            return throughQueue;
        }
        BulkAppliers.Applier applier =
                new BulkAppliers.Applier(
                        name, bulk, opened.get(), throughQueue::check, throughQueue);
        queues.put(
                name, Optional.of(new InBulk<>(throughQueue, applier, standing != Standing.PAST)));
        return applier;
    }

    /** Static, as it outlives the objects of the replay. */
    private static <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            Supplier<KeyGroupedInternalPriorityQueue<T>> creation(
                    AbstractKeyedStateBackend<?> delegate,
                    String name,
                    TypeSerializer<T> elements) {
        return () -> delegate.create(name, elements, true);
    }

    private Optional<BulkState> open(
            String name, QueueApplier<?> throughQueue, TypeSerializer<?> elements) {
        if (!bulk.isEnabled()) {
            return Optional.empty();
        }
        Optional<RawState> raw = DelegateSupport.get().rawQueue(delegate, name, elements);
        String reason = "";
        if (!raw.isPresent()) {
            reason = "it is a " + throughQueue.queue().getClass().getName();
            raw = DelegateSupport.get().rawQueue(delegate, name, elements);
        }
        if (raw.isPresent()) {
            boolean wasEnded = queues.containsKey(name) && !queues.get(name).isPresent();
            if (wasEnded || bulk.isPaused()) {
                reason = UNVERIFIED;
            } else {
                Optional<BulkState> opened = bulk.open(raw.get());
                if (opened.isPresent()) {
                    return opened;
                }
                reason = "too many states were registered";
            }
        }
        bulk.leaveOut(name, reason);
        return Optional.empty();
    }

    /** From now on changes go through the queues. The changes added in bulk are written. */
    void end() {
        queues.replaceAll(
                (name, queue) -> {
                    queue.ifPresent(InBulk::end);
                    return Optional.empty();
                });
    }

    /** Makes the queues see the changes that were added in bulk and written. */
    void complete() {
        queues.values().forEach(queue -> queue.ifPresent(InBulk::renew));
    }

    private static final class InBulk<T extends Keyed<?>> {
        private final QueueApplier<T> throughQueue;
        private final BulkAppliers.Applier applier;
        private final boolean isCurrent;

        InBulk(QueueApplier<T> throughQueue, BulkAppliers.Applier applier, boolean isCurrent) {
            this.throughQueue = throughQueue;
            this.applier = applier;
            this.isCurrent = isCurrent;
        }

        void renew() {
            throughQueue.renew();
        }

        void end() {
            renew();
            applier.end(UNVERIFIED);
        }
    }
}
