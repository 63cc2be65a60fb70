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
package io.dstl.changelog.state;

import io.dstl.changelog.record.ChangeOp;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * Applies the changes of one state. Each state kind and target has its own implementation.
 *
 * <p>Called by the thread that replays, in the order of the log. The input belongs to the caller
 * and must not be kept.
 */
public interface ChangeApplier {
    /**
     * Applies one change, or that part of it which belongs to the given key groups.
     *
     * @param op what the change does
     * @param keyGroup the key group the change was logged under
     * @param keyGroups those to apply changes of, both ends inclusive; may be empty
     * @param record positioned after the state id; read to its end, unless nothing was applied
     * @return false if no part of the change belongs to the given key groups
     * @throws Exception if the state's kind has no such operation, the record does not parse, or
     *     the key is not of the key group; the replay is then over
     */
    boolean apply(ChangeOp op, int keyGroup, KeyGroupRange keyGroups, RecordInput record)
            throws Exception;
}
