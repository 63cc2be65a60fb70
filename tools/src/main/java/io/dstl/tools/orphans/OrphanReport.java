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
import io.dstl.secret.Redaction;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.orphans.OrphanReport.Findings.Count;
import io.dstl.tools.orphans.OrphanRule.Verdict;
import io.dstl.tools.orphans.StoredName.StoredFile;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.core.fs.Path;

/** Prints what the search finds, as it finds it, and the sums at the end. */
final class OrphanReport {
    private static final String ROW = "%-44s  %22s  %22s  %22s  %22s  %22s";
    private static final Count NONE = new Count();

    private final PrintWriter out;
    private final Redaction redaction;

    OrphanReport(PrintWriter out, Redaction redaction) {
        this.out = out;
        this.redaction = redaction;
    }

    void checkpoints(RetainedReferences references) {
        references
                .readByDirectory()
                .forEach(
                        (directory, read) ->
                                print("Checkpoints read: %,d in %s", read, Redacted.of(directory)));
        print("Segments they refer to: %,d", references.segments());
        out.flush();
    }

    void orphan(StoredFile segment) {
        print(
                "orphan  %s  %,12d bytes  %s",
                Instant.ofEpochMilli(segment.writtenAt), segment.bytes, Redacted.of(segment.path));
    }

    void link(Path link) {
        print("left alone, as it is a symbolic link: %s", Redacted.of(link));
    }

    void failed(StoredFile segment, Exception cause) {
        print(
                "not deleted: %s: %s",
                Redacted.of(segment.path), redaction.failure((Throwable) cause));
    }

    void sums(Findings findings, boolean deleting) {
        print("");
        print(
                ROW,
                "job (files / bytes)",
                "referred to",
                "too young",
                "job unknown",
                "cluster unknown",
                "orphans");
        findings.byJob.forEach(this::job);
        if (findings.total(Verdict.JOB_UNKNOWN).files() > 0) {
            print("");
            print(
                    "No retained checkpoint was found of the jobs with files under \"job"
                            + " unknown\". Where they are: --checkpoints DIR. Those that run nowhere"
                            + " any more: --ended JOB_ID.");
        }
        print("");
        print("Orphans: %s.", text(findings.total(Verdict.ORPHAN)));
        if (deleting) {
            deletions(findings);
        } else {
            print("Nothing was deleted. To delete the orphans: --delete.");
        }
        out.flush();
    }

    private void job(String job, Map<Verdict, Count> counts) {
        print(
                ROW,
                job,
                cell(counts, Verdict.REFERENCED),
                cell(counts, Verdict.YOUNG),
                cell(counts, Verdict.JOB_UNKNOWN),
                cell(counts, Verdict.CLUSTER_UNKNOWN),
                cell(counts, Verdict.ORPHAN));
    }

    private void deletions(Findings findings) {
        print("Deleted: %s.", text(findings.deleted));
        if (findings.spared.files() > 0) {
            print("Kept as a checkpoint refers to them by now: %s.", text(findings.spared));
        }
        if (findings.failed.files() > 0) {
            print("Could not be deleted, see above: %s.", text(findings.failed));
        }
    }

    private static String cell(Map<Verdict, Count> counts, Verdict verdict) {
        Count count = counts.getOrDefault(verdict, NONE);
        return String.format(Locale.ROOT, "%,d / %,d", count.files(), count.bytes());
    }

    private static String text(Count count) {
        return String.format(Locale.ROOT, "%,d, in bytes %,d", count.files(), count.bytes());
    }

    private void print(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }

    /** Counts files and bytes: by job, kind and verdict, and what became of the orphans. */
    static final class Findings {
        /** By job id, in order, and kind of file. */
        final Map<String, Map<Verdict, Count>> byJob = new TreeMap<>();

        private final Set<String> unknownClusters = new TreeSet<>();
        final Count deleted = new Count();

        /** Orphans that could not be deleted. */
        final Count failed = new Count();

        /** Orphans by the first look that were none by the last, just before they were deleted. */
        final Count spared = new Count();

        void found(StoredFile file, Verdict verdict) {
            StoredName name = file.name;
            byJob.computeIfAbsent(
                            name.job() + (name.isSegment() ? "" : " state files"),
                            job -> new EnumMap<>(Verdict.class))
                    .computeIfAbsent(verdict, v -> new Count())
                    .add(file);
            if (verdict == Verdict.CLUSTER_UNKNOWN) {
                ClusterMark.in(name.name())
                        .ifPresent(
                                mark ->
                                        unknownClusters.add(
                                                name.job() + "/" + ClusterMark.show(mark)));
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

        /** Of all jobs. */
        Count total(Verdict verdict) {
            Count total = new Count();
            byJob.values().forEach(counts -> total.add(counts.getOrDefault(verdict, new Count())));
            return total;
        }

        /** A number of files and their bytes. */
        static final class Count {
            private long files;
            private long bytes;

            void add(StoredFile file) {
                files++;
                bytes += file.bytes;
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
}
