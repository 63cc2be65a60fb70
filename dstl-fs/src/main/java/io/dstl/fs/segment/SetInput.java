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
import java.util.Optional;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * An open change set: the content of its segment from its beginning on, and its part of the index,
 * if there is one. The caller closes the content.
 */
public final class SetInput {

    private final StreamStateHandle segment;
    private final long offset;
    private final InputStream content;
    private final Optional<SetIndex> index;

    private SetInput(
            StreamStateHandle segment, long offset, InputStream content, Optional<SetIndex> index) {
        this.segment = segment;
        this.offset = offset;
        this.content = content;
        this.index = index;
    }

    /**
     * A set of a segment without an index.
     *
     * @param content of the segment from the offset on
     */
    public static SetInput unindexed(StreamStateHandle segment, long offset, InputStream content) {
        return new SetInput(segment, offset, content, Optional.empty());
    }

    /**
     * A set of a segment with an index: each read is verified.
     *
     * @param file closed with the content
     */
    public static SetInput indexed(
            StreamStateHandle segment, SegmentIndex index, SetIndex set, StoredBytes file) {
        return new SetInput(
                segment,
                set.offset(),
                new CheckedContent(file, segment, index, set),
                Optional.of(set));
    }

    /** Starts at the beginning of the change set. */
    public InputStream content() {
        return content;
    }

    /**
     * Reads the changes.
     *
     * @param keyGroups whose changes are needed; others may come as well
     * @throws SegmentCorruptedException if no change set begins there
     */
    public ChangeSetDecoder decode(KeyGroupRange keyGroups) throws IOException {
        return new ChangeSetDecoder(
                new ContentCursor(segment, content, offset), offset, index, keyGroups);
    }
}
