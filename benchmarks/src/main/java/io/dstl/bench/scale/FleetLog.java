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
package io.dstl.bench.scale;

import io.dstl.bench.fleet.FleetCheckpoints.Step;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a fleet has written down of its checkpoints. Immutable. */
final class FleetLog {
    private static final int FIELDS = 9;

    private final Map<Long, FleetCheckpoint> checkpoints;

    private FleetLog(Map<Long, FleetCheckpoint> checkpoints) {
        this.checkpoints = checkpoints;
    }

    /** Empty while there is none. */
    static FleetLog read(Path file) throws IOException {
        Map<Long, FleetCheckpoint> checkpoints = new LinkedHashMap<>();
        List<String> lines =
                Files.exists(file) ? Files.readAllLines(file, StandardCharsets.UTF_8) : List.of();
        for (String line : lines) {
            String[] fields = line.split(",", -1);
            // The last line may be on its way.
            if (fields.length == FIELDS && !fields[FIELDS - 1].isEmpty()) {
                FleetCheckpoint checkpoint = new FleetCheckpoint(fields);
                checkpoints.put(checkpoint.id, checkpoint);
            }
        }
        return new FleetLog(checkpoints);
    }

    Optional<FleetCheckpoint> of(long checkpoint) {
        return Optional.ofNullable(checkpoints.get(checkpoint));
    }

    /** How many were confirmed at which that was done. */
    int count(Step step) {
        return (int) checkpoints.values().stream().filter(one -> one.step == step).count();
    }

    /** The one at which everything was given up. */
    Optional<FleetCheckpoint> truncation() {
        return checkpoints.values().stream().filter(one -> one.step == Step.TRUNCATE).findFirst();
    }

    /** One confirmed checkpoint, as the fleet saw it; times in milliseconds since the epoch. */
    static final class FleetCheckpoint {
        final long id;
        final long triggered;
        final long arrived;
        final long lastSent;
        final long confirmed;
        final Step step;
        final int acknowledgements;
        final long bytes;
        final int objects;

        /** Whether nothing was given up at it, and more came in. */
        boolean gathers() {
            return step == Step.GATHER;
        }

        private FleetCheckpoint(String[] fields) {
            id = Long.parseLong(fields[0]);
            triggered = Long.parseLong(fields[1]);
            arrived = Long.parseLong(fields[2]);
            lastSent = Long.parseLong(fields[3]);
            confirmed = Long.parseLong(fields[4]);
            step = Step.valueOf(fields[5]);
            acknowledgements = Integer.parseInt(fields[6]);
            bytes = Long.parseLong(fields[7]);
            objects = Integer.parseInt(fields[8]);
        }
    }
}
