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

import io.dstl.secret.Redaction.Redacted;
import io.dstl.tools.inspect.BasePathInspection.WriterFindings;
import io.dstl.tools.inspect.SegmentInspection.SetFindings;
import java.util.Comparator;
import java.util.Set;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/** What was found of a segment, or of all below a base path, as JSON, of which tables are made. */
final class SegmentDocuments {
    private SegmentDocuments() {}

    /**
     * @param now in ms since the epoch
     * @param top sets, states and key groups, at most
     */
    static ObjectNode ofSegment(FileStatus file, SegmentInspection found, int top, long now) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("segment", Redacted.of(file.getPath()).toString());
        document.put("bytes", file.getLen());
        document.put("ageMs", now - file.getModificationTime());
        document.put("indexed", found.isIndexed());
        document.put("compressed", found.isCompressed());
        document.put("changeSets", found.sets().size());
        document.put("changes", found.all().total().changes());
        document.put("contentBytes", found.all().total().bytes());
        ArrayNode sets = document.putArray("sets");
        found.sets().stream().limit(top).forEach(set -> set(sets.addObject(), set));
        ArrayNode states = document.putArray("states");
        found.all().states().entrySet().stream()
                .sorted(Comparator.comparingLong(state -> -state.getValue().logged().bytes()))
                .limit(top)
                .forEach(
                        state ->
                                states.addObject()
                                        .put("state", state.getKey())
                                        .put("type", state.getValue().type())
                                        .put("changes", state.getValue().logged().changes())
                                        .put("contentBytes", state.getValue().logged().bytes()));
        ArrayNode groups = document.putArray("keyGroups");
        found.all().keyGroups().entrySet().stream()
                .sorted(Comparator.comparingLong(group -> -group.getValue().bytes()))
                .limit(top)
                .forEach(
                        group ->
                                groups.addObject()
                                        .put("keyGroup", group.getKey())
                                        .put("changes", group.getValue().changes())
                                        .put("contentBytes", group.getValue().bytes()));
        addDamage(document, found.damage(), Redacted.of(file.getPath()).toString());
        return document;
    }

    private static void addDamage(ObjectNode document, String damage, String segment) {
        ArrayNode damaged = document.putArray("damaged");
        if (!damage.isEmpty()) {
            damaged.addObject().put("segment", segment).put("cause", damage);
        }
    }

    private static void set(ObjectNode row, SetFindings set) {
        Set<Integer> groups = set.tally.keyGroups().keySet();
        row.put("offset", set.offset);
        row.put("contentBytes", set.contentBytes);
        row.put("changes", set.tally.total().changes());
        row.put("keyGroups", groups.size());
        if (groups.isEmpty()) {
            row.putNull("firstKeyGroup").putNull("lastKeyGroup");
        } else {
            row.put("firstKeyGroup", groups.stream().mapToInt(Integer::intValue).min().getAsInt());
            row.put("lastKeyGroup", groups.stream().mapToInt(Integer::intValue).max().getAsInt());
        }
    }

    /**
     * @param now in ms since the epoch
     */
    static ObjectNode ofBasePath(String path, BasePathInspection found, long now) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("basePath", path);
        long segments = 0;
        long bytes = 0;
        ArrayNode writers = document.putArray("jobs");
        for (WriterFindings writer : found.writers()) {
            segments += writer.segments;
            bytes += writer.bytes;
            writer(writers.addObject(), writer, now);
        }
        document.put("segments", segments);
        document.put("bytes", bytes);
        ArrayNode largest = document.putArray("largest");
        for (SegmentFacts facts : found.largest()) {
            ObjectNode row = largest.addObject();
            row.put("segment", Redacted.of(facts.path()).toString());
            row.put("bytes", facts.bytes());
            row.put("ageMs", now - facts.writtenAt());
            row.put("indexed", facts.isIndexed());
            row.put("compressed", facts.isCompressed());
            row.put("changeSets", facts.sets());
            row.put("contentBytes", facts.contentBytes());
        }
        ArrayNode damaged = document.putArray("damaged");
        for (SegmentFacts facts : found.damaged()) {
            damaged.addObject()
                    .put("segment", Redacted.of(facts.path()).toString())
                    .put("cause", facts.damage());
        }
        return document;
    }

    private static void writer(ObjectNode row, WriterFindings writer, long now) {
        row.put("job", writer.job);
        row.put("mark", writer.mark);
        row.put("segments", writer.segments);
        row.put("bytes", writer.bytes);
        row.put("oldestMs", writer.ages.oldest(now));
        row.put("medianMs", writer.ages.median(now));
        row.put("newestMs", writer.ages.newest(now));
        row.put("indexed", writer.indexed);
        row.put("compressed", writer.compressed);
        row.put("damaged", writer.damaged);
        row.put("changeSets", writer.sets);
        row.put("contentBytes", writer.contentBytes);
    }
}
