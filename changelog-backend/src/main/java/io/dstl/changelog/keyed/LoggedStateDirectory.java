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

import io.dstl.changelog.delegate.DelegateSupport;
import io.dstl.changelog.record.ChangeRecorder;
import io.dstl.changelog.replay.BackgroundReplay;
import io.dstl.changelog.replay.RestoredStates;
import io.dstl.changelog.state.LoggedPriorityQueue;
import io.dstl.changelog.state.LoggedStates;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.internal.InternalKvState;

/**
 * The states of one keyed backend that the delegate keeps and the log tells of, restored ones
 * included.
 *
 * <p>Owns what has to happen when a state is registered (merges of a restored log are completed
 * with the user's function) and when a new part of the log begins (states are described anew, and
 * queues that the delegate leaves out of its snapshots have to be written in full).
 *
 * <p>Threading: the task thread.
 */
final class LoggedStateDirectory<K> {
    private final ChangeRecorder<K> recorder;
    private final LoggedStates<K> logged;
    private final RestoredStates<K> restored;
    private final boolean queuesLiveInLog;

    /** Present until the replay is known to be over. */
    private Optional<BackgroundReplay> background;

    /** The queues that are created when the replay is over. */
    private final List<AwaitedQueue<?>> awaited = new ArrayList<>();

    private final Set<String> names = new TreeSet<>();

    LoggedStateDirectory(
            AbstractKeyedStateBackend<K> delegate,
            ChangeRecorder<K> recorder,
            RestoredStates<K> restored,
            Optional<BackgroundReplay> background) {
        this.background = requireNonNull(background);
        this.recorder = requireNonNull(recorder);
        this.logged = new LoggedStates<>(recorder, DelegateSupport.get().writers());
        this.restored = requireNonNull(restored);
        this.queuesLiveInLog = leavesQueuesOut(delegate);
        if (!background.isPresent()) {
            adoptQueues();
        }
    }

    /**
     * Waits until the delegate has all of the restored log: before it is read, changed, or a
     * snapshot of it is taken.
     *
     * @throws org.apache.flink.util.FlinkRuntimeException if the log can't be replayed
     * @throws org.apache.flink.runtime.execution.CancelTaskException if the task is cancelled
     */
    void awaitReplay() {
        if (background.isPresent() && background.get().awaitEnd()) {
            adoptQueues();
            awaited.forEach(AwaitedQueue::create);
            // Last: what creating them fails with, it fails with each time.
            awaited.clear();
            background = Optional.empty();
        }
    }

    /**
     * Makes the delegate know the schemas of the restored log. Call it before a snapshot of a
     * delegate that has all of that log.
     */
    void settle() {
        restored.settleQueues(names);
    }

    /** Completes with the same result, once the delegate has all of the restored log. */
    <T> CompletableFuture<T> afterReplay(CompletableFuture<T> result) {
        return background.isPresent() ? background.get().after(result) : result;
    }

    /** Waits before a state is registered, if that would touch what the delegate has of it. */
    void awaitReplay(TypeSerializer<?> namespaces, StateDescriptor<?, ?> descriptor) {
        if (background.isPresent() && !background.get().mayRegister(namespaces, descriptor)) {
            awaitReplay();
        }
    }

    /** True of RocksDB with timers on the heap: Flink writes those into raw keyed state instead. */
    private static boolean leavesQueuesOut(AbstractKeyedStateBackend<?> delegate) {
        return delegate.requiresLegacySynchronousTimerSnapshots(CheckpointType.CHECKPOINT);
    }

    /** The state that logs for the one that the delegate has just created or updated. */
    @SuppressWarnings("unchecked") // Every state of a keyed backend is internal, and keyed by K.
    <N, SV, S extends State, IS extends S> IS keyValue(
            StateDescriptor<S, SV> descriptor, IS ofDelegate) throws Exception {
        names.add(descriptor.getName());
        restored.resolveMerges(descriptor, (InternalKvState<K, ?, ?>) ofDelegate);
        return logged.keyValue(descriptor, ofDelegate);
    }

