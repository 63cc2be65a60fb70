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
package io.dstl.tools.verify;

import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.cli.OneLine;
import io.dstl.tools.cli.Report;
import io.dstl.tools.cli.Tally;
import io.dstl.tools.verify.Finding.Depth;
import io.dstl.tools.verify.StoredObject.Need;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Shows what is found, as it is found: a line, or a finding of the JSON document, for each object
 * that is not intact; and the sums at the end. For one thread.
 */
final class VerifyReport {
    private static final Verdict[] FAULTS = {
        Verdict.MISSING, Verdict.DAMAGED, Verdict.UNREADABLE, Verdict.UNCHECKED
    };

    private final Report report;

    VerifyReport(Report report) {
        this.report = report;
    }

    /** One that is not {@link Verdict#INTACT}. */
    void finding(Finding finding) throws IOException {
        report.line(
                "%-10s  %s%s: %s; %s",
                finding.verdict(),
                Redacted.of(finding.path()),
                neededBy(finding.needs()),
                finding.problem(),
                finding.remedy());
        ObjectNode node =
                Report.node()
                        .put("verdict", finding.verdict().toString())
                        .put("object", Redacted.of(finding.path()).toString())
                        .put("problem", finding.problem())
                        .put("remedy", finding.remedy());
        ArrayNode needs = node.putArray("neededBy");
        finding.needs().forEach(need -> put(need, needs.addObject()));
        report.finding(node);
        report.flush();
    }

    private static String neededBy(List<Need> needs) {
        if (needs.isEmpty()) {
            return "";
        }
        Need first = needs.get(0);
        return ", needed by "
                + OneLine.of(first.owner.toString())
                + " ("
                + first.part
                + ")"
                + (needs.size() > 1 ? " and " + (needs.size() - 1) + " more" : "");
    }

    private static void put(Need need, ObjectNode node) {
        node.put("checkpoint", Redacted.of(need.checkpoint.path()).toString());
        node.put("operatorId", need.owner.operatorId());
        need.owner.operatorUid().ifPresent(uid -> node.put("operatorUid", uid));
        need.owner.operatorName().ifPresent(name -> node.put("operatorName", name));
        need.owner.subtask().ifPresent(subtask -> node.put("subtask", subtask));
        node.put("parallelism", need.owner.parallelism());
        node.put("part", need.part.toString());
    }

    /** Once, at the end. */
    void sums(Collection<VerifiedCheckpoint> checkpoints, Sums sums) throws IOException {
        ObjectNode node = Report.node();
        ObjectNode intact = node.putObject("intact");
        report.line("");
        for (Depth depth : Depth.values()) {
            String name = depth.name().toLowerCase(Locale.ROOT);
            tally(sums.intact(depth), depth.toString(), intact.putObject(name));
        }
        tally(sums.inMetadata(), "In the metadata itself", intact.putObject("inMetadata"));
        report.line("");
        ArrayNode all = node.putArray("checkpoints");
        checkpoints.forEach(checkpoint -> checkpoint(checkpoint, all.addObject()));
        report.end(node);
    }

    private void tally(Tally tally, String what, ObjectNode node) {
        if (tally.count() > 0) {
            report.line("%s: %,d, in bytes %,d.", what, tally.count(), tally.bytes());
        }
        node.put("objects", tally.count()).put("bytes", tally.bytes());
    }

    private void checkpoint(VerifiedCheckpoint checkpoint, ObjectNode node) {
        report.line(
                "%-10s  %s%s",
                verdict(checkpoint.verdict()), Redacted.of(checkpoint.path()), faults(checkpoint));
        node.put("metadata", Redacted.of(checkpoint.path()).toString());
        node.put("verdict", checkpoint.verdict().toString());
        if (checkpoint.verdict() == Verdict.GONE) {
            node.put("remedy", Verdict.GONE.remedy());
        }
        for (Verdict fault : FAULTS) {
            node.put(fault.name().toLowerCase(Locale.ROOT), checkpoint.count(fault));
        }
    }

    private static String verdict(Verdict verdict) {
        switch (verdict) {
            case INTACT:
                return "intact";
            case DAMAGED:
                return "not intact";
            case GONE:
                return "gone";
            default:
                return "not known";
        }
    }

    private static String faults(VerifiedCheckpoint checkpoint) {
        List<String> faults = new ArrayList<>();
        for (Verdict verdict : FAULTS) {
            if (checkpoint.count(verdict) > 0) {
                faults.add(
                        String.format(Locale.ROOT, "%,d %s", checkpoint.count(verdict), verdict));
            }
        }
        String all = faults.isEmpty() ? "" : ": " + String.join(", ", faults);
        return checkpoint.verdict() == Verdict.GONE
                ? all + "; it was deleted meanwhile, so that is no damage; " + Verdict.GONE.remedy()
                : all;
    }
}
