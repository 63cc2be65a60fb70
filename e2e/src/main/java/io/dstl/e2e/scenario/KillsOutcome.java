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
package io.dstl.e2e.scenario;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** What is left in the bucket after the kills and the clean-up. Immutable. */
public final class KillsOutcome {
    private final int kills;
    private final int segmentsBefore;
    private final Set<String> segments;
    private final Set<String> named;
    private final int restored;

    /**
     * @param segmentsBefore how many there were before the clean-up
     * @param segments those in the bucket after it
     * @param named those that the retained checkpoints name
     * @param restored how many retained checkpoints the job was restored from: all of them
     */
    KillsOutcome(
            int kills, int segmentsBefore, Set<String> segments, Set<String> named, int restored) {
        this.kills = kills;
        this.segmentsBefore = segmentsBefore;
        this.segments = Set.copyOf(segments);
        this.named = Set.copyOf(named);
        this.restored = restored;
    }

    /** Whether the bucket holds exactly what the retained checkpoints refer to. */
    public boolean isClean() {
        return segments.equals(named);
    }

    /** Segments that were nobody's. */
    public int orphans() {
        return segmentsBefore - segments.size();
    }

    /** How many checkpoints were retained, and the job restored from. */
    public int restored() {
        return restored;
    }

    /** Segments in the bucket that no retained checkpoint names. */
    public Set<String> leftOver() {
        Set<String> left = new TreeSet<>(segments);
        left.removeAll(named);
        return left;
    }

    /** Segments that a retained checkpoint names and that are gone. */
    public Set<String> missing() {
        Set<String> missing = new TreeSet<>(named);
        missing.removeAll(segments);
        return missing;
    }

    /** In one line. */
    public String summary() {
        return String.format(
                Locale.ROOT,
                "%d kills: %d segments, of them %d orphans deleted; %d left, %d referred to by %d"
                        + " retained checkpoints, %d left over, %d missing; restored from each",
                kills,
                segmentsBefore,
                orphans(),
                segments.size(),
                named.size(),
                restored,
                leftOver().size(),
                missing().size());
    }
}
