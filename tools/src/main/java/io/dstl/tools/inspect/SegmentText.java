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

import java.io.PrintWriter;
import java.util.Locale;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/** Prints {@link SegmentDocuments} as tables. */
final class SegmentText {
    private SegmentText() {}

    static void printSegment(JsonNode document, PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "Segment of %s bytes, %s, %s old: %s%n",
                number(document.get("bytes")),
                form(document),
                age(document.get("ageMs")),
                document.get("segment").asText());
        out.printf(
                Locale.ROOT,
                "%s changes of %s bytes in %s change sets%n",
                number(document.get("changes")),
                number(document.get("contentBytes")),
                number(document.get("changeSets")));
        new TextTable("sets")
                .number("offset", "offset")
                .number("bytes", "contentBytes")
                .number("changes", "changes")
                .number("key groups", "keyGroups")
                .value("from", "firstKeyGroup")
                .value("to", "lastKeyGroup")
                .print(document, out);
        new TextTable("states")
                .name("state", "state")
                .name("type", "type")
                .number("changes", "changes")
                .number("bytes", "contentBytes")
                .print(document, out);
        out.println(
                "States that are described in an earlier segment are named by number here: inspect"
                        + " the checkpoint.");
        new TextTable("keyGroups")
                .number("key group", "keyGroup")
                .number("changes", "changes")
                .number("bytes", "contentBytes")
                .print(document, out);
        printDamage(document, out);
    }

    static void printBasePath(JsonNode document, PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "%s segments of %s bytes below %s%n",
                number(document.get("segments")),
                number(document.get("bytes")),
                document.get("basePath").asText());
        new TextTable("jobs")
                .name("job", "job")
                .name("cluster's mark", "mark")
                .number("segments", "segments")
                .number("bytes", "bytes")
                .age("oldest", "oldestMs")
                .age("median", "medianMs")
                .age("newest", "newestMs")
                .number("indexed", "indexed")
                .number("compressed", "compressed")
                .number("damaged", "damaged")
                .number("change sets", "changeSets")
                .print(document, out);
        new TextTable("largest")
                .name("the largest", "segment")
                .column("form", true, SegmentText::form)
                .number("bytes", "bytes")
                .age("age", "ageMs")
                .column("change sets", false, row -> ifIndexed(row, "changeSets"))
                .column("content", false, row -> ifIndexed(row, "contentBytes"))
                .print(document, out);
        printDamage(document, out);
    }

    private static String ifIndexed(JsonNode row, String field) {
        return row.get("indexed").asBoolean() ? number(row.get(field)) : "-";
    }

    private static String form(JsonNode row) {
        return (row.get("compressed").asBoolean() ? "Snappy" : "plain")
                + (row.get("indexed").asBoolean() ? ", indexed" : ", no index");
    }

    /** One line for each segment. */
    static void printDamage(JsonNode document, PrintWriter out) {
        for (JsonNode damage : document.get("damaged")) {
            out.printf(
                    Locale.ROOT,
                    "can't be read: %s: %s%n",
                    damage.get("segment").asText(),
                    damage.get("cause").asText());
        }
        TextTable.printLeftOut(document, "damaged", out);
        out.flush();
    }
}
