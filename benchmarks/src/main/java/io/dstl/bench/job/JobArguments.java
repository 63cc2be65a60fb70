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
package io.dstl.bench.job;

import java.util.List;

/** What the job is told on its command line. Immutable. */
public final class JobArguments {
    private final WorkloadKind kind;
    private final Updates updates;
    private final int rate;
    private final int valueBytes;
    private final String results;

    /**
     * @param rate updates per second over all subtasks; 0: as many as there can be
     * @param valueBytes of each value, entry or element; at least 16
     * @param results the directory to write down the totals in
     */
    public JobArguments(
            WorkloadKind kind, Updates updates, int rate, int valueBytes, String results) {
        if (rate < 0 || valueBytes < 2 * Long.BYTES) {
            throw new IllegalArgumentException(
                    "--rate is "
                            + rate
                            + " and --value-bytes is "
                            + valueBytes
                            + ": give 0 or more, and 16 or more");
        }
        this.kind = kind;
        this.updates = updates;
        this.rate = rate;
        this.valueBytes = valueBytes;
        this.results = results;
    }

    static JobArguments parse(String[] args) {
        return new JobArguments(
                WorkloadKind.valueOf(args[0]),
                new Updates(Long.parseLong(args[1]), Double.parseDouble(args[2])),
                Integer.parseInt(args[3]),
                Integer.parseInt(args[4]),
                args[5]);
    }

    /** As the job takes them. */
    public List<String> commandLine() {
        return List.of(
                kind.name(),
                Long.toString(updates.keys()),
                Double.toString(updates.hotShare()),
                Integer.toString(rate),
                Integer.toString(valueBytes),
                results);
    }

    public WorkloadKind kind() {
        return kind;
    }

    public Updates updates() {
        return updates;
    }

    int rate() {
        return rate;
    }

    int valueBytes() {
        return valueBytes;
    }

    String results() {
        return results;
    }
}
