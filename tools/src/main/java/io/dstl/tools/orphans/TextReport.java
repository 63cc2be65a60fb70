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
import io.dstl.tools.cli.Tally;
import io.dstl.tools.orphans.OrphanFindings.OfJob;
import io.dstl.tools.orphans.OrphanRule.Verdict;
import io.dstl.tools.orphans.StoredName.StoredFile;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.flink.core.fs.Path;

/** As lines of text, and a table of the sums. */
final class TextReport implements OrphanReport {
    /** Of the clusters of state files: there may be as many as names have entropy. */
    private static final int SHOWN = 3;

    private static final String ROW = "%-44s  %22s  %22s  %22s  %22s  %22s";

    private final PrintWriter out;
    private final Redaction redaction;

    TextReport(PrintWriter out, Redaction redaction) {
        this.out = out;
        this.redaction = redaction;
    }

    @Override
    public void checkpoints(RetainedReferences references) {
        references
                .readByDirectory()
                .forEach(
                        (directory, read) ->
                                print("Checkpoints read: %,d in %s", read, Redacted.of(directory)));
        print("Segments they refer to: %,d", references.segments());
        out.flush();
    }

    @Override
    public void orphan(StoredFile orphan) {
        print(
                "orphan  %s  %,12d bytes  %s",
                Instant.ofEpochMilli(orphan.writtenAt), orphan.bytes, Redacted.of(orphan.path));
    }

    @Override
    public void link(Path link) {
        print("left alone, as it is a symbolic link: %s", Redacted.of(link));
    }

    @Override
    public void failed(StoredFile orphan, Exception cause) {
        print(
                "not deleted: %s: %s",
                Redacted.of(orphan.path), redaction.failure((Throwable) cause));
    }

    @Override
    public void sums(OrphanFindings findings, boolean deleting, boolean complete) {
        print("");
        if (!complete) {
            print("Not all was looked at, so this is only what was found until then:");
        }
        print(
                ROW,
                "job (files / bytes)",
                "referred to",
                "too young",
                "job unknown",
                "cluster unknown",
                "orphans");
        findings.byJob().forEach(this::job);
        if (findings.total(Verdict.JOB_UNKNOWN).count() > 0) {
            print("");
            print(
                    "No retained checkpoint was found of the jobs with files under \"job"
                            + " unknown\". Where they are: --checkpoints DIR. Those that run nowhere"
                            + " any more: --ended JOB_ID.");
        }
        if (!findings.otherDirectories().isEmpty()) {
            print("");
            print(
                    "State files under \"cluster unknown\" are in a directory without a checkpoint"
                            + " of their job, which has some elsewhere. If it is the same cluster,"
                            + " say in which directory: --moved JOB_ID/MARK=DIR, with %s.",
                    findings.otherDirectories().stream()
                            .limit(SHOWN)
                            .collect(Collectors.joining(", ")));
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

    private void job(OfJob found) {
        print(
                ROW,
                found.job() + (found.isLog() ? "" : " state files"),
                cell(found, Verdict.REFERENCED),
                cell(found, Verdict.YOUNG),
                cell(found, Verdict.JOB_UNKNOWN),
                cell(found, Verdict.CLUSTER_UNKNOWN),
                cell(found, Verdict.ORPHAN));
    }

    private void deletions(OrphanFindings findings) {
        print("Deleted: %s.", text(findings.deleted()));
        if (findings.spared().count() > 0) {
            print("Kept as a checkpoint refers to them by now: %s.", text(findings.spared()));
        }
        if (findings.failed().count() > 0) {
            print("Could not be deleted, see above: %s.", text(findings.failed()));
        }
    }

    private static String cell(OfJob found, Verdict verdict) {
        Tally files = found.count(verdict);
        return String.format(Locale.ROOT, "%,d / %,d", files.count(), files.bytes());
    }

    private static String text(Tally files) {
        return String.format(Locale.ROOT, "%,d, in bytes %,d", files.count(), files.bytes());
    }

    private void print(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }
}
