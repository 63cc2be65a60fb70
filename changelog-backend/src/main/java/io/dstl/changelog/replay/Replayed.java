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

import io.dstl.changelog.bulk.BulkReplay;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.clock.Clock;

/** What a replay did. */
public final class Replayed {
    private final long changes;
    private final long millis;
    private final BulkReplay.Tally inBulk;
    private final Map<String, String> leftOut;

    /**
     * @param changes of this subtask's states
     * @param millis that it was at work
     * @param inBulk of the changes
     * @param leftOut by state, why its changes were replayed one by one
     */
    public Replayed(
            long changes, long millis, BulkReplay.Tally inBulk, Map<String, String> leftOut) {
        this.changes = changes;
        this.millis = millis;
        this.inBulk = inBulk;
        this.leftOut = Map.copyOf(leftOut);
    }

    public long changes() {
        return changes;
    }

    /** Changes that went through the states, instead of in bulk. */
    public long oneByOne() {
        return changes - inBulk.changes();
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d changes in %d ms, %d a second. %d were replayed in bulk, as %d keys in %d"
                        + " parts, which took %d ms to sort and %d ms to write, over all threads;"
                        + " %d one by one: %s",
                changes,
                millis,
                1000 * changes / Math.max(1, millis),
                inBulk.changes(),
                inBulk.survivors(),
                inBulk.tables(),
                inBulk.sortMillis(),
                inBulk.writeMillis(),
                oneByOne(),
                leftOut);
    }

    /** Counts what the replay of one handle did, for the log line at its end. */
    static final class Tally {
        private final Clock clock;
        private final long startMillis;
        private final Set<String> segments = new HashSet<>();

        private long changeSets;
        private long changes;
        private long bytes;
        private long skipped;

        Tally(Clock clock) {
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

        Duration took() {
            return Duration.ofMillis(clock.relativeTimeMillis() - startMillis);
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
                    + took().toMillis()
                    + " ms, and left out "
                    + skipped
                    + " of other subtasks";
        }
    }
}
