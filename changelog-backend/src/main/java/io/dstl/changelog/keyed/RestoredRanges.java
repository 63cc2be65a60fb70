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

import java.util.List;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;

/**
 * Refuses a restore in which a base would bring removed state back.
 *
 * <p>After a restore at another parallelism, Flink's own changelog backend hands on the base that
 * it was restored from until the first materialization, with the key group range of the task that
 * wrote the base. If a task is then restored from two such checkpoints of other tasks, it also
 * takes key groups of one checkpoint from the base of the other, in their old state. See {@link
 * MaterializedBase#reachesBeyond}.
 */
final class RestoredRanges {
    private RestoredRanges() {}

    /**
     * @param restored the handles, with those parts of their ranges that are the task's
     * @param own range of the task
     * @throws IllegalStateException if a base has key groups of the task that another handle has
     *     from another base
     */
    static void check(
            List<ChangelogStateBackendHandle> restored, KeyGroupRange own, String operator) {
        for (ChangelogStateBackendHandle handle : restored) {
            for (KeyedStateHandle base : handle.getMaterializedStateHandles()) {
                KeyGroupRange read = base.getKeyGroupRange().getIntersection(own);
                if (restored.stream().anyMatch(h -> overlaps(h, read) && !startsFrom(h, base))) {
                    throw mixed(handle, base, own, operator);
                }
            }
        }
    }

    private static boolean overlaps(ChangelogStateBackendHandle handle, KeyGroupRange range) {
        return handle.getKeyGroupRange().getIntersection(range).getNumberOfKeyGroups() > 0;
    }

    private static boolean startsFrom(ChangelogStateBackendHandle handle, KeyedStateHandle base) {
        return handle.getMaterializedStateHandles().stream()
                .anyMatch(h -> h.getStateHandleId().equals(base.getStateHandleId()));
    }

    private static IllegalStateException mixed(
            ChangelogStateBackendHandle handle,
            KeyedStateHandle base,
            KeyGroupRange own,
            String operator) {
        return new IllegalStateException(
                operator
                        + " cannot be restored for key groups "
                        + own.prettyPrintInterval()
                        + ": the checkpoint of key groups "
                        + handle.getKeyGroupRange().prettyPrintInterval()
                        + " refers to a base of key groups "
                        + base.getKeyGroupRange().prettyPrintInterval()
                        + ", as the parallelism was changed before it and nothing was materialized"
                        + " since. State that was removed would come back. Start the job from this"
                        + " checkpoint with the parallelism that it was taken with, wait for a"
                        + " completed checkpoint, and change the parallelism then.");
    }
}
