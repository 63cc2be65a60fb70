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
package io.dstl.bench.run;

import io.dstl.harness.proxy.RequestJournal.RequestKind;
import io.dstl.harness.proxy.RequestJournal.ServedRequest;
import io.dstl.harness.proxy.RequestJournal.Span;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a checkpoint's duration consists of, as seen from the log: the medians, in milliseconds, of
 * three stretches one after the other. All are 0 where no checkpoint put anything into the log.
 */
final class Stretches {
    private final List<Long> toFirstRequest = new ArrayList<>();
    private final List<Long> toLastPut = new ArrayList<>();
    private final List<Long> toAcknowledgement = new ArrayList<>();

    private Stretches() {}

    /**
     * Counts the requests that came between a checkpoint's trigger and its last acknowledgement; a
     * checkpoint without a put among them is left out.
     */
    static Stretches of(List<CompletedCheckpoint> checkpoints, Tally log) {
        Stretches stretches = new Stretches();
        for (CompletedCheckpoint checkpoint : checkpoints) {
            Span span = new Span(checkpoint.triggered(), checkpoint.duration());
            stretches.add(
                    span,
                    log.requests().stream()
                            .filter(request -> request.kind() != RequestKind.DELETE)
                            .filter(request -> span.contains(request.arrived()))
                            .collect(Collectors.toList()));
        }
        return stretches;
    }

    double toFirstRequest() {
        return median(toFirstRequest);
    }

    double toLastPut() {
        return median(toLastPut);
    }

    double toAcknowledgement() {
        return median(toAcknowledgement);
    }

    private void add(Span checkpoint, List<ServedRequest> requests) {
        Instant lastPut =
                requests.stream()
                        .filter(request -> request.kind() == RequestKind.PUT)
                        .map(request -> request.arrived().plus(request.took()))
                        .max(Instant::compareTo)
                        .orElse(null);
        if (lastPut == null) {
            return;
        }
        Instant first = requests.get(0).arrived();
        toFirstRequest.add(Duration.between(checkpoint.start(), first).toMillis());
        toLastPut.add(Duration.between(first, lastPut).toMillis());
        toAcknowledgement.add(Duration.between(lastPut, checkpoint.end()).toMillis());
    }

    private static double median(List<Long> values) {
        List<Long> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.isEmpty() ? 0 : sorted.get((sorted.size() - 1) / 2);
    }
}
