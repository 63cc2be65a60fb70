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
package io.dstl.bench.run;

import io.dstl.bench.job.JobArguments;
import io.dstl.bench.job.StateModel;
import io.dstl.bench.job.TotalsFile;
import io.dstl.bench.job.Updates;
import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.run.Phase.Unfinished;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The job is stopped, and its state, byte by byte, held against what the updates that it was given
 * must have made of it. The last phase of a run.
 */
final class TotalsPhase implements Phase {
    private static final Quantity UPDATES =
            Quantity.of("Updates from start to end", "totals.updates", "%.0f");
    private static final Quantity EXACT =
            Quantity.of("State in the end as computed, 1: exactly", "totals.exact", "%.0f");

    private final JobArguments arguments;
    private final Path results;
    private final int parallelism;

    /**
     * @param results where the job writes down its totals
     * @param parallelism of the state
     */
    TotalsPhase(JobArguments arguments, Path results, int parallelism) {
        this.arguments = arguments;
        this.results = results;
        this.parallelism = parallelism;
    }

    @Override
    public String title() {
        return "totals";
    }

    @Override
    public List<Quantity> quantities() {
        return List.of(UPDATES, EXACT);
    }

    @Override
    public List<Finding> of(BenchJob job) throws Unfinished, IOException, InterruptedException {
        job.drain();
        long[] counts = TotalsFile.sum(results, TotalsFile.UPDATES, Updates.SPLITS);
        long[] found = TotalsFile.sum(results, TotalsFile.STATE, parallelism);
        long[] expected = StateModel.totals(arguments, counts);
        long updates = Arrays.stream(counts).sum();
        if (!Arrays.equals(found, expected)) {
            throw new Unfinished(
                    "WRONG STATE",
                    "after "
                            + updates
                            + " updates the totals are "
                            + Arrays.toString(found)
                            + ", not "
                            + Arrays.toString(expected));
        }
        job.say(String.format(Locale.ROOT, "state exact after %,d updates", updates));
        return List.of(Finding.of(UPDATES, updates), Finding.of(EXACT, 1));
    }
}
