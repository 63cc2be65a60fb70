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

import io.dstl.bench.report.Quantity;
import io.dstl.bench.report.Quantity.Finding;
import io.dstl.bench.run.Measured.Sample;
import io.dstl.bench.run.Phase.Unfinished;
import io.dstl.harness.proxy.Disturbance;
import io.dstl.harness.proxy.Disturbance.Errors;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Something that the store does wrong for a time, and then no longer. */
public abstract class Fault {
    private static final Pattern ERRORS = Pattern.compile("(\\d{3}):(\\d{1,3})%:(\\w+)");
    private static final double PERCENT = 100;

    private final String title;
    private final Duration length;

    private Fault(String title, Duration length) {
        this.title = title;
        this.length = length;
    }

    /** Reads the value of {@code --stall}: how long no request is answered, as in 15s. */
    public static Fault stall(String length) {
        Duration time = Timing.parse("--stall", length);
        return new Fault("all requests stalled for " + length, time) {
            @Override
            void begin(Disturbance disturbance) {
                disturbance.stall(time);
            }
        };
    }

    /** Reads the value of {@code --errors}: status, share and time, as in 503:30%:30s. */
    public static Fault errors(String value) {
        Matcher parts = ERRORS.matcher(value);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "--errors is '" + value + "': give status:share:time, as in 503:30%:30s");
        }
        Duration time = Timing.parse("--errors", parts.group(3));
        Errors errors = errors(value, parts.group(1), parts.group(2));
        String title =
                String.format(
                        Locale.ROOT,
                        "%s%% of requests answered %s for %s",
                        parts.group(2),
                        parts.group(1),
                        parts.group(3));
        return new Fault(title, time) {
            @Override
            void begin(Disturbance disturbance) {
                disturbance.fail(errors, time);
            }
        };
    }

    private static Errors errors(String value, String status, String percent) {
        try {
            return new Errors(Integer.parseInt(status), Integer.parseInt(percent) / PERCENT);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "--errors is '" + value + "': give a status from 400 to 599 and 0% to 100%", e);
        }
    }

    /** The same, with something that happens to the job as it begins. */
    Fault with(String name, Runnable event) {
        Fault fault = this;
        return new Fault(name + ", " + title, length) {
            @Override
            void begin(Disturbance disturbance) {
                fault.begin(disturbance);
                event.run();
            }
        };
    }

    /** Hands itself over, unless it takes no time. */
    public void ifReal(Consumer<Fault> taker) {
        if (!length.isZero()) {
            taker.accept(this);
        }
    }

    /** For headings. */
    String title() {
        return title;
    }

    Duration length() {
        return length;
    }

    /** Starts it; it ends by itself. */
    abstract void begin(Disturbance disturbance);

    /**
     * The store does something wrong for a time; then the job gets back to completing checkpoints.
     */
    static final class FaultPhase implements Phase {
        private final Fault fault;
        private final Disturbance disturbance;
        private final Quantity restarts;
        private final Quantity failed;
        private final Quantity recovery;

        FaultPhase(Fault fault, Disturbance disturbance) {
            this.fault = fault;
            this.disturbance = disturbance;
            String title = fault.title();
            restarts = Quantity.of(title + ": job restarts", title + ".restarts", "%.0f");
            failed =
                    Quantity.of(
                            title + ": failed checkpoints", title + ".failedCheckpoints", "%.0f");
            recovery =
                    Quantity.of(
                            title + ": first checkpoint after its end, ms",
                            title + ".recoveryMillis",
                            "%.0f");
        }

        @Override
        public String title() {
            return fault.title();
        }

        @Override
        public List<Quantity> quantities() {
            return List.of(restarts, failed, recovery);
        }

        /** The restarts and failures count even when no checkpoint ever comes again. */
        @Override
        public List<Finding> of(BenchJob job) throws Unfinished, IOException, InterruptedException {
            Sample before = job.sample();
            Instant start = before.at;
            job.happened(fault.title());
            fault.begin(disturbance);
            job.runFor("fault", fault.length());
            job.happened("over");
            Finding recovered;
            try {
                CompletedCheckpoint first = job.awaitTriggeredAfter(start.plus(fault.length()));
                Instant complete = first.triggered.plus(first.duration);
                recovered =
                        Finding.of(
                                recovery,
                                Duration.between(start.plus(fault.length()), complete).toMillis());
            } catch (Unfinished e) {
                job.say(fault.title() + ": " + e.getMessage());
                recovered = Finding.none(recovery, e.cell());
            }
            Sample after = job.sample();
            int restarted = after.checkpoints.restored - before.checkpoints.restored;
            int lost = after.checkpoints.failed - before.checkpoints.failed;
            job.say(
                    String.format(
                            Locale.ROOT,
                            "%s: %d restarts, %d failed checkpoints, next checkpoint after %s ms",
                            fault.title(),
                            restarted,
                            lost,
                            recovered.plain()));
            return List.of(Finding.of(restarts, restarted), Finding.of(failed, lost), recovered);
        }
    }
}
