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
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;

/** One task with its log, and a memory of what the log must hold. */
final class SimulatedTask {

    /** What the task has answered to a barrier. */
    static final class Answer {
        final CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist;
        final List<String> expected;

        private Answer(
                CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist,
                List<String> expected) {
            this.persist = persist;
            this.expected = expected;
        }
    }

    private final SegmentedChangeLog log;
    private final Random random;
    private final List<String> appended = new ArrayList<>();
    private final Deque<Runnable> notifications = new ArrayDeque<>();
    private SequenceNumber materialized = SequenceNumber.of(0);
    private SequenceNumber truncated = SequenceNumber.of(0);
    private int materializedChanges;
    private int values;

    SimulatedTask(SegmentedChangeLog log, Random random) {
        this.log = log;
        this.random = random;
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
        appended.add(
                Changes.show(
                        org.apache.flink.runtime.state.changelog.StateChange.ofDataChange(
                                1, change)));
    }

    Answer barrier(long checkpointId) {
        return new Answer(
                log.persist(materialized, checkpointId),
                new ArrayList<>(appended.subList(materializedChanges, appended.size())));
    }

    void materialize() {
        materialized = log.nextSequenceNumber();
        materializedChanges = appended.size();
    }

    void truncate() {
        if (truncated.compareTo(materialized) < 0) {
            log.truncate(materialized);
            truncated = materialized;
        }
    }

    void notifyLater(boolean completed, long checkpointId) {
        SequenceNumber end = materialized;
        notifications.add(
                () -> {
                    if (completed) {
                        log.confirm(SequenceNumber.of(0), end, checkpointId);
                    } else {
                        log.reset(SequenceNumber.of(0), end, checkpointId);
                    }
                });
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
