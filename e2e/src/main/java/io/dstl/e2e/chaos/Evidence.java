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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;

/** What a run that has failed leaves behind: its whole directory, out of the way of the next. */
public final class Evidence {
    private Evidence() {}

    /** Puts the directory of a run whose processes have ended aside; returns where to. */
    public static Path keep(Path run, ChaosOutcome outcome, Clock clock) throws IOException {
        Files.writeString(
                run.resolve("outcome.txt"), outcome.summary() + "\n", StandardCharsets.UTF_8);
        Path kept =
                run.resolveSibling(
                        "chaos-seed-" + outcome.seed() + "-" + clock.instant().getEpochSecond());
        return Files.move(run, kept);
    }
}
