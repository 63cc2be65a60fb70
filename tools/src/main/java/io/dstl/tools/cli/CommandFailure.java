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

import io.dstl.secret.Redaction;

/** Ends a command with a message for the person at the console, and an exit code. */
public final class CommandFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private CommandFailure(int exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /**
     * See {@link ExitCode#USAGE}.
     *
     * @param message with key, value and remedy
     */
    public static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message, null);
    }

    /** See {@link ExitCode#STOPPED}. */
    public static CommandFailure stopped(String message, Throwable cause) {
        return new CommandFailure(ExitCode.STOPPED, message, cause);
    }

    /** The same without the secrets that it names. */
    public CommandFailure without(Redaction secrets) {
        Throwable cause = getCause();
        return new CommandFailure(
                exitCode,
                secrets.text(getMessage()),
                cause == null ? null : secrets.failure(cause));
    }

    public int exitCode() {
        return exitCode;
    }
}
