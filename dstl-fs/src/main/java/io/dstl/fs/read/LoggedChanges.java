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

/** The changes of a log, in order, and what its writer promises of them. One thread at a time. */
public interface LoggedChanges extends CloseableIterator<StateChange> {
    /**
     * Whether each change of the set that the next one is in, is of the key group that it is under.
     * That is so where dstl's backend wrote it to a segment with an index. Flink's own backend
     * records timers under the key group that happens to be current.
     *
     * @return false also where nobody can tell; true if there is no next change
     */
    boolean isGrouped();
}
