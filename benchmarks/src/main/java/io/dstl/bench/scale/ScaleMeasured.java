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

import io.dstl.bench.fleet.FleetCheckpoints;
import io.dstl.bench.report.Samples;
import io.dstl.bench.run.CompletionLog;
import io.dstl.bench.run.Tally;
import io.dstl.bench.run.Tally.Folder;
import io.dstl.bench.scale.FleetLog.FleetCheckpoint;
import io.dstl.harness.proxy.RequestJournal.RequestKind;
import io.dstl.harness.proxy.RequestJournal.ServedRequest;
import io.dstl.harness.proxy.RequestJournal.Span;
import io.dstl.harness.rest.CheckpointStatistics.CompletedCheckpoint;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.ToDoubleBiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What is known of the checkpoints that were triggered in some time. Immutable. */
final class ScaleMeasured {
    private static final Pattern METADATA = Pattern.compile("/chk-(\\d+)/_metadata(\\?|$)");

    final Span span;
    private final List<CompletedCheckpoint> checkpoints;
    private final CompletionLog completions;
    private final FleetLog fleet;
    final Tally ofJobManager;
    final Tally ofTaskManagers;

    /**
     * @param checkpoints at least one
     * @param ofJobManager its requests in that time
     * @param ofTaskManagers theirs
     */
    ScaleMeasured(
            Span span,
            List<CompletedCheckpoint> checkpoints,
            CompletionLog completions,
            FleetLog fleet,
            List<ServedRequest> ofJobManager,
            List<ServedRequest> ofTaskManagers) {
        this.span = span;
        this.checkpoints = List.copyOf(checkpoints);
        this.completions = completions;
        this.fleet = fleet;
        this.ofJobManager = new Tally(ofJobManager);
        this.ofTaskManagers = new Tally(ofTaskManagers);
    }

    int completed() {
        return checkpoints.size();
    }

    double perCheckpoint(double count) {
        return count / completed();
    }

    /** From the trigger until it was complete, in milliseconds. */
    double completionMillis(double share) {
        long[] ids = checkpoints.stream().mapToLong(one -> one.id).toArray();
        return Samples.quantile(completions.millis(ids), share);
    }

    /** From the last acknowledgement until it was complete, in milliseconds. */
    double finalizationMillis(double share) {
        double[] millis =
                checkpoints.stream()
                        .mapToDouble(
                                one ->
                                        completions.millis(new long[] {one.id})[0]
                                                - one.duration.toMillis())
                        .toArray();
        return Samples.quantile(millis, share);
    }

    /** From the moment the fleet has sent the last acknowledgement until the last was taken. */
    OptionalDouble acknowledgementMillis(double share) {
        return ofFleet(
                share,
                (one, sent) -> one.triggered.plus(one.duration).toEpochMilli() - sent.lastSent);
    }

    /** From the JobManager's trigger until the first TaskManager has heard of it. */
    OptionalDouble triggerMillis(double share) {
        return ofFleet(share, (one, sent) -> sent.arrived - sent.triggered);
    }

    /** What the fleet itself takes, from then on until it has sent everything. */
    OptionalDouble sendingMillis(double share) {
        return ofFleet(share, (one, sent) -> sent.lastSent - sent.arrived);
    }

    /** Of one acknowledgement, in bytes. */
    OptionalDouble acknowledgementBytes() {
        return ofFleet(0.5, (one, sent) -> (double) sent.bytes / sent.acknowledgements);
    }

    /** Objects that the TaskManagers of the fleet have written, if they were real. */
    OptionalDouble objects() {
        double[] objects =
                checkpoints.stream()
                        .flatMap(one -> fleet.of(one.id).stream())
                        .mapToDouble(sent -> sent.objects)
                        .toArray();
        return objects.length == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(Arrays.stream(objects).average().orElseThrow());
    }

    private OptionalDouble ofFleet(
            double share, ToDoubleBiFunction<CompletedCheckpoint, FleetCheckpoint> figure) {
        double[] values =
                checkpoints.stream()
                        .filter(one -> fleet.of(one.id).isPresent())
                        .mapToDouble(
                                one -> figure.applyAsDouble(one, fleet.of(one.id).orElseThrow()))
                        .toArray();
        return values.length == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(Samples.quantile(values, share));
    }

    /** Of one checkpoint's metadata, in bytes: the median. */
    double metadataBytes() {
        double[] all = metadataSizes().values().stream().mapToDouble(one -> one).toArray();
        return all.length == 0 ? 0 : Samples.median(all);
    }

    /**
     * What one object more adds to the metadata, in bytes, from the first to the last checkpoint at
     * which the fleet gathered some; empty where those are not there.
     *
     * @param objects that come in at each of them
     */
    OptionalDouble metadataBytesOfEach(int objects) {
        Map<Long, Double> sizes = metadataSizes();
        List<Long> gathered =
                checkpoints.stream()
                        .map(one -> one.id)
                        .filter(id -> fleet.of(id).filter(FleetCheckpoint::gathers).isPresent())
                        .filter(sizes::containsKey)
                        .limit(FleetCheckpoints.GATHERING)
                        .collect(Collectors.toList());
        if (gathered.size() < 2) {
            return OptionalDouble.empty();
        }
        double more = sizes.get(gathered.get(gathered.size() - 1)) - sizes.get(gathered.get(0));
        return OptionalDouble.of(more / objects / (gathered.size() - 1));
    }

    /** How many of them are checkpoints at which nothing was given up. */
    int gathering() {
        return (int)
                checkpoints.stream()
                        .filter(
                                one ->
                                        fleet.of(one.id)
                                                .filter(FleetCheckpoint::gathers)
                                                .isPresent())
                        .count();
    }

    /** In bytes, by the checkpoint. */
    private Map<Long, Double> metadataSizes() {
        Map<Long, Double> sizes = new TreeMap<>();
        for (ServedRequest request : ofJobManager.requests()) {
            Matcher metadata = METADATA.matcher(request.target);
            if (request.kind == RequestKind.PUT && metadata.find()) {
                sizes.merge(Long.parseLong(metadata.group(1)), (double) request.bytes, Double::sum);
            }
        }
        return sizes;
    }

    /** That a checkpoint puts where high availability keeps its own. */
    double highAvailabilityBytes() {
        return perCheckpoint(ofJobManager.in(Folder.HIGH_AVAILABILITY).bytesPut());
    }

    /** For whoever watches. */
    String summary() {
        return String.format(
                Locale.ROOT,
                "%d checkpoints, complete p50 %.0f ms, p99 %.0f ms",
                completed(),
                completionMillis(0.5),
                completionMillis(0.99));
    }
}
