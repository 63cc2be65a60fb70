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
import io.dstl.tools.cli.Tally;
import io.dstl.tools.verify.Finding.Depth;
import io.dstl.tools.verify.StoredObject.Need;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** One line for each object that is not intact, then the sums. */
final class TextReport implements VerifyReport {
    private static final Verdict[] FAULTS = {
        Verdict.MISSING, Verdict.DAMAGED, Verdict.UNREADABLE, Verdict.UNCHECKED
    };

    private final PrintWriter out;

    TextReport(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void finding(Finding finding) {
        print(
                "%-10s  %s%s: %s; %s",
                finding.verdict(),
                Redacted.of(finding.path()),
                neededBy(finding.needs()),
                finding.problem(),
                finding.remedy());
        out.flush();
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

    @Override
    public void sums(Collection<VerifiedCheckpoint> checkpoints, Sums sums) {
        print("");
        for (Depth depth : Depth.values()) {
            tally(sums.intact(depth), depth.toString());
        }
        tally(sums.inMetadata(), "In the metadata itself");
        print("");
        checkpoints.forEach(this::checkpoint);
        out.flush();
    }

    private void tally(Tally tally, String what) {
        if (tally.count() > 0) {
            print("%s: %,d, in bytes %,d.", what, tally.count(), tally.bytes());
        }
    }

    private void checkpoint(VerifiedCheckpoint checkpoint) {
        print(
                "%-10s  %s%s",
                verdict(checkpoint.verdict()), Redacted.of(checkpoint.path()), faults(checkpoint));
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

    private void print(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }
}
