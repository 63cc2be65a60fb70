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
import io.dstl.changelog.replay.ReplayLeftovers;
import io.dstl.changelog.state.LoggedPriorityQueue;
import io.dstl.changelog.state.LoggedStates;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.apache.flink.runtime.checkpoint.CheckpointType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * The states of one keyed backend that the delegate keeps and the log describes, restored ones
 * included.
 *
 * <p>Owns what happens when a state is registered (the user's function completes merges of a
 * restored log) and when a new part of the log begins (the log describes the states anew, and gets
 * in full the queues that the delegate leaves out of its snapshots).
 *
 * <p>Threading: the task thread.
 */
final class LoggedStateDirectory<K> {
    private final ChangeRecorder<K> recorder;
    private final LoggedStates<K> logged;
    private final ReplayLeftovers<K> leftovers;
    private final boolean queuesLiveInLog;

    /** Present until the replay is known to have ended. */
    private Optional<BackgroundReplay> background;

    /** The queues to create once the replay has ended. */
    private final List<AwaitedQueue<?>> awaited = new ArrayList<>();

    /** Of states that may have grown by the end of the replay, by name. */
    private final Map<String, ThrowingRunnable<Exception>> registrations = new LinkedHashMap<>();

    private Optional<FlinkRuntimeException> failedRegistration = Optional.empty();

    private final Set<String> names = new TreeSet<>();

    LoggedStateDirectory(
            AbstractKeyedStateBackend<K> delegate,
            ChangeRecorder<K> recorder,
            ReplayLeftovers<K> leftovers,
            Optional<BackgroundReplay> background) {
        this.background = requireNonNull(background);
        this.recorder = requireNonNull(recorder);
        this.logged = new LoggedStates<>(recorder, DelegateSupport.get().writers());
        this.leftovers = requireNonNull(leftovers);
        this.queuesLiveInLog = leavesQueuesOut(delegate);
        if (!background.isPresent()) {
            adoptQueues();
        }
    }

    /** Whether {@link #awaitReplay} would wait. */
    boolean isReplaying() {
        return background.isPresent() && !background.get().isOver();
    }

    /**
     * Waits until the delegate has all of the restored log. Call it before the delegate is read or
     * changed, or a snapshot of it is taken.
     *
     * @throws org.apache.flink.util.FlinkRuntimeException if the log can't be replayed
     * @throws org.apache.flink.runtime.execution.CancelTaskException if the task is cancelled
     */
    void awaitReplay() {
        if (background.isPresent() && background.get().awaitEnd()) {
            adoptQueues();
            awaited.forEach(AwaitedQueue::create);
            repeatRegistrations();
            // Last: if creating a queue fails, it fails at each call.
            awaited.clear();
            background = Optional.empty();
        }
    }

    /** Each once: Flink refuses one again that has failed, and only its first failure says why. */
    private void repeatRegistrations() {
        if (failedRegistration.isPresent()) {
            throw failedRegistration.get();
        }
        while (!registrations.isEmpty()) {
            String state = registrations.keySet().iterator().next();
            try {
                registrations.remove(state).run();
            } catch (Exception e) {
                failedRegistration = Optional.of(new FlinkRuntimeException(e.getMessage(), e));
                throw failedRegistration.get();
            }
        }
    }

    /**
     * Gives the delegate the schemas of the restored log. Call it before a snapshot of a delegate
     * that has all of that log.
     */
    void settle() {
        leftovers.settleQueues(names);
    }

    /** Completes with the same result, once the delegate has all of the restored log. */
    <T> CompletableFuture<T> afterReplay(CompletableFuture<T> result) {
        return background.isPresent() ? background.get().after(result) : result;
    }

    /** Waits for the replay if registering the state would touch the delegate's content of it. */
    void awaitReplay(TypeSerializer<?> namespaces, StateDescriptor<?, ?> descriptor) {
        if (background.isPresent() && !background.get().mayRegister(namespaces, descriptor)) {
            awaitReplay();
        }
    }

    /** Whether a registration now has to be repeated once the replay has ended. */
    boolean mayGrow(String state) {
        return background.isPresent() && background.get().mayGrow(state);
    }

