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
import io.dstl.tools.cli.ExitCode;
import io.dstl.tools.orphans.OrphanRule.Verdict;
import io.dstl.tools.orphans.StoredName.StoredFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.core.fs.Path;

/**
 * Goes through the log, and the files beside the checkpoints, and holds each against what the
 * retained checkpoints refer to; where it is asked to, deletes the orphans.
 *
 * <p><b>Order.</b> All metadata is read before the log is listed. A log in several directories is
 * listed once before anything of it is judged, to learn who has written there. Before each batch of
 * deletions the metadata is listed and read once more, and each file of the batch is judged again
 * by what is found then, before the first of them is deleted.
 *
 * <p><b>Memory.</b> The references, the files of one directory (of a log in several: of as many as
 * are listed at once), and one batch.
 *
 * <p>For one thread.
 */
final class OrphanHunt {
    private static final int BATCH = 10_000;

    /** In a row: a store that takes no deletion gets no million of them. */
    static final int MOST_FAILURES = 100;

    private final CheckpointSearch checkpoints;
    private final LogDirectories log;
    private final OrphanRule rule;
    private final OrphanReport report;
    private final Optional<OrphanDeletion> deletion;

    private final OrphanFindings findings = new OrphanFindings();
    private final List<StoredFile> batch = new ArrayList<>();

    /** Jobs with segments of a cluster that is unknown: those without a mark may be its own too. */
    private final Set<String> sharedJobs = new HashSet<>();

    /** Jobs whose log shows later checkpoints than those found, if they are said to have ended. */
    private final Set<String> goesOn = new HashSet<>();

    private RetainedReferences references = new RetainedReferences();
    private int failuresInARow;

    /**
     * @param deletion empty where orphans are listed only
     */
    OrphanHunt(
            CheckpointSearch checkpoints,
            LogDirectories log,
            OrphanRule rule,
            OrphanReport report,
            Optional<OrphanDeletion> deletion) {
        this.checkpoints = checkpoints;
        this.log = log;
        this.rule = rule;
        this.report = report;
        this.deletion = deletion;
    }

    /**
     * Shows what was found also where it throws.
     *
     * @return one of {@link ExitCode}
     * @throws CommandFailure if a checkpoint can't be read, or no deletion succeeds: nothing is
     *     deleted from then on; or if segments were left alone as later checkpoints of their job,
     *     or all of their cluster, are unknown
     */
    int run() throws Exception {
        try {
            references = checkpoints.read();
        } catch (Throwable t) {
            report.stopped();
            throw t;
        }
        report.checkpoints(references, rule.leftBehind(references));
        try {
            visit();
        } catch (Throwable t) {
            try {
                report.sums(findings, deletion.isPresent(), false);
            } catch (Throwable alsoWrong) {
                t.addSuppressed(alsoWrong);
            }
            throw t;
        }
        report.sums(findings, deletion.isPresent(), true);
        log.refuseNone(references.segments());
        findings.refuseUnknown(references);
        return findings.failed().count() == 0 ? ExitCode.DONE : ExitCode.FINDINGS;
    }

    private void visit() throws Exception {
        log.visitScatteredLogs(this::findEvidence);
        log.visit(
                references.jobDirectories(),
                new LogDirectories.Visitor() {
                    @Override
                    public void visit(List<StoredFile> files) throws Exception {
                        findEvidence(files);
                        judge(files);
                    }

                    @Override
                    public void link(Path link) throws IOException {
                        report.link(link);
                    }
                });
        deleteBatch();
    }

    private void findEvidence(List<StoredFile> files) {
        for (StoredFile file : files) {
            if (file.name.isSegment() && rule.judge(file, references) == Verdict.CLUSTER_UNKNOWN) {
                sharedJobs.add(file.name.job());
                goesOn.add(file.name.job());
            }
            if (rule.showsLaterCheckpoints(file, references)) {
                goesOn.add(file.name.job());
            }
        }
    }

    private Verdict verdict(StoredFile file) {
        Verdict verdict = rule.judge(file, references);
        boolean mayBeOfUnknownCluster =
                file.name.isSegment()
                        && ClusterMark.in(file.name.name()).isEmpty()
                        && sharedJobs.contains(file.name.job());
        if (verdict == Verdict.ORPHAN && mayBeOfUnknownCluster) {
            return Verdict.CLUSTER_UNKNOWN;
        }
        return verdict == Verdict.ORPHAN
                        && goesOn.contains(file.name.job())
                        && rule.mayBeOfLaterCheckpoints(file, references)
                ? Verdict.UNKNOWN_SINCE
                : verdict;
    }

    private void judge(List<StoredFile> files) throws Exception {
        for (StoredFile file : files) {
            Verdict verdict = verdict(file);
            findings.found(file, verdict);
            if (verdict == Verdict.ORPHAN) {
                report.orphan(file);
                batch.add(file);
                if (batch.size() == BATCH) {
                    deleteBatch();
                }
            }
        }
    }

    private void deleteBatch() throws Exception {
        if (deletion.isPresent() && !batch.isEmpty()) {
            references = checkpoints.read();
            deletion.get().delete(stillOrphans(), this::deleted);
        }
        batch.clear();
    }

    private List<StoredFile> stillOrphans() {
        List<StoredFile> orphans = new ArrayList<>();
        for (StoredFile file : batch) {
            Verdict now = verdict(file);
            if (now == Verdict.ORPHAN) {
                orphans.add(file);
            } else {
                findings.spared(file, now);
            }
        }
        return orphans;
    }

    private void deleted(StoredFile orphan, Optional<Exception> failure)
            throws IOException, CommandFailure {
        if (failure.isEmpty()) {
            failuresInARow = 0;
            findings.deleted().add(orphan.bytes);
            return;
        }
        findings.failed().add(orphan.bytes);
        report.failed(orphan, failure.get());
        if (++failuresInARow == MOST_FAILURES) {
            throw CommandFailure.stopped(
                    "None of "
                            + MOST_FAILURES
                            + " deletions one after the other has succeeded, so no more are tried."
                            + " See to the reason, and start again",
                    failure.get());
        }
    }
}
