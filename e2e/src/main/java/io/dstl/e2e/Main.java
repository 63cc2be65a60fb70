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
package io.dstl.e2e;

import io.dstl.e2e.chaos.ChaosOutcome;
import io.dstl.e2e.chaos.ChaosPlan;
import io.dstl.e2e.chaos.ChaosScenario;
import io.dstl.e2e.scenario.ClusterPlan.ChainLink;
import io.dstl.e2e.scenario.FlightsScenario;
import io.dstl.e2e.scenario.KillsPassage.KillsOutcome;
import io.dstl.e2e.scenario.RunPlan;
import io.dstl.harness.progress.Instruments;
import io.dstl.harness.progress.Progress;
import io.dstl.harness.report.ReadmeTable;
import io.dstl.harness.rest.JobSubmission.ClaimMode;
import io.dstl.harness.store.S3Store;
import io.dstl.harness.wait.Await.Time;
import io.dstl.harness.wait.SystemTime;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of the end-to-end run; {@code e2e/run.sh} starts it. */
@Command(
        name = "e2e/run.sh",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description = {
            "Runs a real job on a local Flink cluster of real processes, on a store that answers as S3"
                    + " does, with the changelog off and on, and compares their checkpoints; then"
                    + " kills a TaskManager, rescales the job, and compares every row of the result"
                    + " with one computed without Flink.",
            "Exit code: 0 all as it should be, 1 something is not, 2 unusable arguments, 3 the run"
                    + " failed."
        })
public final class Main implements Callable<Integer> {
    private static final int EQUAL = 0;
    private static final int DIFFERENT = 1;
    private static final int FAILED = 3;

    private static final String CHAOS_TABLE =
            "<!-- table: made by e2e/run.sh --chaos --readme -->\n";

    private static final int SHORT_RUN_RATE_FACTOR = 2;
    private static final int KILLS_RATE_DIVISOR = 4;
    private static final int DASHBOARD_RATE_DIVISOR = 2;

    private final PrintStream out;
    private final Time time;

    @Option(
            names = "--store",
            defaultValue = "auto",
            description = "The S3 server: auto, minio-container, minio (on the PATH) or embedded.")
    private S3Store.Kind store;

    @Option(
            names = "--flink-home",
            paramLabel = "DIR",
            description = "A Flink distribution, in place of the assembled libraries.")
    private Optional<Path> flinkHome;

    @Option(
            names = "--flink-version",
            paramLabel = "VERSION",
            description =
                    "A Flink that the jar runs on, such as 1.20.0, in place of the one that it is"
                            + " built with.")
    private Optional<String> flinkVersion;

    @Option(
            names = "--java-home",
            paramLabel = "DIR",
            description = "The Java of the cluster; by default the one that runs this.")
    private Optional<Path> javaHome;

    @Option(
            names = "--input",
            paramLabel = "FILE",
            description = "Flights to read, as e2e/data has them; by default those.")
    private Optional<Path> input;