    /**
     * @param registration repeated once the replay has ended
     */
    void registerAgain(String state, ThrowingRunnable<Exception> registration) {
        registrations.put(state, registration);
    }

    /** True for RocksDB with heap timers: Flink writes these into raw keyed state instead. */
    private static boolean leavesQueuesOut(AbstractKeyedStateBackend<?> delegate) {
        return delegate.requiresLegacySynchronousTimerSnapshots(CheckpointType.CHECKPOINT);
    }

    /** The logging state around the one that the delegate has just created or updated. */
    @SuppressWarnings("unchecked") // Every state of a keyed backend is internal, and keyed by K.
    <N, SV, S extends State, IS extends S> IS keyValue(
            StateDescriptor<S, SV> descriptor, IS ofDelegate) throws Exception {
        names.add(descriptor.getName());
        leftovers.resolveMerges(descriptor, (InternalKvState<K, ?, ?>) ofDelegate);
        return logged.keyValue(descriptor, ofDelegate);
    }

    /**
     * The logging queue around a queue of the delegate.
     *
     * @param create creates or updates the delegate's queue; deferred during a replay until the
     *     queue is used, as queues of RocksDB do not see writes that bypass them
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
            leftovers.beforeQueue(name, elementSerializer);
            return logged.queue(name, elementSerializer, create.get());
        }
        AwaitedQueue<T> queue =
                new AwaitedQueue<>(
                        name,
                        elementSerializer,
                        new Awaited(background.get()),
                        () -> {
                            leftovers.beforeQueue(name, elementSerializer);
                            KeyGroupedInternalPriorityQueue<T> ofDelegate = create.get();
                            logged.queue(name, elementSerializer, ofDelegate);
                            return ofDelegate;
                        });
        awaited.add(queue);
        return logged.queue(name, elementSerializer, queue, queuesLiveInLog);
    }

    /**
     * Adopts the queues of the log, to keep those that the delegate leaves out of its snapshots.
     */
    private void adoptQueues() {
        if (queuesLiveInLog) {
            leftovers.queues().values().stream()
                    .filter(queue -> !names.contains(queue.name()))
                    .forEach(this::adopt);
        }
    }

    /** The names of all registered states and queues. */
    Set<String> names() {
        return names;
    }

    @SuppressWarnings("unchecked") // The delegate made the queue, so its elements have a key.
    private <T extends Keyed<?>> void adopt(ReplayLeftovers.Queue<?> restoredQueue) {
        ReplayLeftovers.Queue<T> queue = (ReplayLeftovers.Queue<T>) restoredQueue;
        logged.queue(queue.name(), queue.serializer(), queue.content());
    }

    /** Whether the delegate has the whole content: no merge waits for the user's function. */
    boolean complete() {
        return leftovers.statesWithDeferredMerges().isEmpty();
    }

    /**
     * Why a snapshot of the delegate cannot replace the restored log yet. Its cause tells Flink not
     * to count it against the failures that the job tolerates.
     */
    IllegalStateException incomplete() {
        return new IllegalStateException(
                "The checkpoint that this job was restored from holds merges of windows in "
                        + leftovers.statesWithDeferredMerges()
                        + ", which need the user's function, and the job has not registered these"
                        + " states yet. A savepoint or full checkpoint would lose them: take it"
                        + " once they have been used, or restore in CLAIM mode at the parallelism of"
                        + " that checkpoint.",
                new CheckpointException(
                        CheckpointFailureReason.CHECKPOINT_DECLINED_TASK_NOT_READY));
    }

    /**
     * Whether the delegate leaves priority queues out of its snapshots, so the log has to hold all.
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
     * once the rewrite of {@link #rewriteQueues} has ended.
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

    /** The replay that a queue waits for before the delegate creates it. */
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

    /** Writes queues into the log part by part. Between parts, queues and states may change. */
    static final class QueueRewrite {
        private final Deque<LoggedPriorityQueue<?>.Rewrite> queues = new ArrayDeque<>();

        private QueueRewrite() {}

        /**
         * Writes the next part, about a millisecond's work.
         *
         * @return false if no part is left
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
