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
package io.dstl.tools.orphans;

import io.dstl.tools.orphans.OrphanRule.Verdict;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts segments and bytes: by job and verdict, and what became of the orphans. */
final class Findings {
    private final Map<String, Map<Verdict, Count>> byJob = new TreeMap<>();
    private final Count deleted = new Count();
    private final Count failed = new Count();
    private final Count spared = new Count();

    void found(StoredSegment segment, Verdict verdict) {
        byJob.computeIfAbsent(segment.name().job(), job -> new EnumMap<>(Verdict.class))
                .computeIfAbsent(verdict, v -> new Count())
                .add(segment);
    }

    /** By job id, in order. */
    Map<String, Map<Verdict, Count>> byJob() {
        return byJob;
    }

    /** Of all jobs. */
    Count total(Verdict verdict) {
        Count total = new Count();
        byJob.values().forEach(counts -> total.add(counts.getOrDefault(verdict, new Count())));
        return total;
    }

    Count deleted() {
        return deleted;
    }

    /** Orphans that could not be deleted. */
    Count failed() {
        return failed;
    }

    /** Orphans by the first look that were none by the last, just before they were deleted. */
    Count spared() {
        return spared;
    }

    /** A number of segments and their bytes. */
    static final class Count {
        private long segments;
        private long bytes;

        void add(StoredSegment segment) {
            segments++;
            bytes += segment.bytes();
        }

        private void add(Count other) {
            segments += other.segments;
            bytes += other.bytes;
        }

        long segments() {
            return segments;
        }

        long bytes() {
            return bytes;
        }
    }
}
