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
import static io.dstl.tools.inspect.TextTable.text;

import java.io.PrintWriter;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** Prints {@link SegmentDocuments} as tables. */
final class SegmentText {
    private SegmentText() {}

    static void printSegment(JsonNode document, PrintWriter out) {
        out.println(
                "Segment of "
                        + number(document.get("bytes"))
                        + " bytes, "
                        + form(document)
                        + ", "
                        + age(document.get("ageMs"))
                        + " old: "
                        + document.get("segment").asText());
        out.println(
                number(document.get("changes"))
                        + " changes of "
                        + number(document.get("contentBytes"))
                        + " bytes in "
                        + number(document.get("changeSets"))
                        + " change sets");
        TextTable sets = new TextTable(0, "offset", "bytes", "changes", "key groups", "from", "to");
        for (JsonNode row : document.get("sets")) {
            sets.row(
                    number(row.get("offset")),
                    number(row.get("contentBytes")),
                    number(row.get("changes")),
                    number(row.get("keyGroups")),
                    text(row.get("firstKeyGroup")),
                    text(row.get("lastKeyGroup")));
        }
        print(sets, out);
        TextTable states = new TextTable(2, "state", "type", "changes", "bytes");
        for (JsonNode row : document.get("states")) {
            states.row(
                    text(row.get("state")),
                    text(row.get("type")),
                    number(row.get("changes")),
                    number(row.get("contentBytes")));
        }
        print(states, out);
        out.println(
                "States that are described in an earlier segment are named by number here: inspect"
                        + " the checkpoint.");
        TextTable groups = new TextTable(0, "key group", "changes", "bytes");
        for (JsonNode row : document.get("keyGroups")) {
            groups.row(
                    number(row.get("keyGroup")),
                    number(row.get("changes")),
                    number(row.get("contentBytes")));
        }
        print(groups, out);
        printDamage(document, out);
    }

    static void printBasePath(JsonNode document, PrintWriter out) {
        out.println(
                number(document.get("segments"))
                        + " segments of "
                        + number(document.get("bytes"))
                        + " bytes below "
                        + document.get("basePath").asText());
        TextTable jobs =
                new TextTable(
                        2,
                        "job",
                        "cluster's mark",
                        "segments",
                        "bytes",
                        "oldest",
                        "median",
                        "newest",
                        "indexed",
                        "compressed",
                        "damaged",
                        "change sets");
        for (JsonNode row : document.get("jobs")) {
            jobs.row(
                    text(row.get("job")),
                    text(row.get("mark")),
                    number(row.get("segments")),
                    number(row.get("bytes")),
                    age(row.get("oldestMs")),
                    age(row.get("medianMs")),
                    age(row.get("newestMs")),
                    number(row.get("indexed")),
                    number(row.get("compressed")),
                    number(row.get("damaged")),
                    number(row.get("changeSets")));
        }
        print(jobs, out);
        TextTable largest =
                new TextTable(2, "the largest", "form", "bytes", "age", "change sets", "content");
        for (JsonNode row : document.get("largest")) {
            largest.row(
                    text(row.get("segment")),
                    form(row),
                    number(row.get("bytes")),
                    age(row.get("ageMs")),
                    row.get("indexed").asBoolean() ? number(row.get("changeSets")) : "-",
                    row.get("indexed").asBoolean() ? number(row.get("contentBytes")) : "-");
        }
        print(largest, out);
        printDamage(document, out);
    }

    private static String form(JsonNode row) {
        return (row.get("compressed").asBoolean() ? "Snappy" : "plain")
                + (row.get("indexed").asBoolean() ? ", indexed" : ", no index");
    }

    private static void print(TextTable table, PrintWriter out) {
        out.println();
        table.print(out);
    }

    /** One line for each segment. */
    static void printDamage(JsonNode document, PrintWriter out) {
        for (JsonNode damage : document.get("damaged")) {
            out.println(
                    "can't be read: "
                            + damage.get("segment").asText()
                            + ": "
                            + damage.get("cause").asText());
        }
        out.flush();
    }
}
