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
import java.util.BitSet;
import java.util.Optional;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.StateChange;

/**
 * Reads the changes of one change set, in stored order. Trusts nothing: counts, lengths and key
 * groups are checked before they are used. If the set has an index, changes of key groups that are
 * not needed are left out; those far from the needed ones are not even read.
 *
 * <p>Does not own the cursor. One thread at a time.
 */
public final class ChangeSetDecoder {

    /** The range of all possible key groups. */
    public static final KeyGroupRange ALL_KEY_GROUPS = KeyGroupRange.of(0, Short.MAX_VALUE);

    /** Flink's upper bound of the maximum parallelism. */
    private static final int MAX_KEY_GROUPS = 1 << 15;

    private final ContentCursor content;
    private final long offset;
    private final Optional<SetIndex> index;
    private final KeyGroupRange keyGroups;

    /** Position in the set after which nothing is needed; unknown without an index. */
    private final long neededEnd;

    private final BitSet seenKeyGroups = new BitSet();
    private final int groups;
    private int groupsBegun;
    private int recordsLeft;
    private boolean ended;
    private int keyGroup;

    /**
     * @param offset of the change set: the cursor's position
     * @param keyGroups whose changes are needed, beside the metadata
     * @throws SegmentCorruptedException if no change set begins there
     */
    ChangeSetDecoder(
            ContentCursor content, long offset, Optional<SetIndex> index, KeyGroupRange keyGroups)
            throws IOException {
        this.content = content;
        this.offset = offset;
        this.index = index.filter(SetIndex::isGrouped);
        this.keyGroups = keyGroups;
        this.neededEnd = this.index.map(set -> set.endOf(keyGroups)).orElse(Long.MAX_VALUE);
        content.beginSet(offset);
        this.groups = content.readInt("a number of key groups");
        if (groups < 0 || groups > MAX_KEY_GROUPS + 1) {
            throw content.corrupt(
                    groups + " key groups", "from 0 to " + (MAX_KEY_GROUPS + 1), null);
        }
    }

    /**
     * Reads the next set, whole and without its index.
     *
     * @param content at the end of the set before
     * @throws SegmentCorruptedException if no change set begins there
     */
    public static ChangeSetDecoder next(ContentCursor content) throws IOException {
        return new ChangeSetDecoder(content, content.position(), Optional.empty(), ALL_KEY_GROUPS);
    }

    /**
     * Whether each change is of the key group that it is under, according to the set's index; false
     * without one.
     */
    public boolean isGrouped() {
        return index.isPresent();
    }

    public boolean hasNext() throws IOException {
        while (recordsLeft == 0 && !ended && groupsBegun < groups) {
            if (index.isPresent()) {
                ended = !beginNeeded(index.get());
            } else {
                beginGroup();
            }
        }
        return recordsLeft > 0;
    }

    /** Begins the next group, and skips its records if not needed; false if no more are needed. */
    private boolean beginNeeded(SetIndex set) throws IOException {
        boolean metadataIsNext = groupsBegun == 0 && set.hasMetadata();
        if (!metadataIsNext && (groupsBegun == 0 || keyGroup < keyGroups.getStartKeyGroup())) {
            content.skipTo(offset + set.seek(keyGroups.getStartKeyGroup(), positionInSet()));
        }
        if (positionInSet() >= neededEnd) {
            return false;
        }
        beginGroup();
        if (keyGroup > keyGroups.getEndKeyGroup()) {
            recordsLeft = 0;
            return false;
        }
        if (keyGroup != SegmentFormat.METADATA_KEY_GROUP && !keyGroups.contains(keyGroup)) {
            passOver();
        }
        return true;
    }

    private long positionInSet() {
        return content.position() - offset;
    }

    private void passOver() throws IOException {
        for (; recordsLeft > 0; recordsLeft--) {
            int length = readLength();
            content.skipTo(content.position() + length);
        }
    }

    /** The next change; only after {@link #hasNext()} has returned true. */
    public StateChange next() throws IOException {
        int length = readLength();
        byte[] change = content.readBytes(length, "a change of " + length + " bytes");
        recordsLeft--;
        return keyGroup == SegmentFormat.METADATA_KEY_GROUP
                ? StateChange.ofMetadataChange(change)
                : StateChange.ofDataChange(keyGroup, change);
    }

    private int readLength() throws IOException {
        int length = content.readInt("the length of a change");
        if (length < 0) {
            throw content.corrupt("a change of " + length + " bytes", "0 or more", null);
        }
        return length;
    }

    private void beginGroup() throws IOException {
        recordsLeft = content.readInt("a number of changes");
        if (recordsLeft < 0) {
            throw content.corrupt(recordsLeft + " changes", "0 or more", null);
        }
        keyGroup = content.readInt("a key group");
        checkKeyGroup();
        groupsBegun++;
    }

    private void checkKeyGroup() throws IOException {
        if (keyGroup == SegmentFormat.METADATA_KEY_GROUP) {
            if (groupsBegun > 0) {
                throw content.corrupt(
                        "metadata after a key group", "metadata first, and once", null);
            }
            return;
        }
        if (keyGroup < 0 || keyGroup >= MAX_KEY_GROUPS) {
            throw content.corrupt(
                    "key group " + keyGroup,
                    "one from 0 to " + (MAX_KEY_GROUPS - 1) + ", or -1 for metadata",
                    null);
        }
        if (seenKeyGroups.get(keyGroup)) {
            throw content.corrupt(
                    "key group " + keyGroup + " a second time", "each key group once", null);
        }
        seenKeyGroups.set(keyGroup);
    }
}
