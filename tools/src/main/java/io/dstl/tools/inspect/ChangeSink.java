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
package io.dstl.tools.inspect;

import io.dstl.changelog.record.ChangeOp;
import java.io.IOException;

/** Takes the changes of one subtask, in the order of its log. One thread at a time. */
interface ChangeSink {

    /** The changes that follow are of this set. */
    default void beginSet(SetLocation set) {}

    /**
     * @param record whole: op, state id, scope, data
     * @throws IOException if it does not parse; the set is then read no further
     */
    void change(LoggedState state, ChangeOp op, int keyGroup, byte[] record) throws IOException;

    /** A record that describes a state. */
    default void metadata(LoggedState state, byte[] record) {}
}
