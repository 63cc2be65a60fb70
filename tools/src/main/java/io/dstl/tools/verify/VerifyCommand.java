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

import io.dstl.tools.checkpoint.EntropyMarker;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.FlinkHome;
import io.dstl.tools.cli.JarVersion;
import io.dstl.tools.cli.Progress;
import io.dstl.tools.cli.Report;
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
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line of {@code java -jar dstl-changelog.jar verify}. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        versionProvider = JarVersion.class,
        sortOptions = false,
        description = {
            "Tells whether every object that a checkpoint or savepoint needs is in the store and"
                    + " intact. Changes nothing.",
            "Segments of the log are read and decoded: dstl's, and Flink's compressed ones, are"
                    + " held against their checksums; Flink's plain ones have none, so only their"
                    + " structure is checked. State files, such as RocksDB's SST files, are"
                    + " checked by their size only.",
            "Exit code: 0 intact, 1 something is missing or damaged, 2 unusable arguments or"
                    + " configuration, 3 stopped, some objects could not be read, or the job has"
                    + " deleted the checkpoint meanwhile."
        })
public final class VerifyCommand implements Callable<Integer> {
    private final LongSupplier now;

    @Spec private CommandSpec spec;

    @Mixin private final FlinkHome flink;

    @Parameters(
            paramLabel = "CHECKPOINT",
            arity = "1..*",
            description =
                    "A checkpoint or savepoint: its directory or its _metadata. What several of"
                            + " them share is read once.")
    private List<String> checkpoints = new ArrayList<>();

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "16",
            description = "How many objects are read at once, 1 to 256. Default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(names = "--json", description = "Print one JSON document instead of text.")
    private boolean json;

    /**
     * @param home empty only where help is asked for
     * @param now in ms
     */
    public VerifyCommand(Optional<Path> home, LongSupplier now) {
        this.flink = new FlinkHome(home);
        this.now = now;
    }

    @Override
    public Integer call() throws CommandFailure {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        return flink.run(
                context -> {
                    VerifySettings settings =
                            VerifySettings.of(
                                    checkpoints,
                                    threads,
                                    EntropyMarker.of(context.configuration()));
                    VerifyReport report = new VerifyReport(new Report(out, json));
                    return () ->
                            new Verification(settings, report, new Progress(err, now))
                                    .run(context.redaction());
                });
    }
}
