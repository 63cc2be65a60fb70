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
package io.dstl.tools.sizing;

import io.dstl.tools.cli.JarVersion;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of {@code java -jar dstl-changelog.jar sizing}. */
@Command(
        name = "sizing",
        mixinStandardHelpOptions = true,
        versionProvider = JarVersion.class,
        sortOptions = false,
        description = {
            "Prints what the log of a job takes: requests, space, replay and money a month, and the"
                    + " settings that follow. The formulas are in docs/operations.md.",
            "Sizes take kb, mb, gb, tb; times take ms, s, min, h, d.",
            "Needs no Flink, and asks no store.",
            "Exit code: 0 done, 2 unusable arguments."
        })
public final class SizingCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private final Workload workload = new Workload();
    @Mixin private final Tuning tuning = new Tuning();
    @Mixin private final Prices prices = new Prices();

    @Option(
            names = "--json",
            description =
                    "Print one JSON document, in bytes, seconds and dollars, instead of a table.")
    private boolean json;

    @Override
    public Integer call() {
        Optional<String> mistake =
                workload.mistake()
                        .or(() -> tuning.mistake(workload.interval()))
                        .or(prices::mistake);
        if (mistake.isPresent()) {
            throw new ParameterException(spec.commandLine(), mistake.get());
        }
        SizingReport report = new SizingReport(workload, tuning, prices);
        spec.commandLine().getOut().print(json ? report.json() : report.table());
        spec.commandLine().getOut().flush();
        return 0;
    }
}
