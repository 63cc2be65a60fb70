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
package io.dstl.tools.checkpoint;

import java.io.IOException;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;
import org.apache.flink.runtime.state.changelog.inmemory.InMemoryChangelogStateHandle;

/** Takes what {@link CheckpointWalk} finds, in the order of the metadata, on the same thread. */
public interface StateVisitor {

    /**
     * A stream of bytes that the checkpoint needs: a whole object, a part of one, or bytes in the
     * metadata itself. The same object comes once for each use of it.
     */
    void stream(StateReference reference) throws IOException;

    /** The state of a subtask with a changelog; what it consists of comes after it. */
    default void changelog(StateOwner owner, ChangelogStateBackendHandle handle)
            throws IOException {}

    /** A log in the metadata itself. */
    default void logInMemory(StateOwner owner, InMemoryChangelogStateHandle log)
            throws IOException {}
}
