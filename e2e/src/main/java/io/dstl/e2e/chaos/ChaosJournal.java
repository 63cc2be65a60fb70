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
package io.dstl.e2e.chaos;

import io.dstl.harness.progress.Progress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.temporal.ChronoUnit;

/** What a chaos run does, as it does it: for its reader and, with the time, for a file. */
final class ChaosJournal {
    private final Path file;
    private final Progress progress;
    private final Clock clock;

    ChaosJournal(Path file, Progress progress, Clock clock) {
        this.file = file;
        this.progress = progress;
        this.clock = clock;
    }

    /** Tells both. */
    void say(String text) throws IOException {
        progress.say(text);
        note(text);
    }

    /** Tells the file alone. */
    void note(String text) throws IOException {
        Files.writeString(
                file,
                clock.instant().truncatedTo(ChronoUnit.MILLIS) + " " + text + "\n",
                StandardCharsets.UTF_8,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** What is going on at the moment, for the reader alone. */
    void show(String line) {
        progress.show(line);
    }
}
