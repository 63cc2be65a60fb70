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

import org.apache.flink.runtime.state.StateHandleID;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;

/**
 * Says of a log, in its handle, that it has no change of a priority queue. A task can then run
 * before its log is read: timer services look at their queues before the first record, and nearly
 * every operator has one.
 *
 * <p>It is the end of the handle's id, which Flink writes to a checkpoint's metadata as a text (its
 * {@code ChangelogStateHandleStreamImpl} makes it up at random), and which nobody but this reads.
 * So a log without the mark may have none either: that of Flink's own backend, or of an earlier
 * version of this one.
 */
public final class LogMark {
    private static final String WITHOUT_QUEUES = "-without-queues";

    private LogMark() {}

    /** The same log, of which that is said; a log that is not kept in segments stays as it is. */
    public static ChangelogStateHandle withoutQueues(ChangelogStateHandle log) {
        if (!(log instanceof ChangelogStateHandleStreamImpl)) {
            return log;
        }
        ChangelogStateHandleStreamImpl inSegments = (ChangelogStateHandleStreamImpl) log;
        return ChangelogStateHandleStreamImpl.restore(
                inSegments.getHandlesAndOffsets(),
                inSegments.getKeyGroupRange(),
                inSegments.getStateSize(),
                inSegments.getCheckpointedSize(),
                inSegments.getStorageIdentifier(),
                new StateHandleID(log.getStateHandleId().getKeyString() + WITHOUT_QUEUES));
    }

    /** Whether that was said of it. */
    static boolean isWithoutQueues(ChangelogStateHandle log) {
        return log.getStateHandleId().getKeyString().endsWith(WITHOUT_QUEUES);
    }
}
