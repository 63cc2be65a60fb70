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
package io.dstl.tools.inspect;

import io.dstl.tools.checkpoint.EntropyMarker;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.FlinkHome;
import io.dstl.tools.cli.JarVersion;
import io.dstl.tools.sizing.ReplaySpeed;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line of {@code java -jar dstl-changelog.jar inspect}. */
@Command(
        name = "inspect",
        mixinStandardHelpOptions = true,
        versionProvider = JarVersion.class,
        sortOptions = false,
        description = {
            "Tells who writes a log: by job, operator, state and key group; how old it is, how much"
                    + " of it is void, how long its replay takes, and what a materialization would"
                    + " save. Of Flink's own changelog too. Changes nothing.",
            "Exit code: 0 done, 1 a segment could not be read, the rest is shown, 2 unusable"
                    + " arguments or configuration, 3 stopped."
        })
public final class InspectCommand implements Callable<Integer> {
    @Mixin private final FlinkHome flink;
    private final LongSupplier now;

    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "PATH",
            description =
                    "A checkpoint (its directory or its _metadata), a segment, or the base path of"
                            + " a log.")
    private String path;

    @Option(
            names = "--state",
            paramLabel = "NAME",
            description = "With --key: show the changes of one key of this state.")
    private String state;

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description =
                    "With --state: the key as text, such as a string, a number, or a tuple"
                            + " (\"a\", 1); or its serialized bytes as 0x...")
    private String key;

    @Option(
            names = "--key-type",
            paramLabel = "TYPE",
            description =
                    "Of the keys of all operators, where they are neither materialized nor in"
                            + " timers: string, boolean, byte, short, int or long. By default it is"
                            + " guessed.")
    private String keyType;

    @Option(
            names = "--top",
            paramLabel = "N",
            defaultValue = "10",
            description = "The rows of each list, in JSON too. Default: ${DEFAULT-VALUE}.")
    private int top;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "Tasks whose logs are read at the same time, or segments, 1 to 64. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int threads;

    @Mixin private final ReplaySpeed replay = new ReplaySpeed();

    @Option(names = "--json", description = "Print one JSON document instead of tables.")
    private boolean json;

    /**
     * @param home empty only where help is asked for
     * @param now in ms since the epoch, UTC
     */
    public InspectCommand(Optional<Path> home, LongSupplier now) {
        this.flink = new FlinkHome(home);
        this.now = now;
    }

    @Override
    public Integer call() throws CommandFailure {
        return flink.run(
                context -> {
                    InspectSettings settings =
                            InspectSettings.of(threads, top, replay)
                                    .keys(
                                            Optional.ofNullable(keyType),
                                            Optional.ofNullable(state),
                                            Optional.ofNullable(key));
                    Inspector inspector =
                            new Inspector(
                                    settings,
                                    EntropyMarker.of(context.configuration()),
                                    context.redaction(),
                                    now,
                                    spec.commandLine().getOut(),
                                    spec.commandLine().getErr());
                    return () -> inspector.inspect(path, json);
                });
    }
}
