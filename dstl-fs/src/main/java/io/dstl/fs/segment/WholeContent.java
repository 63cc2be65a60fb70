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
package io.dstl.fs.segment;

import java.io.IOException;
import java.io.InputStream;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Reads a whole segment without an index, set by set, and checks that no byte lies between two sets
 * or after the last one. Stateless; any thread.
 */
public final class WholeContent {

    private WholeContent() {}

    /**
     * @param content of the segment, from its beginning; read to its end, and not closed
     * @param offsets where change sets have to begin
     * @throws SegmentCorruptedException if the content is no change set, or one does not begin
     *     where it has to
     */
    public static void check(
            StreamStateHandle segment, InputStream content, SortedSet<Long> offsets)
            throws IOException {
        ContentCursor cursor = new ContentCursor(segment, content, 0);
        SortedSet<Long> left = new TreeSet<>(offsets);
        while (!cursor.isAtEnd()) {
            left.remove(cursor.position());
            ChangeSetDecoder changes = ChangeSetDecoder.next(cursor);
            if (!changes.hasNext()) {
                // Nobody writes one; zeroed blocks of a damaged disk read as very many of them.
                throw cursor.corrupt("a change set without changes", "some", null);
            }
            while (changes.hasNext()) {
                changes.next();
            }
        }
        if (!left.isEmpty()) {
            throw new SegmentCorruptedException(
                    segment,
                    left.first(),
                    left.first(),
                    "no change set that begins here, of all up to the end at " + cursor.position(),
                    "one",
                    null);
        }
    }
}
