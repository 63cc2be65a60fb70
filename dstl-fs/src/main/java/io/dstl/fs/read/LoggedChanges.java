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
package io.dstl.fs.read;

import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;

/** The changes of a log, in order, and whether they are grouped. One thread at a time. */
public interface LoggedChanges extends CloseableIterator<StateChange> {
    /**
     * Whether the next change's set has each change under its own key group. So it is if dstl's
     * backend wrote the set to a segment with an index. Flink's own backend records timers under
     * the current key group, which may be another one.
     *
     * @return false also if it is unknown; true if there is no next change
     */
    boolean isGrouped();
}
