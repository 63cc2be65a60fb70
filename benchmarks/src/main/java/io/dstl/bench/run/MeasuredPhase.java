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

import io.dstl.bench.report.Finding;
import io.dstl.bench.report.Quantity;
import io.dstl.harness.proxy.FaultProxy;
import io.dstl.harness.proxy.RequestJournal.Span;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Warms the job up, and then measures it undisturbed. */
final class MeasuredPhase implements Phase {
    private final Timing timing;
    private final FaultProxy proxy;
    private final Duration between;
    private final BenchJob.Look look;

    MeasuredPhase(Timing timing, FaultProxy proxy) {
        this(timing, proxy, timing.measured(), now -> {});
    }

    /**
     * @param look is taken again and again in the measured time
     * @param between two looks
     */
    MeasuredPhase(Timing timing, FaultProxy proxy, Duration between, BenchJob.Look look) {
        this.timing = timing;
        this.proxy = proxy;
        this.between = between;
        this.look = look;
    }

    @Override
    public String title() {
        return "undisturbed";
    }

    @Override
    public Duration length() {
        return timing.warmUp().plus(timing.measured());
    }

    @Override
    public List<Quantity> quantities() {
        return MeasuredFigure.all().stream()
                .map(MeasuredFigure::quantity)
                .collect(Collectors.toList());
    }

    @Override
    public List<Finding> of(BenchJob job) throws Unfinished, IOException, InterruptedException {
        job.runFor("warm-up", timing.warmUp());
        Sample before = job.sample();
        job.runFor("measured", timing.measured(), between, look);
        Sample after = job.sample();
        job.awaitTriggeredAfter(after.at());
        Measured measured =
                Measured.between(
                        before,
                        after,
                        job.checkpoints().history(),
                        new Tally(proxy.journal().during(Span.between(before.at(), after.at()))));
        job.say(
                String.format(
                        Locale.ROOT,
                        "%d checkpoints, p50 %.0f ms, p99 %.0f ms, longest %.0f ms",
                        measured.completed(),
                        measured.durationMillis(0.5),
                        measured.durationMillis(0.99),
                        measured.durationMillis(1)));
        measured.with(job.parts(measured.checkpoints()));
        return MeasuredFigure.all().stream()
                .map(figure -> figure.of(measured))
                .collect(Collectors.toList());
    }
}
