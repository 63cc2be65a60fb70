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

import java.io.PrintWriter;
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
            text.jobs();
            text.operators();
            text.states();
            text.keyGroups();
        }
        SegmentText.printDamage(document, out);
    }

    private void total() {
        JsonNode log = document.get("log");
        out.println(
                "Checkpoint "
                        + number(document.get("id"))
                        + ", "
                        + age(document.get("age_ms"))
                        + " old: "
                        + document.get("checkpoint").asText());
        out.println(
                "Log: "
                        + number(log.get("changes"))
                        + " changes in "
                        + number(log.get("change_sets"))
                        + " change sets, "
                        + number(log.get("stored_bytes"))
                        + " bytes stored ("
                        + number(log.get("content_bytes"))
                        + " without compression), in "
                        + number(log.get("segments"))
                        + " segments of "
                        + number(log.get("segment_bytes"))
                        + " bytes");
        out.println(
                "Age of the segments: oldest "
                        + age(log.get("oldest_ms"))
                        + ", median "
                        + age(log.get("median_ms"))
                        + ", newest "
                        + age(log.get("newest_ms")));
        int oneIn = log.get("void_keys_followed_one_in").asInt();
        out.println(
                "Void: "
                        + number(log.get("void_bytes"))
                        + " bytes"
                        + (oneIn > 1 ? " (estimated from one key in " + oneIn + ")" : "")
                        + ", "
                        + percent(log.get("void_share"))
                        + " of the "
                        + number(log.get("judged_bytes"))
                        + " bytes whose keys can be read");
        out.println(
                "Materialized: "
                        + number(document.get("base_bytes"))
                        + " bytes; log ÷ materialized: "
                        + text(document.get("amplification"))
                        + "; full size "
                        + number(document.get("full_bytes"))
                        + " bytes");
        out.println(
                "Replay of the slowest task: "
                        + text(document.get("slowest_replay_s"))
                        + " s at "
                        + number(document.get("replay_rate"))
                        + " changes/s");
    }

    private void jobs() {
        TextTable table = new TextTable(1, "job", "segments", "bytes");
        for (JsonNode job : document.get("jobs")) {
            table.row(
                    text(job.get("job")),
                    number(job.get("segments")),
                    number(job.get("segment_bytes")));
        }
        print(table);
    }

    private void operators() {
        TextTable table =
                new TextTable(
                        2,
                        "operator",
                        "keys",
                        "subtasks",
                        "sets",
                        "changes",
                        "log bytes",
                        "void",
                        "materialized",
                        "log ÷ mat.",
                        "oldest",
                        "replay s",
                        "freed alone");
        for (JsonNode row : document.get("operators")) {
            table.row(
                    text(row.get("label")),
                    keys(row),
                    number(row.get("subtasks")),
                    number(row.get("change_sets")),
                    number(row.get("changes")),
                    number(row.get("log_bytes_saved")),
                    percent(row.get("void_share")),
                    number(row.get("base_bytes")),
                    text(row.get("amplification")),
                    age(row.get("oldest_ms")),
                    text(row.get("slowest_replay_s")),
                    number(row.get("segment_bytes_freed_alone")));
        }
        print(table);
        out.println(
                "A materialization of an operator takes its log bytes out of the checkpoint. Alone"
                        + " it frees the segments that no other operator has changes in.");
    }

    private static String keys(JsonNode row) {
        return row.get("key_type").isNull()
                ? "unknown"
                : row.get("key_type").asText().replaceAll("Serializer$", "")
                        + (row.get("key_type_from").asText().equals("GUESSED") ? "?" : "");
    }

    private void states() {
        TextTable table =
                new TextTable(3, "operator", "state", "type", "changes", "bytes", "share", "void");
        for (JsonNode row : document.get("states")) {
            table.row(
                    text(row.get("operator")),
                    text(row.get("state")),
                    text(row.get("type")),
                    number(row.get("changes")),
                    number(row.get("content_bytes")),
                    percent(row.get("share")),
                    percent(row.get("void_share")));
        }
        print(table);
    }

    private void keyGroups() {
        TextTable table =
                new TextTable(1, "operator", "key group", "changes", "bytes", "of its operator");
        for (JsonNode row : document.get("key_groups")) {
            table.row(
                    text(row.get("operator")),
                    number(row.get("key_group")),
                    number(row.get("changes")),
                    number(row.get("content_bytes")),
                    percent(row.get("share")));
        }
        print(table);
    }

    private void records() {
        JsonNode key = document.get("key");
        out.println();
        if (!key.get("state_found").asBoolean()) {
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
        for (JsonNode row : key.get("records")) {
            out.println(
                    row.get("change_set").asText()
                            + (row.has("age_ms") ? "  " + age(row.get("age_ms")) : "")
                            + "  group "
                            + row.get("key_group").asInt()
                            + "  "
                            + row.get("op").asText()
                            + "  "
                            + row.get("data").asText());
        }
    }

    private void print(TextTable table) {
        out.println();
        table.print(out);
    }
}
