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

import io.dstl.changelog.record.StateMetadata;
import io.dstl.changelog.state.ChangeApplier;
import java.io.IOException;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * Takes the changes that are replayed. Decides how a change reaches the state; knows nothing about
 * logs, handles or state ids.
 *
 * <p>Used only by the thread that replays, for one restore.
 */
public interface ReplayTarget {
    /** The key groups of this subtask: no change of another key group is applied. */
    KeyGroupRange keyGroups();

    /**
     * Registers a state as its metadata describes it, or updates its registration. Returns the
     * applier of its changes from here on. An applier returned earlier for a state of this name
     * must not be used any more.
     *
     * @param keyGroups those that its log is replayed for
     * @throws Exception if the state was registered as another kind, or with serializers that these
     *     can't follow
     */
    ChangeApplier bind(StateMetadata metadata, KeyGroupRange keyGroups) throws Exception;

    /**
     * Begins a change set.
     *
     * @param trusted whether the bytes of its changes may be used as they are: a checksum verifies
     *     all that is read, and each change belongs to the key group that it is under
     * @throws Exception if changes of earlier change sets can't be applied
     */
    void begin(boolean trusted) throws Exception;

    /**
     * Applies what appliers have deferred. Call it after the last change of the last log.
     *
     * @throws Exception if that can't be applied
     */
    void complete() throws Exception;

    /** The milliseconds that the replay waited for something else than the log. */
    default long waitedMillis() {
        return 0;
    }

    /** Leaves no trace of the replay in the context that user code will run in. */
    void leave();

    /**
     * The changes taken in before the delegate existed can't be used, and none of them was written.
     * The log has to be replayed again, into the delegate, which reports best what is wrong, if
     * anything is.
     */
    final class ReplayAgainException extends IOException {
        private static final long serialVersionUID = 1L;

        /** The delegate keeps a state differently than its log suggests. */
        ReplayAgainException(String state, String reason) {
            super("state '" + state + "': " + reason);
        }

        /** A change can't be taken in early. */
        ReplayAgainException(Exception cause) {
            super(cause.toString(), cause);
        }
    }
}
