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
package io.dstl.harness.progress;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.PrintStream;

/** One line of a terminal, written over and over. */
public final class TerminalProgress implements Progress {
    private static final String TO_LINE_START = "\r";
    private static final String CLEAR_TO_LINE_END = "\u001b[K";
    private static final int WIDTH = 110;

    @GuardedBy("this")
    private final PrintStream terminal;

    public TerminalProgress(PrintStream terminal) {
        this.terminal = terminal;
    }

    @Override
    public synchronized void show(String state) {
        String fitting = state.length() > WIDTH ? state.substring(0, WIDTH) : state;
        terminal.print(TO_LINE_START + fitting + CLEAR_TO_LINE_END);
        terminal.flush();
    }

    @Override
    public synchronized void say(String line) {
        terminal.println(TO_LINE_START + line + CLEAR_TO_LINE_END);
        terminal.flush();
    }
}
