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

import static io.dstl.tools.inspect.TextTable.age;
import static io.dstl.tools.inspect.TextTable.number;
import static io.dstl.tools.inspect.TextTable.percent;
import static io.dstl.tools.inspect.TextTable.text;

import io.dstl.tools.cli.OneLine;
import java.io.PrintWriter;
import java.util.Locale;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** Prints a {@link CheckpointDocument} as tables. */
final class CheckpointText {
    private final JsonNode document;
    private final PrintWriter out;

    private CheckpointText(JsonNode document, PrintWriter out) {
        this.document = document;
        this.out = out;
    }

    static void print(JsonNode document, PrintWriter out) {
        CheckpointText text = new CheckpointText(document, out);
        text.total();
        if (document.has("key")) {
            text.records();
        } else {
            text.tables();
        }
        SegmentText.printDamage(document, out);
    }

    private void total() {
        JsonNode log = document.get("log");
        out.printf(
                Locale.ROOT,
                "Checkpoint %s, %s old: %s%n",
                number(document.get("id")),
                age(document.get("ageMs")),
                document.get("checkpoint").asText());
        out.printf(
                Locale.ROOT,
                "Log: %s changes in %s change sets, %s bytes as Flink counts them (%s of "
                        + "content), in %s segments of %s bytes%n",
                number(log.get("changes")),
                number(log.get("changeSets")),
                number(log.get("logBytes")),
                number(log.get("contentBytes")),
                number(log.get("segments")),
                number(log.get("segmentBytes")));
        out.printf(
                Locale.ROOT,
                "Age of the segments: oldest %s, median %s, newest %s%n",
                age(log.get("oldestMs")),
                age(log.get("medianMs")),
                age(log.get("newestMs")));
        int oneIn = log.get("voidKeysFollowedOneIn").asInt();
        out.printf(
                Locale.ROOT,
                "Void: %s bytes%s, %s of the %s bytes whose keys can be read%n",
                number(log.get("voidBytes")),
                oneIn > 1 ? " (estimated from one key in " + oneIn + ")" : "",
                percent(log.get("voidShare")),
                number(log.get("judgedBytes")));
        out.printf(
                Locale.ROOT,
                "Materialized: %s bytes; log ÷ materialized: %s; full size %s bytes%n",
                number(document.get("baseBytes")),
                text(document.get("amplification")),
                number(document.get("fullBytes")));
        out.printf(
                Locale.ROOT,
                "Replay of the slowest task: %s s, at %s changes/s and %s bytes/s, added up%n",
                text(document.get("slowestReplayS")),
                number(document.get("replayChangesPerSecond")),
                number(document.get("replayBytesPerSecond")));
    }

    private void tables() {
        new TextTable("jobs")
                .name("job", "job")
                .number("segments", "segments")
                .number("bytes", "segmentBytes")
                .print(document, out);
        new TextTable("operators")
                .name("operator", "operator")
                .column("keys", true, CheckpointText::keys)
                .number("subtasks", "subtasks")
                .number("sets", "changeSets")
                .number("changes", "changes")
                .number("log bytes", "logBytesSaved")
                .percent("void", "voidShare")
                .number("materialized", "baseBytes")
                .value("log ÷ mat.", "amplification")
                .age("oldest", "oldestMs")
                .value("replay s", "slowestReplayS")
                .number("freed alone", "segmentBytesFreedAlone")
                .print(document, out);
        out.println(
                "A materialization of an operator takes its log bytes out of the checkpoint. Alone"
                        + " it frees the segments that no other operator has changes in. Of what is"
                        + " materialized each file counts once, however many subtasks have it.");
        for (JsonNode row : document.get("operators")) {
            if (!row.get("keyTypeNote").isNull()) {
                out.println(
                        OneLine.of("Keys of " + text(row.get("operator")))
                                + (row.get("keyType").isNull()
                                        ? " are taken as bytes, and none counts as void: "
                                        : " are guessed by their key groups: ")
                                + row.get("keyTypeNote").asText()
                                + (row.get("keyTypeUntold").asBoolean()
                                        ? ". --key-type sets their type"
                                        : ""));
            }
        }
        new TextTable("states")
                .name("operator", "operator")
                .name("state", "state")
                .name("type", "type")
                .number("changes", "changes")
                .number("bytes", "contentBytes")
                .percent("share", "share")
                .percent("void", "voidShare")
                .print(document, out);
        new TextTable("keyGroups")
                .name("operator", "operator")
                .number("key group", "keyGroup")
                .number("changes", "changes")
                .number("bytes", "contentBytes")
                .percent("of its operator", "share")
                .print(document, out);
    }

    private static String keys(JsonNode row) {
        return row.get("keyType").isNull()
                ? "unknown"
                : row.get("keyType").asText().replaceAll("Serializer$", "")
                        + (row.get("keyTypeFrom").asText().equals("GUESSED") ? "?" : "");
    }

    private void records() {
        JsonNode key = document.get("key");
        out.println();
        if (!key.get("stateFound").asBoolean()) {
            out.println(
                    "The log has no changes of a state '"
                            + key.get("state").asText()
                            + "': without --state the states are listed");
            return;
        }
        out.println(
                "Changes of state '"
                        + key.get("state").asText()
                        + "', key "
                        + key.get("key").asText()
                        + ": "
                        + number(key.get("found"))
                        + (key.get("found").asLong() > key.get("records").size()
                                ? ", the last " + key.get("records").size()
                                : ""));
        for (JsonNode operator : key.get("notLookedForIn")) {
            out.println(
                    "Not looked for in the operator "
                            + text(operator.get("operator"))
                            + ", the type of whose keys is not known: give the key's bytes as"
                            + " 0x..., or the type with --key-type, if nothing else tells it");
        }
        TextTable.printLeftOut(key, "notLookedForIn", out);
        for (JsonNode row : key.get("records")) {
            out.println(
                    row.get("changeSet").asText()
                            + (row.has("ageMs") ? "  " + age(row.get("ageMs")) : "")
                            + "  group "
                            + row.get("keyGroup").asInt()
                            + "  "
                            + row.get("op").asText()
                            + "  "
                            + OneLine.of(row.get("data").asText()));
        }
    }
}
