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

import io.dstl.secret.Redaction;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.cli.ConnectionPool;
import io.dstl.tools.cli.Report;
import io.dstl.tools.cli.Tally;
import io.dstl.tools.orphans.OrphanFindings.OfJob;
import io.dstl.tools.orphans.OrphanRule.Verdict;
import io.dstl.tools.orphans.StoredName.StoredFile;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.core.fs.Path;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Shows what the search finds, as it finds it: a line, or a finding of the JSON document; and the
 * sums at the end, as a table. For one thread.
 */
final class OrphanReport {
    /** Of clusters: there may be as many as names have entropy. All are in the document. */
    private static final int SHOWN = 3;

    private static final String ROW = "%-44s  %22s  %22s  %22s  %22s  %22s";

    /** Why what was an orphan is none any more. */
    private static final Map<Verdict, String> REASONS =
            Map.of(
                    Verdict.REFERENCED, "a checkpoint refers to them",
                    Verdict.YOUNG, "they are too young",
                    Verdict.JOB_UNKNOWN, "no checkpoint of their job is found",
                    Verdict.UNKNOWN_SINCE, "later checkpoints of their job are unknown",
                    Verdict.CLUSTER_UNKNOWN, "no checkpoint of their cluster is found");

    private final Report report;
    private final Redaction redaction;

    OrphanReport(Report report, Redaction redaction) {
        this.report = report;
        this.redaction = redaction;
    }

    /**
     * Once, before all else.
     *
     * @param beyond checkpoints that may have been left by a JobManager that died
     */
    void checkpoints(RetainedReferences references, List<Path> beyond) throws IOException {
        ObjectNode node = Report.node();
        ArrayNode directories = node.putArray("checkpoints");
        references
                .readByDirectory()
                .forEach(
                        (directory, read) -> {
                            String shown = Redacted.of(directory).toString();
                            report.line("Checkpoints read: %,d in %s", read, shown);
                            directories.addObject().put("directory", shown).put("read", read);
                        });
        ArrayNode left = node.putArray("checkpointsBeyondRetained");
        for (Path checkpoint : beyond) {
            String shown = Redacted.of(checkpoint).toString();
            report.line("Older than those of its job that Flink retains: %s", shown);
            left.add(shown);
        }
        if (!beyond.isEmpty()) {
            report.line(
                    "What these refer to is no orphan. Delete the _metadata of those that neither"
                            + " the job's web UI lists nor you have kept: a JobManager that died"
                            + " left them. Then search again.");
        }
        report.line("Segments they refer to: %,d", references.segments());
        report.begin(node.put("segmentsReferredTo", references.segments()));
        report.flush();
    }

    /** In place of all else, where no checkpoints were read. */
    void stopped() throws IOException {
        report.end(Report.node().put("complete", false));
    }

    /** That was found, and is deleted later if that is wanted. */
    void orphan(StoredFile orphan) throws IOException {
        Instant writtenAt = Instant.ofEpochMilli(orphan.writtenAt);
        report.line(
                "orphan  %s  %,12d bytes  %s", writtenAt, orphan.bytes, Redacted.of(orphan.path));
        report.finding(
                finding("orphan", orphan.path)
                        .put("writtenAt", writtenAt.toString())
                        .put("bytes", orphan.bytes));
    }

    /** That is left alone, with all that may be behind it. */
    void link(Path link) throws IOException {
        String problem = "left alone, as it is a symbolic link";
        report.line("%s: %s", problem, Redacted.of(link));
        report.finding(finding("symbolic link", link).put("problem", problem));
    }

    /** That could not be deleted. */
    void failed(StoredFile orphan, Exception cause) throws IOException {
        String remedy = ConnectionPool.remedy(cause).map(advice -> "; " + advice).orElse("");
        String problem = redaction.failure(cause) + remedy;
        report.line("not deleted: %s: %s", Redacted.of(orphan.path), problem);
        report.finding(finding("not deleted", orphan.path).put("problem", problem));
    }

    private static ObjectNode finding(String verdict, Path object) {
        return Report.node().put("verdict", verdict).put("object", Redacted.of(object).toString());
    }

