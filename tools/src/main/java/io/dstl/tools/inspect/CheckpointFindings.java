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
package io.dstl.tools.inspect;

import io.dstl.fs.batch.SegmentLocation;
import io.dstl.fs.segment.SegmentName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.flink.core.fs.Path;

/** What was found of a checkpoint's log. Filled by one thread. */
final class CheckpointFindings {
    /** By operator id, in the order of the metadata. */
    final Map<String, OperatorFindings> operators = new LinkedHashMap<>();

    final Map<Path, SegmentUse> segments = new LinkedHashMap<>();

    final Damages damages;

    /** All state of the checkpoint, as Flink counts it. */
    long fullBytes;

    /** Of each key, one in so many was followed to find void changes, where it was fewest. */
    int sampledOneIn = 1;

    /**
     * @param top segments of those with damage that are named
     */
    CheckpointFindings(int top) {
        this.damages = new Damages(top);
    }

    /** Of one operator. */
    static final class OperatorFindings {
        final OperatorLogs operator;
        final KeyType keys;
        final LogTally tally = LogTally.withoutVoid();
        final Ages sets = new Ages();
        final List<KeyRecords> records = new ArrayList<>();
        long storedBytes;

        /** Of the subtask that takes longest. */
        double slowestReplaySeconds;

        OperatorFindings(OperatorLogs operator, KeyType keys) {
            this.operator = operator;
            this.keys = keys;
        }
    }

    /** Who refers to a segment. */
    static final class SegmentUse {
        final TreeSet<String> operators = new TreeSet<>();
        final boolean isIndexed;
        long bytes;

        /** Whether it is counted among the {@link #damages}. */
        boolean isDamaged;

        /** In ms since the epoch; empty if it is missing. */
        Optional<Long> writtenAt = Optional.empty();

        /** Why the store did not tell; empty if it did, or if it is missing. */
        Optional<Exception> failure = Optional.empty();

        SegmentUse(SegmentLocation set) {
            this.isIndexed = SegmentName.isIndexed(set.segment());
            this.bytes = set.segment().getStateSize();
        }
    }

    /** Of files that no other operator refers to. */
    long bytesOfOnly(String operatorId) {
        return segments.values().stream()
                .filter(use -> use.operators.size() == 1 && use.operators.contains(operatorId))
                .mapToLong(use -> use.bytes)
                .sum();
    }
}
