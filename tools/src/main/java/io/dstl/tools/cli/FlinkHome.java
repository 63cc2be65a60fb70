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
package io.dstl.tools.cli;

import static java.util.Objects.requireNonNull;

import io.dstl.secret.Redaction;
import io.dstl.tools.flink.FlinkInstallation;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.security.SecurityUtils;
import picocli.CommandLine.Option;

/**
 * The options of all commands: which Flink's configuration, file systems and credentials are used;
 * and how a command runs with them. Used as a picocli mixin.
 *
 * <p>Owns what a failure looks like: whatever a command throws becomes a {@link CommandFailure}
 * without secrets.
 *
 * <p>No method of a command may name a class of Flink, not even a private one: help is given
 * without a Flink. Hence the {@link Context}.
 */
public final class FlinkHome {
    private final Optional<Path> home;

    @Option(
            names = "--flink-home",
            paramLabel = "DIR",
            description =
                    "The Flink whose configuration and file systems are used. By default that of"
                            + " FLINK_HOME, or the one that this jar is in the lib/ of."
                            + " FLINK_CONF_DIR, FLINK_LIB_DIR, FLINK_PLUGINS_DIR and Hadoop's"
                            + " variables count as for bin/flink.")
    private Path flinkHome;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "A setting in place of the configuration file's.")
    private Map<String, String> settings = new LinkedHashMap<>();

    /**
     * @param home as the launcher has found it; empty only where help is asked for
     */
    public FlinkHome(Optional<Path> home) {
        this.home = requireNonNull(home);
    }

    /**
     * Prepares a command, starts the file systems, logs in where it is set, and runs it.
     *
     * @return the command's exit code
     * @throws CommandFailure for all that goes wrong, without secrets
     */
    public int run(Command command) throws CommandFailure {
        FlinkInstallation flink =
                new FlinkInstallation(home.orElseGet(() -> flinkHome), System.getenv());
        Configuration configuration = Context.configuration(flink, settings);
        Redaction redaction = Redaction.of(configuration);
        try {
            Work work = command.prepare(new Context(configuration, redaction));
            flink.start(configuration);
            return runSecured(work);
        } catch (CommandFailure e) {
            throw e.without(redaction);
        } catch (Throwable t) {
            // An error too: with its stack trace the process would end with an exit code of ours.
            Throwable shown = redaction.failure(t);
            throw CommandFailure.stopped("Stopped: " + shown, shown.getCause());
        }
    }

    private static int runSecured(Work work) throws Exception {
        try {
            return SecurityUtils.getInstalledContext().runSecured(work::run);
        } catch (UndeclaredThrowableException e) {
            // Hadoop's login wraps every checked exception but those of I/O.
            Throwable cause = e.getCause();
            throw cause instanceof Exception ? (Exception) cause : e;
        }
    }

    /** What one command does with a Flink. */
    public interface Command {

        /**
         * Reads and checks what the command was given, before anything is started.
         *
         * @throws CommandFailure with option, value and remedy, at what it can't work with
         */
        Work prepare(Context context) throws Exception;
    }

    /** What is left to do once all is known and started. */
    public interface Work {

        /**
         * @return one of {@link ExitCode}
         */
        int run() throws Exception;
    }

    /** The cluster's configuration, and what of it must not be shown. Immutable. */
    public static final class Context {
        private final Configuration configuration;
        private final Redaction redaction;

        private Context(Configuration configuration, Redaction redaction) {
            this.configuration = configuration;
            this.redaction = redaction;
        }

        /** Here, as help is given by a look at the methods of a mixin, without Flink's classes. */
        private static Configuration configuration(
                FlinkInstallation flink, Map<String, String> settings) throws CommandFailure {
            try {
                return flink.configuration(settings);
            } catch (RuntimeException e) {
                throw CommandFailure.usage(
                        "Flink's configuration can't be read: "
                                + Redaction.OF_URIS.failure(e).getMessage()
                                + " Give --flink-home DIR with a conf/, or set FLINK_CONF_DIR.");
            }
        }

        /** The file's, with what {@code -D} sets. */
        public Configuration configuration() {
            return configuration;
        }

        /** To be applied to every text that comes from Flink or from a store. */
        public Redaction redaction() {
            return redaction;
        }
    }
}
