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
import java.util.Set;
import org.apache.flink.core.fs.FileStatus;
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
        document.put("changeSets", found.all().sets());
        document.put("changes", found.all().total().count());
        document.put("contentBytes", found.all().total().bytes());
        Rows.put(document, "sets", found.sets(), top, SegmentDocuments::set);
        document.put("sets" + Rows.LEFT_OUT, found.all().sets() - found.sets().size());
        Rows.put(
                document,
                "states",
                Rows.largest(
                        found.all().states().entrySet(),
                        state -> state.getValue().logged().bytes()),
                top,
                (row, state) ->
                        row.put("state", state.getKey())
                                .put("type", state.getValue().type())
                                .put("changes", state.getValue().logged().count())
                                .put("contentBytes", state.getValue().logged().bytes()));
        Rows.put(
                document,
                "keyGroups",
                Rows.largest(found.all().keyGroups().entrySet(), group -> group.getValue().bytes()),
                top,
                (row, group) ->
                        row.put("keyGroup", group.getKey())
                                .put("changes", group.getValue().count())
                                .put("contentBytes", group.getValue().bytes()));
        Damages damages = new Damages(top);
        if (!found.damage().isEmpty()) {
            damages.add(Redacted.of(file.getPath()).toString(), found::damage);
        }
        Rows.putDamaged(document, damages);
        return document;
    }

    private static void set(ObjectNode row, SetFindings set) {
        Set<Integer> groups = set.tally.keyGroups().keySet();
        row.put("offset", set.offset);
        row.put("contentBytes", set.contentBytes);
        row.put("changes", set.tally.total().count());
        row.put("keyGroups", groups.size());
        if (groups.isEmpty()) {
            row.putNull("firstKeyGroup").putNull("lastKeyGroup");
        } else {
            row.put("firstKeyGroup", groups.stream().mapToInt(Integer::intValue).min().getAsInt());
            row.put("lastKeyGroup", groups.stream().mapToInt(Integer::intValue).max().getAsInt());
        }
    }

    /**
     * @param top rows of each list, at most
     * @param now in ms since the epoch
     */
    static ObjectNode ofBasePath(String path, BasePathInspection found, int top, long now) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("basePath", path);
        Rows.put(
                document,
                "jobs",
                Rows.largest(found.writers(), writer -> writer.bytes),
                top,
                (row, writer) -> writer(row, writer, now));
        long segments = found.writers().stream().mapToLong(writer -> writer.segments).sum();
        document.put("segments", segments);
        document.put("bytes", found.writers().stream().mapToLong(writer -> writer.bytes).sum());
        Rows.put(
                document,
                "largest",
                found.largest(),
                top,
                (row, facts) ->
                        row.put("segment", Redacted.of(facts.path()).toString())
                                .put("bytes", facts.bytes())
                                .put("ageMs", now - facts.writtenAt())
                                .put("indexed", facts.isIndexed())
                                .put("compressed", facts.isCompressed())
                                .put("changeSets", facts.sets())
                                .put("contentBytes", facts.contentBytes()));
        document.put("largest" + Rows.LEFT_OUT, segments - found.largest().size());
        Rows.putDamaged(document, found.damages());
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
