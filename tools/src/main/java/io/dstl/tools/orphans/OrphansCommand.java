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
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.FlinkHome;
import io.dstl.tools.cli.JarVersion;
import io.dstl.tools.cli.Progress;
import io.dstl.tools.cli.Report;
import io.dstl.tools.orphans.OrphanRule.OperatorWord;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of {@code java -jar dstl-changelog.jar orphans}. */
@Command(
        name = "orphans",
        mixinStandardHelpOptions = true,
        versionProvider = JarVersion.class,
        sortOptions = false,
        description = {
            "Lists the segments of the log, and the state files beside the checkpoints, that no"
                    + " retained checkpoint or savepoint refers to, and deletes them if asked to."
                    + " They are left by TaskManagers and JobManagers that died.",
            "Give every directory that has checkpoints of the jobs that share the log: what is"
                    + " referred to from elsewhere only looks like an orphan.",
            "Exit code: 0 done, 1 some orphans could not be deleted, 2 unusable arguments or"
                    + " configuration, 3 stopped, for example at a checkpoint that can't be read."
        })
public final class OrphansCommand implements Callable<Integer> {
    private final LongSupplier now;

    @Spec private CommandSpec spec;

    @Mixin private final FlinkHome flink;

    @Option(
            names = "--checkpoints",
            paramLabel = "DIR",
            description =
                    "A directory with checkpoints or savepoints, at any depth, beside"
                            + " execution.checkpointing.dir and execution.checkpointing.savepoint-dir."
                            + " May be repeated.")
    private List<String> checkpoints = new ArrayList<>();

    @Option(
            names = "--savepoint",
            paramLabel = "PATH",
            description =
                    "One checkpoint or savepoint: its directory or its _metadata. May be repeated.")
    private List<String> savepoints = new ArrayList<>();

    @Option(
            names = "--ended",
            paramLabel = "JOB_ID",
            split = ",",
            description =
                    "A job that runs nowhere any more, and all of whose checkpoints are where this"
                            + " command looks: it stops if it finds nothing of them. May be"
                            + " repeated. Of any other job only what is older than its newest"
                            + " checkpoint can be an orphan. JOB_ID/MARK: it runs no more on that"
                            + " cluster of several.")
    private List<String> ended = new ArrayList<>();

    @Option(
            names = "--no-checkpoints-of",
            paramLabel = "JOB_ID",
            split = ",",
            description =
                    "A job given by --ended of which no checkpoint or savepoint was kept but those"
                            + " that are found, so that all is to go that these do not refer to; or"
                            + " JOB_ID/MARK. May be repeated.")
    private List<String> withoutCheckpoints = new ArrayList<>();

    @Option(
            names = "--moved",
            paramLabel = "JOB_ID/MARK=DIR",
            description =
                    "The checkpoints of the job on the cluster of that mark are in DIR: its program"
                            + " sets this directory, or the configuration was changed. May be"
                            + " repeated.")
    private List<String> moved = new ArrayList<>();

    @Option(
            names = "--min-age",
            paramLabel = "DURATION",
            defaultValue = "24 h",
            description =
                    "How much older than its job's newest checkpoint an orphan is at least; of an"
                            + " ended job, how old. Never below the checkpoint timeout. State files"
                            + " of a job that has not ended: never below 24 h, and above what a"
                            + " materialization of the job may take. Default: ${DEFAULT-VALUE}.")
    private String minAge;

    @Option(
            names = "--state-files",
            description =
                    "Look at the state files beside the checkpoints too: shared/, taskowned/ and"
                            + " chk-N. Not where a job has a write-ahead sink, which keeps files in"
                            + " taskowned/ that no checkpoint names.")
    private boolean stateFiles;

    @Option(
            names = "--delete",
            description =
                    "Delete the orphans, after all checkpoints have been read once more. Without"
                            + " it they are only listed.")
    private boolean delete;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "16",
            description =
                    "How many files are deleted at once, and with s3.entropy.key how many"
                            + " directories are listed, 1 to 256. Default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(names = "--json", description = "Print one JSON document instead of text.")
    private boolean json;

    /**
     * @param home empty only where help is asked for
     * @param now in ms since the epoch, UTC
     */
    public OrphansCommand(Optional<Path> home, LongSupplier now) {
        this.flink = new FlinkHome(home);
        this.now = now;
    }

    @Override
    public Integer call() throws CommandFailure {
        return flink.run(
                context -> {
                    OrphanSettings wanted =
                            OrphanSettings.of(
                                            context.configuration(),
                                            minAge,
                                            OperatorWord.of(ended, withoutCheckpoints, moved))
                                    .andCheckpoints(checkpoints, savepoints)
                                    .stateFiles(stateFiles)
                                    .threads(threads);
                    return () -> search(wanted, context.redaction());
                });
    }

    private int search(OrphanSettings wanted, Redaction redaction) throws Exception {
        wanted.checkStores();
        PrintWriter out = spec.commandLine().getOut();
        OrphanReport report = new OrphanReport(new Report(out, json), redaction);
        OrphanHunt hunt =
                new OrphanHunt(
                        wanted.checkpoints(progress()),
                        wanted.log(progress()),
                        wanted.rule(now.getAsLong()),
                        report,
                        delete
                                ? Optional.of(new OrphanDeletion(threads, progress()))
                                : Optional.empty());
        return hunt.run();
    }

    /** Each part of the search has its own, as a deletion comes in the middle of the others. */
    private Progress progress() {
        return new Progress(spec.commandLine().getErr(), now);
    }
}
