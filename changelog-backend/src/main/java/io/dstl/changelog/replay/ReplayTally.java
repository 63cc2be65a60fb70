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

import java.util.HashSet;
import java.util.Set;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.clock.Clock;

/** Counts what the replay of one handle did, for the log line at its end. */
final class ReplayTally {
    private final Clock clock;
    private final long startMillis;
    private final Set<String> segments = new HashSet<>();

    private long changeSets;
    private long changes;
    private long bytes;
    private long skipped;

    ReplayTally(Clock clock) {
        this.clock = clock;
        this.startMillis = clock.relativeTimeMillis();
    }

    void opened(LoggedChangeSet changeSet) {
        changeSets++;
        segments.add(changeSet.segment());
    }

    void applied(StateChange change) {
        changes++;
        bytes += change.getChange().length;
    }

    /** The bytes of the applied changes, without compression. */
    long bytes() {
        return bytes;
    }

    void skipped() {
        skipped++;
    }

    @Override
    public String toString() {
        return changes
                + " changes ("
                + bytes
                + " bytes) of "
                + changeSets
                + " change sets in "
                + segments.size()
                + " segments in "
                + (clock.relativeTimeMillis() - startMillis)
                + " ms, and left out "
                + skipped
                + " of other subtasks";
    }
}
