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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RunnableFuture;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;

/**
 * Snapshots by checkpoint, between their barriers and their ends. Whoever waits for a snapshot runs
 * what is asynchronous of it, or threads do.
 */
final class TriggeredSnapshots {
    private final Map<Long, List<RunnableFuture<SnapshotResult<KeyedStateHandle>>>> snapshots =
            new TreeMap<>();
    private final Map<Long, List<CompletableFuture<Void>>> runs = new TreeMap<>();
    private Optional<Executor> threads = Optional.empty();

    /** These threads run snapshots from now on, as a task's do. */
    void runOn(Executor executor) {
        threads = Optional.of(executor);
    }

    /** Barriers pass the subtasks. */
    void add(long checkpointId, SnapshotType type, List<TestSubtask> subtasks) throws Exception {
        List<RunnableFuture<SnapshotResult<KeyedStateHandle>>> ofSubtasks = new ArrayList<>();
        for (TestSubtask subtask : subtasks) {
            ofSubtasks.add(subtask.snapshot(checkpointId, type));
        }
        snapshots.put(checkpointId, ofSubtasks);
        List<CompletableFuture<Void>> begun = new ArrayList<>();
        threads.ifPresent(
                executor ->
                        ofSubtasks.forEach(
                                snapshot ->
                                        begun.add(
                                                CompletableFuture.runAsync(
                                                        () -> finish(snapshot), executor))));
        runs.put(checkpointId, begun);
    }

    private static void finish(RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot) {
        try {
            TestSubtask.finish(snapshot);
        } catch (InterruptedException | ExecutionException | CancellationException e) {
            // Whoever takes the snapshot gets the same.
        }
    }

    /** Waits for the threads, if threads run them. */
    List<RunnableFuture<SnapshotResult<KeyedStateHandle>>> take(long checkpointId)
            throws Exception {
        for (CompletableFuture<Void> run : runs.remove(checkpointId)) {
            run.get();
        }
        return snapshots.remove(checkpointId);
    }

    void cancel(long checkpointId) {
        runs.remove(checkpointId);
        snapshots.remove(checkpointId).forEach(snapshot -> snapshot.cancel(true));
    }
}
