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
import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.checkpoint.MetadataFile;
import io.dstl.tools.cli.Tally;
import io.dstl.tools.inspect.CheckpointFindings.OperatorFindings;
import io.dstl.tools.inspect.CheckpointFindings.SegmentUse;
import io.dstl.tools.inspect.LogTally.StateTally;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.flink.core.fs.Path;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The findings of a checkpoint as JSON, of which the tables are made too, so that both have the
 * same numbers. Of long lists it has the first rows only, those with the most bytes.
 */
final class CheckpointDocument {
    private final CheckpointFindings findings;
    private final InspectSettings settings;
    private final long now;
    private final ObjectNode document = JsonNodeFactory.instance.objectNode();

    private CheckpointDocument(CheckpointFindings findings, InspectSettings settings, long now) {
        this.findings = findings;
        this.settings = settings;
        this.now = now;
    }

    /**
     * @param now in ms since the epoch
     */
    static ObjectNode of(
            MetadataFile file,
            long checkpointId,
            CheckpointFindings findings,
            InspectSettings settings,
            long now) {
        CheckpointDocument made = new CheckpointDocument(findings, settings, now);
        made.document.put("checkpoint", Redacted.of(file.path()).toString());
        made.document.put("id", checkpointId);
        made.document.put("ageMs", now - file.writtenAt());
        made.total();
        made.jobs();
        made.operators();
        made.states();
        made.keyGroups();
        if (settings.key().isPresent()) {
            made.records();
        }
        Rows.putDamaged(made.document, findings.damages);
        return made.document;
    }

    private void total() {
        LogTally all = LogTally.withoutVoid();
        Ages ages = new Ages();
        long stored = 0;
        long base = 0;
        double slowest = 0;
        for (OperatorFindings operator : findings.operators.values()) {
            all.add(operator.tally);
            stored += operator.storedBytes;
            base += operator.operator.baseBytes();
            slowest = Math.max(slowest, operator.slowestReplaySeconds);
        }
        for (SegmentUse use : findings.segments.values()) {
            use.writtenAt.ifPresent(ages::add);
        }
        ObjectNode log = document.putObject("log");
        putAmounts(log, all, stored);
        log.put("metadataBytes", all.metadata().bytes());
        log.put("segments", findings.segments.size());
        log.put(
                "segmentBytes",
                findings.segments.values().stream().mapToLong(use -> use.bytes).sum());
        log.put("oldestMs", ages.oldest(now));
        log.put("medianMs", ages.median(now));
        log.put("newestMs", ages.newest(now));
        log.put("voidKeysFollowedOneIn", findings.sampledOneIn);
        putBase(document, stored, base);
        document.put("fullBytes", findings.fullBytes);
        document.put("replayChangesPerSecond", settings.replay().changesPerSecond());
        document.put("replayBytesPerSecond", settings.replay().bytesPerSecond());
        document.put("slowestReplayS", rounded(slowest));
    }

    private static void putAmounts(ObjectNode node, LogTally tally, long stored) {
        node.put("changeSets", tally.sets());
        node.put("changes", tally.total().count());
        node.put("logBytes", stored);
        node.put("contentBytes", tally.total().bytes());
        node.put("voidBytes", tally.voidBytes());
        node.put("judgedBytes", tally.judgedBytes());
        putShare(node, "voidShare", tally.voidBytes(), tally.judgedBytes());
    }

    private static void putBase(ObjectNode node, long stored, long base) {
        node.put("baseBytes", base);
        putShare(node, "amplification", stored, base);
    }

    /** Null where there is nothing to divide by. */
    private static void putShare(ObjectNode node, String name, long part, long whole) {
        if (whole == 0) {
            node.putNull(name);
        } else {
            node.put(name, Math.round(1000.0 * part / whole) / 1000.0);
        }
    }

    private static double rounded(double seconds) {
        return Math.round(100 * seconds) / 100.0;
    }

    /** By the directory that a segment is in, as a checkpoint may have logs of a former job. */
    private void jobs() {
        Map<String, Tally> jobs = new TreeMap<>();
        findings.segments.forEach(
                (path, use) ->
                        jobs.computeIfAbsent(jobOf(path), any -> new Tally()).add(use.bytes));
        put(
                "jobs",
                Rows.largest(jobs.entrySet(), job -> job.getValue().bytes()),
                (row, job) ->
                        row.put("job", job.getKey())
                                .put("segments", job.getValue().count())
                                .put("segmentBytes", job.getValue().bytes()));
    }

    private <T> void put(String list, Collection<T> all, BiConsumer<ObjectNode, T> fill) {
        Rows.put(document, list, all, settings.top(), fill);
    }

    private static String jobOf(Path segment) {
        Path directory = segment.getParent();
        return directory == null || directory.getParent() == null
                ? "?"
                : directory.getParent().getName();
    }