    /**
     * Once, after all else.
     *
     * @param complete false where the search was stopped, so that these are the sums so far
     */
    void sums(OrphanFindings findings, boolean deleting, boolean complete) throws IOException {
        ObjectNode node = Report.node().put("complete", complete);
        report.line("");
        if (!complete) {
            report.line("Not all was looked at, so this is only what was found until then:");
        }
        report.line(
                ROW,
                "job (files / bytes)",
                "referred to",
                "too young",
                "job unknown",
                "cluster unknown",
                "orphans");
        ArrayNode jobs = node.putArray("jobs");
        findings.byJob().forEach(found -> job(found, jobs.addObject()));
        put(findings.unknownJobs(), node.putArray("unknownJobs"));
        put(findings.unknownClusters(), node.putArray("unknownClusters"));
        put(findings.otherDirectories(), node.putArray("otherDirectories"));
        if (findings.total(Verdict.JOB_UNKNOWN).count() > 0) {
            report.line("");
            report.line(
                    "No retained checkpoint in a directory <job id>/chk-<n> was found of the jobs"
                            + " with files under \"job unknown\". Where they are: --checkpoints"
                            + " DIR. Those that run nowhere any more: --ended JOB_ID, with"
                            + " --no-checkpoints-of JOB_ID if none of their checkpoints was kept"
                            + " (not before a chk-<n> of some job is found).");
            if (!findings.unknownJobs().isEmpty()) {
                report.line(
                        "What one cluster alone wrote of a job: JOB_ID/MARK in its place, with %s.",
                        some(findings.unknownJobs()));
            }
        }
        if (!findings.otherDirectories().isEmpty()) {
            report.line("");
            report.line(
                    "State files under \"cluster unknown\" are in a directory without a checkpoint"
                            + " of their job, which has some elsewhere. If it is the same cluster,"
                            + " say in which directory: --moved JOB_ID/MARK=DIR, with %s.",
                    some(findings.otherDirectories()));
        }
        report.line("");
        report.line("Orphans: %s.", text(findings.total(Verdict.ORPHAN)));
        put(findings.total(Verdict.ORPHAN), node.putObject("orphans"));
        if (deleting) {
            deletions(findings, node);
        } else {
            report.line("Nothing was deleted. To delete the orphans: --delete.");
        }
        report.end(node);
    }

    private static String some(Collection<String> clusters) {
        return clusters.stream().limit(SHOWN).collect(Collectors.joining(", "))
                + (clusters.size() > SHOWN ? ", …" : "");
    }

    private static void put(Collection<String> clusters, ArrayNode array) {
        clusters.forEach(array::add);
    }

    private void job(OfJob found, ObjectNode node) {
        node.put("job", found.job()).put("kind", found.isLog() ? "segments" : "state files");
        report.line(
                ROW,
                found.job() + (found.isLog() ? "" : " state files"),
                cell(found.count(Verdict.REFERENCED), node.putObject("referredTo")),
                cell(found.count(Verdict.YOUNG), node.putObject("tooYoung")),
                cell(ofUnknownJob(found), node.putObject("jobUnknown")),
                cell(found.count(Verdict.CLUSTER_UNKNOWN), node.putObject("clusterUnknown")),
                cell(found.count(Verdict.ORPHAN), node.putObject("orphans")));
    }

    private static Tally ofUnknownJob(OfJob found) {
        Tally unknown = new Tally();
        unknown.add(found.count(Verdict.JOB_UNKNOWN));
        unknown.add(found.count(Verdict.UNKNOWN_SINCE));
        return unknown;
    }

    private static String cell(Tally files, ObjectNode node) {
        put(files, node);
        return String.format(Locale.ROOT, "%,d / %,d", files.count(), files.bytes());
    }

    private void deletions(OrphanFindings findings, ObjectNode node) {
        report.line("Deleted: %s.", text(findings.deleted()));
        Tally spared = new Tally();
        findings.spared()
                .forEach(
                        (verdict, files) -> {
                            spared.add(files);
                            report.line(
                                    "Kept as %s by now: %s.", REASONS.get(verdict), text(files));
                        });
        if (findings.failed().count() > 0) {
            report.line("Could not be deleted, see above: %s.", text(findings.failed()));
        }
        put(findings.deleted(), node.putObject("deleted"));
        put(spared, node.putObject("kept"));
        put(findings.failed(), node.putObject("notDeleted"));
    }

    private static String text(Tally files) {
        return String.format(Locale.ROOT, "%,d, in bytes %,d", files.count(), files.bytes());
    }

    private static void put(Tally files, ObjectNode node) {
        node.put("files", files.count()).put("bytes", files.bytes());
    }
}
