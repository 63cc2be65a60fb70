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

import java.util.Optional;
import javax.annotation.Nullable;

/**
 * How a replay has ended: with a failure, unless its success was noted. A thread without memory may
 * end before it notes anything, and its replay must not count as complete.
 *
 * <p>One thread notes, without allocating; any other asks once it knows of the end.
 */
final class ReplayOutcome {
    /** Made while there is memory for it. */
    @Nullable
    private volatile Throwable failure =
            new IllegalStateException(
                    "The replay of the log ended without saying how. If the TaskManager was out of"
                            + " memory, see its log");

    void succeeded() {
        failure = null;
    }

    void failed(Throwable cause) {
        failure = cause;
    }

    /** Why the replay is not complete; empty if it is. */
    Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }
}
