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
package io.dstl.fs.testing;

import io.dstl.fs.log.SegmentedChangeLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/** One task with its log, and a memory of what the log must hold. */
final class SimulatedTask {

    /** What a task has answered to a barrier: the logs it was restored from, its own, and both. */
    static final class Answer {
        final CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist;
        final List<ChangelogStateHandleStreamImpl> restored;
        final List<String> expected;

        private Answer(
                CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist,
                List<ChangelogStateHandleStreamImpl> restored,
                List<String> expected) {
            this.persist = persist;
            this.restored = restored;
            this.expected = expected;
        }

        static Answer nothing() {
            return new Answer(new CompletableFuture<>(), List.of(), List.of());
        }

        boolean isStored() {
            return persist.isDone() && !persist.isCompletedExceptionally();
        }

        List<ChangelogStateHandleStreamImpl> handles() {
            if (!isStored()) {
                return restored;
            }
            List<ChangelogStateHandleStreamImpl> handles = new ArrayList<>(restored);
            handles.add(persist.join().getJobManagerOwnedSnapshot());
            return handles;
        }

        Stream<String> segments() {
            return handles().stream()
                    .flatMap(handle -> handle.getHandlesAndOffsets().stream())
                    .map(location -> ((FileStateHandle) location.f0).getFilePath().getName());
        }
    }

    private final SegmentedChangeLog log;
    private final Random random;
    private final List<String> appended = new ArrayList<>();
    private final Deque<Runnable> notifications = new ArrayDeque<>();
    private List<ChangelogStateHandleStreamImpl> restored;
    private List<String> restoredChanges;
    private SequenceNumber materialized = SequenceNumber.of(0);
    private SequenceNumber truncated = SequenceNumber.of(0);
    private int materializedChanges;
    private int values;

    /**
     * @param from the answer of the task before it
     */
    SimulatedTask(SegmentedChangeLog log, Random random, Answer from) {
        this.log = log;
        this.random = random;
        this.restored = from.handles();
        this.restoredChanges = from.expected;
    }

    /** All in one key group, so that the order of reading is that of appending. */
    void append() throws Exception {
        byte[] change = new byte[4 + random.nextInt(random.nextInt(5) == 0 ? 700 : 20)];
        random.nextBytes(change);
        values++;
        change[0] = (byte) (values >>> 16);
        change[1] = (byte) (values >>> 8);
        change[2] = (byte) values;
        log.append(1, change);
        appended.add(Changes.show(StateChange.ofDataChange(1, change)));
    }

    Answer barrier(long checkpointId) {
        List<String> expected = new ArrayList<>(restoredChanges);
        expected.addAll(appended.subList(materializedChanges, appended.size()));
        return new Answer(log.persist(materialized, checkpointId), restored, expected);
    }

    void materialize() {
        materialized = log.nextSequenceNumber();
        materializedChanges = appended.size();
        restored = List.of();
        restoredChanges = List.of();
    }

    void truncate() {
        if (truncated.compareTo(materialized) < 0) {
            log.truncate(materialized);
            truncated = materialized;
        }
    }

    void confirmLater(long checkpointId, OptionalLong subsumed) {
        notifications.add(
                () -> {
                    log.confirm(SequenceNumber.of(0), materialized, checkpointId);
                    subsumed.ifPresent(log::subsumed);
                });
    }

    void abortLater(long checkpointId) {
        notifications.add(() -> log.reset(SequenceNumber.of(0), materialized, checkpointId));
    }

    void takeNotification() {
        if (!notifications.isEmpty()) {
            notifications.remove().run();
        }
    }

    void takeAllNotifications() {
        while (!notifications.isEmpty()) {
            takeNotification();
        }
    }

    void close() {
        log.close();
    }
}
