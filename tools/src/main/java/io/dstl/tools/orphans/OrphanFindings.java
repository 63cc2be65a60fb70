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

import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.Tally;
import io.dstl.tools.orphans.OrphanRule.Verdict;
import io.dstl.tools.orphans.StoredName.StoredFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Counts files and bytes: by job, kind and verdict, and what became of the orphans. For one thread.
 */
final class OrphanFindings {
    private static final int JOB_ID_LENGTH = 32;

    /** By job id, in order, the state files after the log. */
    private final Map<String, OfJob> byJob = new TreeMap<>();

    private final Set<String> unknownJobs = new TreeSet<>();
    private final Set<String> unknownClusters = new TreeSet<>();
    private final Set<String> otherDirectories = new TreeSet<>();
    private final Set<String> unknownSince = new TreeSet<>();
    private final Tally deleted = new Tally();
    private final Tally failed = new Tally();
    private final Map<Verdict, Tally> spared = new EnumMap<>(Verdict.class);

    void found(StoredFile file, Verdict verdict) {
        StoredName name = file.name;
        byJob.computeIfAbsent(
                        name.job() + (name.isSegment() ? "" : "+"),
                        any -> new OfJob(name.job(), name.isSegment()))
                .add(verdict, file);
        if (verdict == Verdict.UNKNOWN_SINCE) {
            unknownSince.add(file.jobOfCluster());
        } else if (file.cluster().isPresent()) {
            unknown(name, verdict, file.jobOfCluster());
        }
    }

    private void unknown(StoredName name, Verdict verdict, String cluster) {
        if (verdict == Verdict.JOB_UNKNOWN) {
            unknownJobs.add(cluster);
        } else if (verdict == Verdict.CLUSTER_UNKNOWN) {
            (name.isSegment() ? unknownClusters : otherDirectories).add(cluster);
        }
    }

    Collection<OfJob> byJob() {
        return byJob.values();
    }

    /** Of all jobs. */
    Tally total(Verdict verdict) {
        Tally total = new Tally();
        byJob.values().forEach(found -> total.add(found.count(verdict)));
        return total;
    }

    Tally deleted() {
        return deleted;
    }

    /** Orphans that could not be deleted. */
    Tally failed() {
        return failed;
    }

    /** Of an orphan by the first look that was none by the last, just before its deletion. */
    void spared(StoredFile file, Verdict now) {
        spared.computeIfAbsent(now, any -> new Tally()).add(file.bytes);
    }

    /** Those, by what they were then. */
    Map<Verdict, Tally> spared() {
        return Collections.unmodifiableMap(spared);
    }

    /** As {@code <job id>/<mark>}: jobs, and who wrote their files, without any checkpoint. */
    Set<String> unknownJobs() {
        return Collections.unmodifiableSet(unknownJobs);
    }

    /** As {@code <job id>/<mark>}: clusters of which no checkpoint was found, of jobs with some. */
    Set<String> unknownClusters() {
        return Collections.unmodifiableSet(unknownClusters);
    }

    /**
     * As {@code <job id>/<mark>}: of directories with state files of a job, and no checkpoint,
     * while there are checkpoints of the job elsewhere.
     */
    Set<String> otherDirectories() {
        return Collections.unmodifiableSet(otherDirectories);
    }

    /**
     * To be called at the end: what was found of other jobs holds.
     *
     * @throws CommandFailure if segments were left alone as later checkpoints of their job, or all
     *     of their cluster, are unknown
     */
    void refuseUnknown(RetainedReferences references) throws CommandFailure {
        List<String> problems = new ArrayList<>();
        if (!unknownSince.isEmpty()) {
            problems.add(laterCheckpoints(String.join(",", unknownSince), known(references)));
        }
        if (!unknownClusters.isEmpty()) {
            problems.add(otherClusters(String.join(",", unknownClusters)));
        }
        if (!problems.isEmpty()) {
            throw CommandFailure.stopped(String.join(". ", problems), null);
        }
    }

    /** Of the jobs with such segments, whose marks no other output shows. */
    private String known(RetainedReferences references) {
        return unknownSince.stream()
                .map(each -> each.substring(0, JOB_ID_LENGTH))
                .distinct()
                .flatMap(job -> references.clusters(job).stream())
                .collect(Collectors.joining(", "));
    }

    private static String laterCheckpoints(String jobs, String known) {
        return "The log of "
                + jobs
                + ", which has ended, goes on for long after the newest checkpoint that was"
                + " found of it, or somebody without any has written it too. So there may"
                + " be later checkpoints, and what they may need was left alone, under \"job"
                + " unknown\". Name the directory that has them, --checkpoints DIR, and if the"
                + " job's program sets that directory, or the configuration was changed, say so:"
                + " --moved JOB_ID/MARK=DIR (checkpoints were found of "
                + known
                + "). If none but those that were found was kept, say that: --no-checkpoints-of "
                + jobs;
    }

    private static String otherClusters(String clusters) {
        return "Another cluster writes, or has written, the log of a job of the same id, and none"
                + " of its checkpoints was found: what may be its segments was left alone,"
                + " under \"cluster unknown\". Name the directory that has its"
                + " checkpoints, --checkpoints DIR. If the job's program sets that"
                + " directory, or the configuration was changed, say where they are now:"
                + " --moved JOB_ID/MARK=DIR. If the job runs there no more, and"
                + " none of its checkpoints was kept, say so: --ended "
                + clusters
                + " --no-checkpoints-of "
                + clusters;
    }

    /** The segments of one job, or its state files. */
    static final class OfJob {
        private static final Tally NONE = new Tally();

        private final String job;
        private final boolean log;
        private final Map<Verdict, Tally> counts = new EnumMap<>(Verdict.class);

        private OfJob(String job, boolean log) {
            this.job = job;
            this.log = log;
        }

        private void add(Verdict verdict, StoredFile file) {
            counts.computeIfAbsent(verdict, any -> new Tally()).add(file.bytes);
        }

        String job() {
            return job;
        }

        /** Whether these are segments. */
        boolean isLog() {
            return log;
        }

        Tally count(Verdict verdict) {
            return counts.getOrDefault(verdict, NONE);
        }
    }
}
