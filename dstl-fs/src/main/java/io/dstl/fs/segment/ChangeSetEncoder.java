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

import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.arena.KeyGroupSlots;
import java.io.IOException;

/** Writes change sets in the layout of {@link SegmentFormat}. Stateless; any thread. */
final class ChangeSetEncoder {

    private ChangeSetEncoder() {}

    /** Bytes that {@link #write} will write. */
    static long encodedBytes(ChangeSet changes) {
        return SegmentFormat.SET_HEADER_BYTES
                + (long) groups(changes) * SegmentFormat.GROUP_HEADER_BYTES
                + (long) changes.records() * SegmentFormat.RECORD_HEADER_BYTES
                + changes.bytes();
    }

    static void write(ChangeSet changes, BlockOutput out) throws IOException {
        int[] ordered = changes.recordsBySlot();
        out.beginSet(changes.isGrouped());
        out.writeInt(groups(changes));
        int first = 0;
        for (int slot = 0; slot < KeyGroupSlots.count(changes.keyGroups()); slot++) {
            int count = changes.recordsOf(slot);
            if (count > 0) {
                int keyGroup = keyGroup(changes, slot);
                out.beginGroup(keyGroup);
                out.writeInt(count);
                out.writeInt(keyGroup);
                writeRecords(changes, ordered, first, first + count, out);
                first += count;
            }
        }
        out.endSet();
    }

    /** Records that lie behind each other are copied in one go. */
    private static void writeRecords(
            ChangeSet changes, int[] ordered, int first, int end, BlockOutput out)
            throws IOException {
        int at = first;
        while (at < end) {
            int runFirst = ordered[at++];
            int runLast = runFirst;
            while (at < end && ordered[at] == runLast + 1) {
                runLast = ordered[at++];
            }
            changes.copyRecords(runFirst, runLast, out);
        }
    }

    private static int groups(ChangeSet changes) {
        int groups = 0;
        for (int slot = 0; slot < KeyGroupSlots.count(changes.keyGroups()); slot++) {
            if (changes.recordsOf(slot) > 0) {
                groups++;
            }
        }
        return groups;
    }

    private static int keyGroup(ChangeSet changes, int slot) {
        return slot == KeyGroupSlots.METADATA
                ? SegmentFormat.METADATA_KEY_GROUP
                : KeyGroupSlots.keyGroup(changes.keyGroups(), slot);
    }
}
