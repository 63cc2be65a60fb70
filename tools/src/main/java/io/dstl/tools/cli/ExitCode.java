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

/** What a command ends its process with: the same numbers mean the same of every command. */
public final class ExitCode {
    /** Done, and nothing was found that is not as it should be. */
    public static final int DONE = 0;

    /** Done, with findings, or not all that was asked for. */
    public static final int FINDINGS = 1;

    /** The command can't be run as it is given or configured. */
    public static final int USAGE = 2;

    /** The command stopped rather than go on with less than it has to know. */
    public static final int STOPPED = 3;

    private ExitCode() {}
}
