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
package io.dstl.changelog.replay;

import static java.util.Collections.singletonList;

import io.dstl.fs.segment.SegmentName;
import io.dstl.secret.Redaction;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * One change set of a log, as a log of its own. The replay reads one at a time, so that an error
 * can name the segment and the offset.
 */
final class LoggedChangeSet {
    private final LogSource.Part part;
    private final String segment;
    private final boolean verified;

    private LoggedChangeSet(LogSource.Part part, String segment, boolean verified) {
        this.part = part;
        this.verified = verified;
        this.segment = segment;
    }

    /**
     * The change sets of a log in order. A log that is not kept in segments counts as one.
     *
     * @param keyGroups that are needed
     */
    static List<LoggedChangeSet> of(ChangelogStateHandle log, KeyGroupRange keyGroups) {
        if (!(log instanceof ChangelogStateHandleStreamImpl)) {
            String name = Redaction.OF_URIS.text(log.toString());
            return singletonList(
                    new LoggedChangeSet(
                            new LogSource.Part(log, keyGroups, "log " + name), name, false));
        }
        ChangelogStateHandleStreamImpl inSegments = (ChangelogStateHandleStreamImpl) log;
        List<LoggedChangeSet> changeSets = new ArrayList<>();
        for (Tuple2<StreamStateHandle, Long> part : inSegments.getHandlesAndOffsets()) {
            changeSets.add(of(inSegments, part, keyGroups));
        }
        return changeSets;
    }

    private static LoggedChangeSet of(
            ChangelogStateHandleStreamImpl log,
            Tuple2<StreamStateHandle, Long> part,
            KeyGroupRange keyGroups) {
        String segment = nameOf(part.f0);
        ChangelogStateHandle alone =
                ChangelogStateHandleStreamImpl.restore(
                        singletonList(part),
                        log.getKeyGroupRange(),
                        log.getStateSize(),
                        log.getCheckpointedSize(),
                        log.getStorageIdentifier(),
                        log.getStateHandleId());
        return new LoggedChangeSet(
                new LogSource.Part(
                        alone,
                        keyGroups,
                        "the change set at offset " + part.f1 + " of segment " + segment),
                segment,
                SegmentName.isIndexed(part.f0));
    }

    private static String nameOf(StreamStateHandle segment) {
        return Redaction.OF_URIS.text(
                segment instanceof FileStateHandle
                        ? ((FileStateHandle) segment).getFilePath().toString()
                        : segment.toString());
    }

    LogSource.Part part() {
        return part;
    }

    ChangelogStateHandle handle() {
        return part.log();
    }

    /** The key groups that are needed. */
    KeyGroupRange keyGroups() {
        return part.keyGroups();
    }

    String segment() {
        return segment;
    }

    /** Whether its segment has an index, with which a reader verifies all that it hands out. */
    boolean isVerified() {
        return verified;
    }

    @Override
    public String toString() {
        return part.toString();
    }
}
