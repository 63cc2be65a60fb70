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
        document.put("age_ms", now - file.getModificationTime());
        document.put("indexed", found.isIndexed());
        document.put("compressed", found.isCompressed());
        document.put("change_sets", found.sets().size());
        document.put("changes", found.all().total().changes());
        document.put("content_bytes", found.all().total().bytes());
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
                                        .put("content_bytes", state.getValue().logged().bytes()));
        ArrayNode groups = document.putArray("key_groups");
        found.all().keyGroups().entrySet().stream()
                .sorted(Comparator.comparingLong(group -> -group.getValue().bytes()))
                .limit(top)
                .forEach(
                        group ->
                                groups.addObject()
                                        .put("key_group", group.getKey())
                                        .put("changes", group.getValue().changes())
                                        .put("content_bytes", group.getValue().bytes()));
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
        row.put("content_bytes", set.contentBytes);
        row.put("changes", set.tally.total().changes());
        row.put("key_groups", groups.size());
        if (groups.isEmpty()) {
            row.putNull("first_key_group").putNull("last_key_group");
        } else {
            row.put(
                    "first_key_group",
                    groups.stream().mapToInt(Integer::intValue).min().getAsInt());
            row.put("last_key_group", groups.stream().mapToInt(Integer::intValue).max().getAsInt());
        }
    }

    /**
     * @param now in ms since the epoch
     */
    static ObjectNode ofBasePath(String path, BasePathInspection found, long now) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("base_path", path);
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
            row.put("age_ms", now - facts.writtenAt());
            row.put("indexed", facts.isIndexed());
            row.put("compressed", facts.isCompressed());
            row.put("change_sets", facts.sets());
            row.put("content_bytes", facts.contentBytes());
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
        row.put("oldest_ms", writer.ages.oldest(now));
        row.put("median_ms", writer.ages.median(now));
        row.put("newest_ms", writer.ages.newest(now));
        row.put("indexed", writer.indexed);
        row.put("compressed", writer.compressed);
        row.put("damaged", writer.damaged);
        row.put("change_sets", writer.sets);
        row.put("content_bytes", writer.contentBytes);
    }
}