    private void operators() {
        put(
                "operators",
                Rows.largest(findings.operators.values(), found -> found.tally.total().bytes()),
                this::operator);
    }

    private static ObjectNode putName(ObjectNode row, OperatorLogs operator) {
        return row.put("operator", operator.label()).put("operatorId", operator.id());
    }

    private void operator(ObjectNode row, OperatorFindings found) {
        OperatorLogs operator = found.operator;
        putName(row, operator);
        row.put("uid", operator.owner().operatorUid().orElse(null));
        row.put("name", operator.owner().operatorName().orElse(null));
        row.put("subtasks", operator.subtasks().size());
        putAmounts(row, found.tally, found.storedBytes);
        putBase(row, found.storedBytes, operator.baseBytes());
        row.put("oldestMs", found.sets.oldest(now));
        row.put("slowestReplayS", rounded(found.slowestReplaySeconds));
        row.put("logBytesSaved", found.storedBytes);
        row.put("segmentBytesFreedAlone", findings.bytesOfOnly(operator.id()));
        row.put(
                "keyType",
                found.keys.serializer().map(type -> type.getClass().getSimpleName()).orElse(null));
        row.put("keyTypeFrom", found.keys.origin().name());
        row.put("keyTypeNote", found.keys.note().orElse(null));
        row.put("keyTypeUntold", found.keys.isUntold());
    }

    private void states() {
        List<ObjectNode> rows = new ArrayList<>();
        long all =
                findings.operators.values().stream()
                        .mapToLong(found -> found.tally.total().bytes())
                        .sum();
        for (OperatorFindings found : findings.operators.values()) {
            found.tally.states().forEach((name, state) -> rows.add(state(found, name, state, all)));
        }
        putLargest("states", rows);
    }

    private static ObjectNode state(
            OperatorFindings found, String name, StateTally state, long all) {
        ObjectNode row = putName(JsonNodeFactory.instance.objectNode(), found.operator);
        row.put("state", name);
        row.put("type", state.type());
        row.put("changes", state.logged().count());
        row.put("contentBytes", state.logged().bytes());
        putShare(row, "share", state.logged().bytes(), all);
        row.put("voidBytes", state.voidBytes());
        row.put("judgedBytes", state.judgedBytes());
        putShare(row, "voidShare", state.voidBytes(), state.judgedBytes());
        return row;
    }

    private void keyGroups() {
        List<ObjectNode> rows = new ArrayList<>();
        for (OperatorFindings found : findings.operators.values()) {
            long ofOperator = found.tally.total().bytes();
            found.tally
                    .keyGroups()
                    .forEach(
                            (group, logged) -> {
                                ObjectNode row = JsonNodeFactory.instance.objectNode();
                                putName(row, found.operator);
                                row.put("keyGroup", group);
                                row.put("changes", logged.count());
                                row.put("contentBytes", logged.bytes());
                                putShare(row, "share", logged.bytes(), ofOperator);
                                rows.add(row);
                            });
        }
        putLargest("keyGroups", rows);
    }

    private void putLargest(String list, List<ObjectNode> rows) {
        put(
                list,
                Rows.largest(rows, row -> row.get("contentBytes").asLong()),
                (row, one) -> row.setAll(one));
    }

    private void records() {
        ObjectNode key = document.putObject("key");
        key.put("state", settings.state().get());
        key.put("key", settings.key().get());
        long found = 0;
        boolean seen = false;
        ArrayNode rows = key.putArray("records");
        List<OperatorLogs> unreadable = new ArrayList<>();
        for (OperatorFindings operator : findings.operators.values()) {
            for (KeyRecords records : operator.records) {
                found += records.found();
                seen |= records.isStateSeen();
                records.last().forEach(record -> record(rows.addObject(), operator, record));
            }
            if (operator.records.stream().anyMatch(KeyRecords::isKeyUnreadable)) {
                unreadable.add(operator.operator);
            }
        }
        key.put("stateFound", seen);
        key.put("found", found);
        Rows.put(key, "notLookedForIn", unreadable, settings.top(), CheckpointDocument::putName);
        while (rows.size() > settings.top()) {
            rows.remove(0);
        }
    }

    private void record(ObjectNode row, OperatorFindings operator, KeyRecords.Shown record) {
        putName(row, operator.operator);
        row.put("changeSet", record.set().map(SegmentLocation::toString).orElse("metadata"));
        record.set()
                .flatMap(SegmentLocation::file)
                .map(findings.segments::get)
                .flatMap(use -> use.writtenAt)
                .ifPresent(time -> row.put("ageMs", now - time));
        row.put("keyGroup", record.keyGroup());
        row.put("op", record.op().name());
        row.put("data", record.data());
    }
}