    @Option(
            names = "--scale",
            defaultValue = "1",
            description = "How often the input is repeated, with other aircraft each time.")
    private int scale;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = {
                "Flights per second. By default as many as leave half of the cores idle, which is found"
                        + " first, while checkpoints are measured, and "
                        + RunPlan.DEFAULT_RATE
                        + " after that."
            })
    private Optional<Integer> rate;

    @Option(
            names = "--short",
            description = "Half of the checkpoints, and then twice the rate: the same faults.")
    private boolean shortRun;

    @Option(
            names = "--parallelism",
            defaultValue = "2",
            description = "Of the job, until it is rescaled.")
    private int parallelism;

    @Option(
            names = "--rescale-to",
            defaultValue = "3",
            description = "Parallelism after the restart from the retained checkpoint.")
    private int rescaleTo;

    @Option(
            names = "--claim-mode",
            defaultValue = "NO_CLAIM",
            description =
                    "How the restart takes the retained checkpoint: ${COMPLETION-CANDIDATES}.")
    private ClaimMode claimMode;

    @Option(
            names = "--chain",
            split = ",",
            paramLabel = "BACKEND",
            description = {
                "Runs the job through clusters with these backends instead, each from the"
                        + " checkpoint that the one before has left: STOCK or DSTL, with the version of"
                        + " Flink where it is another.",
                "Examples: --chain STOCK,DSTL,STOCK,DSTL; --chain STOCK@1.20.5,DSTL@2.3.0"
            })
    private List<ChainLink> chain = List.of();

    @Option(
            names = "--kills",
            paramLabel = "N",
            defaultValue = "0",
            description = {
                "Kills a TaskManager that many times instead, at a quarter of the rate; then has"
                        + " 'dstl orphans --delete' clean up, compares the bucket with what the"
                        + " retained checkpoints refer to, and restores the job from each of them.",
                "Exit code 1 where the bucket holds anything else."
            })
    private int kills;

    @Option(
            names = "--chaos",
            paramLabel = "MINUTES",
            description = {
                "Runs the job for about so long under faults instead, on a cluster with high"
                        + " availability: processes killed and paused, ZooKeeper, disk and store at"
                        + " fault, rescales and savepoints between. Then compares all rows, cleans up,"
                        + " compares the bucket with what the checkpoints refer to, and restores from"
                        + " each.",
                "Exit code 1 where anything is wrong."
            })
    private Optional<Integer> chaos;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Of the faults of --chaos; by default another one each time.")
    private Optional<Long> seed;

    @Option(
            names = "--dashboard",
            paramLabel = "FILE",
            description = {
                "Runs the job at half of the rate instead, with a Prometheus (on the PATH) beside it;"
                        + " for some seconds the store refuses all requests, and later a TaskManager"
                        + " is killed. Then draws docs/dashboards/ with what Prometheus has seen, as"
                        + " SVG."
            })
    private Optional<Path> dashboard;

    @Option(names = "--keep", description = "Leave the cluster up at the end, until Ctrl-C.")
    private boolean keep;

    @Option(
            names = "--readme",
            description =
                    "Put the table into README.md, of --chaos into docs/chaos.md, if nothing is"
                            + " wrong.")
    private boolean readme;

    @Option(names = "--commit", hidden = true, defaultValue = "unknown")
    private String commit;

    @Option(names = "--terminal", hidden = true, description = "Standard output is a terminal.")
    private boolean terminal;

    @Option(names = "--project", hidden = true, required = true)
    private Path project;

    @Option(names = "--run-dir", hidden = true, required = true)
    private Path runDirectory;

    private Main(PrintStream out, Time time) {
        this.out = out;
        this.time = time;
    }

    /** See {@code e2e/run.sh --help}. */
    public static void main(String[] args) {
        PrintStream out = System.out;
        CommandLine command =
                new CommandLine(new Main(out, new SystemTime()))
                        .registerConverter(S3Store.Kind.class, S3Store.Kind::of)
                        .registerConverter(ChainLink.class, ChainLink::of)
                        .setExecutionExceptionHandler(
                                (failure, line, parsed) -> reportFailure(out, failure));
        System.exit(command.execute(args));
    }

    @Override
    public Integer call() throws Exception {
        Progress progress = terminal ? new Progress.Terminal(out) : new Progress.Plain(out, time);
        if (chaos.isPresent()) {
            return runChaos(new Instruments(time, progress));
        }
        if (seed.isPresent()) {
            throw new IllegalArgumentException(
                    "--seed is " + seed.get() + " without --chaos: nothing else is drawn");
        }
        try (FlightsScenario scenario =
                new FlightsScenario(plan(), new Instruments(time, progress))) {
            Thread atCtrlC = new Thread(() -> closeQuietly(scenario), "stop-at-exit");
            Runtime.getRuntime().addShutdownHook(atCtrlC);
            if (kills > 0) {
                KillsOutcome left = scenario.runKills(kills);
                out.println(left.summary());
                return left.isClean() ? EQUAL : DIFFERENT;
            }
            if (dashboard.isPresent()) {
                scenario.runDashboard(dashboard.get().toAbsolutePath());
                return EQUAL;
            }
            FlightsScenario.Outcome outcome =
                    chain.isEmpty() ? scenario.run() : scenario.runChain(chain);
            outcome.comparison().shown().forEach(out::println);
            out.println(outcome.comparison().summary());
            if (readme && chain.isEmpty() && outcome.allRight()) {
                ReadmeTable.replace(project.resolve("README.md"), outcome.report().markdown());
            }
            if (keep) {
                out.println("web UI: " + outcome.ui() + " (Ctrl-C stops the cluster)");
                new CountDownLatch(1).await();
            }
            return outcome.allRight() ? EQUAL : DIFFERENT;
        }
    }

    private int runChaos(Instruments instruments) throws Exception {
        ChaosPlan faults =
                ChaosPlan.of(chaos.get(), seed.orElseGet(() -> time.clock().millis() % 1_000_000));
        RunPlan plan = basicPlan();
        ChaosOutcome found;
        try (ChaosScenario scenario = new ChaosScenario(plan, faults, instruments)) {
            Thread atCtrlC = new Thread(() -> closeQuietly(scenario), "stop-at-exit");
            Runtime.getRuntime().addShutdownHook(atCtrlC);
            found = scenario.run();
        }
        out.println();
        out.println(found.summary());
        if (!found.isClean()) {
            out.println(Files.readString(plan.directory().resolve(ChaosScenario.SCHEDULE)));
            out.println(
                    "evidence: "
                            + found.keepEvidence(plan.directory(), time.clock())
                            + "; again: e2e/run.sh --chaos "
                            + chaos.get()
                            + " --seed "
                            + found.seed());
            return DIFFERENT;
        }
        if (readme) {
            String command = "e2e/run.sh --chaos " + chaos.get() + " --seed " + found.seed();
            ReadmeTable.replace(
                    project.resolve("docs/chaos.md"), CHAOS_TABLE, found.table(command, commit));
        }
        return EQUAL;
    }

    private RunPlan plan() {
        RunPlan plan =
                basicPlan()
                        .scale(Math.max(scale, kills))
                        .isShort(shortRun)
                        .parallelism(parallelism, rescaleTo)
                        .claimMode(claimMode);
        pace().ifPresent(plan::rate);
        return plan;
    }

    private RunPlan basicPlan() {
        RunPlan plan =
                new RunPlan(
                        project.toAbsolutePath().normalize(),
                        runDirectory.toAbsolutePath().normalize(),
                        javaHome.orElse(Path.of(System.getProperty("java.home"))));
        input.ifPresent(file -> plan.input(file.toAbsolutePath()));
        return plan.store(store)
                .flink(flinkHome.map(Path::toAbsolutePath), flinkVersion)
                .commit(commit);
    }

    /** Between two kills a job also has to catch up with what it had read before. */
    private Optional<Integer> pace() {
        int divisor =
                kills > 0 ? KILLS_RATE_DIVISOR : dashboard.isPresent() ? DASHBOARD_RATE_DIVISOR : 1;
        Optional<Integer> wanted =
                divisor > 1 ? Optional.of(rate.orElse(RunPlan.DEFAULT_RATE) / divisor) : rate;
        return wanted.map(flights -> shortRun ? SHORT_RUN_RATE_FACTOR * flights : flights);
    }

    private static void closeQuietly(AutoCloseable scenario) {
        try {
            scenario.close();
        } catch (Exception e) {
            System.err.println("not everything could be stopped: " + e);
        }
    }

    private static int reportFailure(PrintStream out, Exception failure) {
        out.println();
        if (failure instanceof IllegalArgumentException) {
            System.err.println(failure.getMessage());
            return CommandLine.ExitCode.USAGE;
        }
        failure.printStackTrace();
        return FAILED;
    }
}
