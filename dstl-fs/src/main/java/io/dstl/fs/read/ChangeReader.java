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
package io.dstl.fs.read;

import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.secret.Redaction;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.changelog.StateChangelogHandleReader;
import org.apache.flink.util.CloseableIterator;

/**
 * Reads the changes that a handle refers to, ours or stock's, in the order of the log.
 *
 * <p>Any thread; the iterators it returns are for one thread each. Does not own its source.
 */
public final class ChangeReader
        implements StateChangelogHandleReader<ChangelogStateHandleStreamImpl> {

    private final ContentSource source;
    private final Redaction redaction;

    /**
     * @param redaction of what iterators throw
     */
    public ChangeReader(ContentSource source, Redaction redaction) {
        this.source = source;
        this.redaction = redaction;
    }

    /**
     * Opens nothing yet. What the iterator cannot read it throws as an {@link
     * java.io.UncheckedIOException}, whose cause names the segment; it skips nothing.
     */
    @Override
    public CloseableIterator<StateChange> getChanges(ChangelogStateHandleStreamImpl handle) {
        return getChanges(handle, ChangeSetDecoder.ALL_KEY_GROUPS);
    }

    /**
     * As {@link #getChanges(ChangelogStateHandleStreamImpl)}, but may leave out changes that are
     * neither metadata nor of these key groups; what is far from them is not even fetched.
     */
    public CloseableIterator<StateChange> getChanges(
            ChangelogStateHandleStreamImpl handle, KeyGroupRange keyGroups) {
        return new HandleChanges(source, requests(handle, keyGroups), redaction);
    }

    /** What reading these key groups of a handle takes, in order, for {@link #fetchAhead}. */
    public static List<SetRequest> requests(
            ChangelogStateHandleStreamImpl handle, KeyGroupRange keyGroups) {
        return handle.getHandlesAndOffsets().stream()
                .map(location -> new SetRequest(location.f0, location.f1, keyGroups))
                .collect(Collectors.toList());
    }

    /** See {@link ContentSource#fetchAhead}. */
    public FetchAhead fetchAhead(List<SetRequest> sets) {
        return source.fetchAhead(sets);
    }
}
