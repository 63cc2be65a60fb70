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
package io.dstl.bench;

import io.dstl.harness.store.S3Store;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** See {@code benchmarks/run.sh --help}. */
@Command(
        name = "benchmarks/run.sh",
        mixinStandardHelpOptions = true,
        description = "The benchmarks of dstl.",
        subcommands = {
            StorageCommand.class,
            ClusterCommand.class,
            BurstCommand.class,
            RecoveryCommand.class,
            SpaceCommand.class,
            ScaleCommand.class,
            MicroCommand.class,
            SerializersCommand.class
        })
public final class Main {
    private Main() {}

    /** Exit code: 0 measured, 2 unusable arguments, 3 the run failed, 4 a part came to no end. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Returns the exit code. */
    static int run(String... args) {
        CommandLine command =
                new CommandLine(new Main())
                        .registerConverter(S3Store.Kind.class, S3Store.Kind::of)
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .setExecutionExceptionHandler((failure, line, parsed) -> report(failure));
        return command.execute(args);
    }

    private static int report(Exception failure) {
        if (failure instanceof IllegalArgumentException) {
            System.err.println(failure.getMessage());
            return CommandLine.ExitCode.USAGE;
        }
        failure.printStackTrace();
        return RunOptions.FAILED;
    }
}
