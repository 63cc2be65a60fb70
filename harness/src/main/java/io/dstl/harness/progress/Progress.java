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
import io.dstl.harness.wait.Await.Time;
import java.io.PrintStream;
import java.time.Duration;

/**
 * Where a run tells how it goes. Thread-safe.
 *
 * <p>{@link #show} may be called as often as something changes; {@link #say} is for what the reader
 * must find afterwards.
 */
public interface Progress {

    /** What is going on; replaces what was shown before. */
    void show(String state);

    /** One line that stays. */
    void say(String line);

    /** For a log file: of the changing states one now and then, each on a line of its own. */
    final class Plain implements Progress {
        private static final Duration PACE = Duration.ofSeconds(10);

        private final Time time;

        @GuardedBy("this")
        private final PrintStream out;

        @GuardedBy("this")
        private long nextNanos;

        public Plain(PrintStream out, Time time) {
            this.out = out;
            this.time = time;
            this.nextNanos = time.nanos() + PACE.toNanos();
        }

        @Override
        public synchronized void show(String state) {
            if (time.nanos() - nextNanos >= 0) {
                print("  " + state);
            }
        }

        @Override
        public synchronized void say(String line) {
            print(line);
        }

        @GuardedBy("this")
        private void print(String line) {
            out.println(line);
            out.flush();
            nextNanos = time.nanos() + PACE.toNanos();
        }
    }

    /** One line of a terminal, written over and over. */
    final class Terminal implements Progress {
        private static final String TO_LINE_START = "\r";
        private static final String CLEAR_TO_LINE_END = "\u001b[K";
        private static final int WIDTH = 110;

        @GuardedBy("this")
        private final PrintStream terminal;

        public Terminal(PrintStream terminal) {
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
}