    /**
     * The queue that logs for one of the delegate.
     *
     * @param create creates or updates that; while the log is replayed it is put off until the
     *     queue is used, as RocksDB's do not see what is written beside them
     */
    <T extends Keyed<?>> KeyGroupedInternalPriorityQueue<T> queue(
            String name,
            TypeSerializer<T> elementSerializer,
            Supplier<KeyGroupedInternalPriorityQueue<T>> create) {
        if (background.isPresent() && !background.get().mayCreateLater(name, elementSerializer)) {
            awaitReplay();
        }
        names.add(name);
        if (!background.isPresent()) {
            restored.beforeQueue(name, elementSerializer);
            return logged.queue(name, elementSerializer, create.get());
        }
        AwaitedQueue<T> queue =
                new AwaitedQueue<>(
                        name,
                        elementSerializer,
                        new Awaited(background.get()),
                        () -> {
                            restored.beforeQueue(name, elementSerializer);
                            KeyGroupedInternalPriorityQueue<T> ofDelegate = create.get();
                            logged.queue(name, elementSerializer, ofDelegate);
                            return ofDelegate;
                        });
        awaited.add(queue);
        return logged.queue(name, elementSerializer, queue);
    }

    /**
     * Adopts the queues of the log, so that what the delegate leaves out of its snapshots is kept.
     */
    private void adoptQueues() {
        if (queuesLiveInLog) {
            restored.queues().values().stream()
                    .filter(queue -> !names.contains(queue.name()))
                    .forEach(this::adopt);
        }
    }

    /** The names of all states and queues that were registered. */
    Set<String> names() {
        return names;
    }

    @SuppressWarnings("unchecked") // The delegate made the queue, so its elements have a key.
    private <T extends Keyed<?>> void adopt(RestoredStates.Queue<?> restoredQueue) {
        RestoredStates.Queue<T> queue = (RestoredStates.Queue<T>) restoredQueue;
        logged.queue(queue.name(), queue.serializer(), queue.content());
    }

    /** Whether the delegate's content is all there is: no merge waits for the user's function. */
    boolean complete() {
        return restored.statesWithDeferredMerges().isEmpty();
    }

    /** Why no snapshot of the delegate can take the place of the restored log yet. */
    IllegalStateException incomplete() {
        return new IllegalStateException(
                "The checkpoint that this job was restored from holds merges of windows in "
                        + restored.statesWithDeferredMerges()
                        + ", which need the user's function, and the job has not registered these"
                        + " states yet. A savepoint or full checkpoint would lose them: take it"
                        + " once they have been used, or restore in CLAIM mode at the parallelism of"
                        + " that checkpoint.");
    }

    /**
     * Whether the delegate leaves priority queues out of its snapshots, so that the log has all.
     */
    boolean queuesLiveInLog() {
        return queuesLiveInLog;
    }

    /**
     * @throws IllegalStateException if a change is in the delegate and not in the log
     */
    void checkLogged() {
        recorder.checkComplete();
    }

    /**
     * Begins a part of the log that can be replayed on top of a snapshot of the delegate alone,
     * once {@link #rewriteQueues} has ended.
     */
    void startLog() {
        recorder.startNewRound();
    }

    /** Rewrites the queues that the delegate leaves out of its snapshots, if there are any. */
    QueueRewrite rewriteQueues() {
        QueueRewrite rewrite = new QueueRewrite();
        if (queuesLiveInLog) {
            logged.queues().forEach(queue -> rewrite.queues.add(queue.rewrite()));
        }
        return rewrite;
    }

    /** The replay that a queue of the delegate waits for before it is created. */
    private final class Awaited implements AwaitedQueue.Replay {
        private final BackgroundReplay replay;

        Awaited(BackgroundReplay replay) {
            this.replay = replay;
        }

        @Override
        public boolean isOver() {
            return replay.isOver();
        }

        @Override
        public void await() {
            awaitReplay();
        }

        @Override
        public long nowMillis() {
            return SystemScheduler.clock().absoluteTimeMillis();
        }
    }

    /** Writes queues into the log part by part, between which they and all else may change. */
    static final class QueueRewrite {
        private final Deque<LoggedPriorityQueue<?>.Rewrite> queues = new ArrayDeque<>();

        private QueueRewrite() {}

        /**
         * Writes the next part, about a millisecond's work.
         *
         * @return false when nothing is left
         */
        boolean next() throws IOException {
            while (!queues.isEmpty()) {
                if (queues.peek().next()) {
                    return true;
                }
                queues.remove();
            }
            return false;
        }

        void finish() throws IOException {
            while (next()) {}
        }
    }
}
