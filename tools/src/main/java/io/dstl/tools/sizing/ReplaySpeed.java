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

import java.util.Optional;
import picocli.CommandLine.Option;

/** How fast a task replays its log: for each command that tells how long a replay takes. */
public final class ReplaySpeed {
    @Option(
            names = "--replay-changes",
            paramLabel = "N",
            description =
                    "Changes that a core applies per second of a replay, apart from reading them."
                            + " Default: 500000, as measured in docs/benchmarks.md.")
    private double changesPerSecond = 500_000;

    @Option(
            names = "--replay-bytes",
            paramLabel = "SIZE",
            converter = Amount.ToBytes.class,
            description =
                    "Bytes of log that a core fetches and decodes per second. Default: 30000000, as"
                            + " measured there.")
    private long bytesPerSecond = 30_000_000;

    /** Of a task with a core of its own, beside the download of its materialized state. */
    public double seconds(double changes, double bytes) {
        return changes / changesPerSecond + bytes / bytesPerSecond;
    }

    public double changesPerSecond() {
        return changesPerSecond;
    }

    public long bytesPerSecond() {
        return bytesPerSecond;
    }

    /** What is wrong with it and how to put that right, in one line. */
    public Optional<String> mistake() {
        return changesPerSecond >= 1 && bytesPerSecond >= 1
                ? Optional.empty()
                : Optional.of(
                        "--replay-changes is "
                                + changesPerSecond
                                + " and --replay-bytes "
                                + bytesPerSecond
                                + ": give rates of 1 or more, or leave them out");
    }
}
