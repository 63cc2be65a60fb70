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

import io.dstl.fs.segment.ClusterMark;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.orphans.OrphanRule.Verdict;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Counts files and bytes: by job, kind and verdict, and what became of the orphans. */
final class Findings {
    private final Map<String, Map<Verdict, Count>> byJob = new TreeMap<>();
    private final Set<String> unknownClusters = new TreeSet<>();
    private final Count deleted = new Count();
    private final Count failed = new Count();
    private final Count spared = new Count();

    void found(StoredFile file, Verdict verdict) {
        StoredName name = file.name();
        byJob.computeIfAbsent(
                        name.job() + (name.isSegment() ? "" : " state files"),
                        job -> new EnumMap<>(Verdict.class))
                .computeIfAbsent(verdict, v -> new Count())
                .add(file);
        if (verdict == Verdict.CLUSTER_UNKNOWN) {
            ClusterMark.in(name.name())
                    .ifPresent(
                            mark -> unknownClusters.add(name.job() + "/" + ClusterMark.show(mark)));
        }
    }

    /**
     * To be called at the end: what was found of other jobs holds.
     *
     * @throws CommandFailure if segments were left alone as their cluster is unknown
     */
    void refuseUnknownClusters() throws CommandFailure {
        if (unknownClusters.isEmpty()) {
            return;
        }
        throw CommandFailure.stopped(
                "Another cluster writes, or has written, the log of a job of the same id, and none"
                        + " of its checkpoints was found: what may be its segments was left alone,"
                        + " under \"cluster unknown\". Name the directory that has its"
                        + " checkpoints, --checkpoints DIR; if none of them was kept, say so:"
                        + " --no-checkpoints-of "
                        + String.join(",", unknownClusters),
                null);
    }

    /** By job id, in order, and kind of file. */
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

    /** A number of files and their bytes. */
    static final class Count {
        private long files;
        private long bytes;

        void add(StoredFile file) {
            files++;
            bytes += file.bytes();
        }

        private void add(Count other) {
            files += other.files;
            bytes += other.bytes;
        }

        long files() {
            return files;
        }

        long bytes() {
            return bytes;
        }
    }
}
