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

import io.dstl.harness.report.Figure;
import io.dstl.harness.report.Figure.Percentile;
import io.dstl.harness.report.RunReport.CheckpointRun;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a run has shown, in one sentence. */
final class Headline {
    private Headline() {}

    static String of(List<CheckpointRun> runs) {
        Optional<CheckpointRun> off = measured(runs, Mode.CHANGELOG_OFF);
        Optional<CheckpointRun> on = measured(runs, Mode.CHANGELOG_ON);
        if (off.isEmpty() || on.isEmpty()) {
            return "One job, from one backend to the next";
        }
        double without = median(off.get());
        double with = median(on.get());
        return String.format(
                Locale.ROOT,
                "Half of the checkpoints took at most %s with the changelog, and %s without: %.2f of"
                        + " the time",
                Figure.DURATION.format(with),
                Figure.DURATION.format(without),
                with / without);
    }

    /** Those with the same job at the same pace, off and on. */
    static List<CheckpointRun> measured(List<CheckpointRun> runs) {
        return List.of(Mode.values()).stream()
                .flatMap(mode -> measured(runs, mode).stream())
                .collect(Collectors.toList());
    }

    private static Optional<CheckpointRun> measured(List<CheckpointRun> runs, Mode mode) {
        return runs.stream().filter(run -> run.label().equals(mode.label())).findFirst();
    }

    private static double median(CheckpointRun run) {
        return Percentile.P50.of(Figure.DURATION.summary(run.statistics()));
    }
}
