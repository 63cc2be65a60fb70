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
import java.util.Locale;
import java.util.Map;

/** What a replay did. */
public final class Replayed {
    private final long changes;
    private final long millis;
    private final BulkReplay.Tally inBulk;
    private final Map<String, String> leftOut;

    /**
     * @param changes of this subtask's states
     * @param millis that the replay was at work
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

    /** The number of changes that were replayed through the states instead of in bulk. */
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
}
