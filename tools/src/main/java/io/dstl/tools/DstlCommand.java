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
package io.dstl.tools;

import io.dstl.secret.Redaction;
import io.dstl.secret.UriCredentials;
import io.dstl.tools.cli.CommandFailure;
import io.dstl.tools.cli.ExitCode;
import io.dstl.tools.cli.JarVersion;
import io.dstl.tools.inspect.InspectCommand;
import io.dstl.tools.orphans.OrphansCommand;
import io.dstl.tools.sizing.SizingCommand;
import io.dstl.tools.verify.VerifyCommand;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The commands of the jar; the launcher has put Flink beside them. */
@Command(
        name = "dstl",
        mixinStandardHelpOptions = true,
        versionProvider = JarVersion.class,
        description = "Looks after what dstl has stored, and says what it is going to take.",
        synopsisSubcommandLabel = "COMMAND")
public final class DstlCommand {
    /**
     * What the name of a secret may have in it. Which keys Flink takes for secret is not asked, as
     * there may be no Flink: these are more.
     */
    private static final Pattern SECRET =
            Pattern.compile("(?i)secret|passw|token|key|credential|auth|sas|jaas|http-headers");

    /** The end of picocli's message about a setting without a value. */
    private static final Pattern BUT_WAS = Pattern.compile("but was .*", Pattern.DOTALL);

    private static final String HIDDEN = "******";

    private DstlCommand() {}

    /**
     * Runs a command and ends the process with its exit code.
     *
     * @param flinkHome empty only where help is asked for, or a command that needs none
     */
    public static void run(String[] arguments, Optional<Path> flinkHome) {
        // System.out is the libraries', and leads elsewhere.
        OutputStreamWriter out =
                new OutputStreamWriter(
                        new FileOutputStream(FileDescriptor.out), Charset.defaultCharset());
        System.exit(
                commandLine(flinkHome, SystemTime::millis)
                        .setOut(new PrintWriter(new BufferedWriter(out), true))
                        .execute(arguments));
    }

    /**
     * The command line, to be executed.
     *
     * @param now in ms since the epoch, UTC
     */
    public static CommandLine commandLine(Optional<Path> flinkHome, LongSupplier now) {
        return new CommandLine(new DstlCommand())
                .addSubcommand(new OrphansCommand(flinkHome, now))
                .addSubcommand(new InspectCommand(flinkHome, now))
                .addSubcommand(new SizingCommand())
                .addSubcommand(new VerifyCommand(flinkHome, now))
                .setParameterExceptionHandler(DstlCommand::refuse)
                .setExecutionExceptionHandler(DstlCommand::report);
    }

    /**
     * One line, with what is wrong. All options take more than a screen: they are in the help. What
     * was typed is in it, and a setting that was typed wrong is no setting to be redacted as such.
     */
    private static int refuse(CommandLine.ParameterException failure, String[] arguments) {
        String shown = withoutSecrets(failure.getMessage(), arguments);
        failure.getCommandLine().getErr().println(UriCredentials.replaced(shown, "***"));
        return ExitCode.USAGE;
    }

    /** Hides all values where a secret may have been typed: it may be any of them. */
    private static String withoutSecrets(String message, String... arguments) {
        if (Arrays.stream(arguments).noneMatch(argument -> SECRET.matcher(argument).find())) {
            return message;
        }
        String shown = BUT_WAS.matcher(message).replaceFirst("but was " + HIDDEN);
        for (String argument : arguments) {
            int value = argument.startsWith("-") ? argument.indexOf('=') + 1 : 0;
            if (value > 0 || !argument.startsWith("-")) {
                shown =
                        shown.replace(
                                "'" + argument + "'",
                                "'" + argument.substring(0, value) + HIDDEN + "'");
            }
        }
        return shown;
    }

    private static int report(Exception failure, CommandLine line, CommandLine.ParseResult parsed) {
        PrintWriter err = line.getErr();
        boolean expected = failure instanceof CommandFailure;
        int exitCode = expected ? ((CommandFailure) failure).exitCode() : ExitCode.STOPPED;
        Throwable shown =
                expected
                        ? ((CommandFailure) failure).without(Redaction.OF_URIS)
                        : Redaction.OF_URIS.failure(failure);
        err.println(expected ? shown.getMessage() : "Stopped: " + shown);
        for (Throwable cause = shown.getCause(); cause != null; cause = cause.getCause()) {
            err.println("  caused by " + cause);
        }
        err.flush();
        return exitCode;
    }
}
