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
import io.dstl.fs.arena.EffectiveRecords;
import io.dstl.fs.arena.KeyGroupSlots;
import java.io.IOException;

/** Writes change sets in the layout of {@link SegmentFormat}. Stateless; any thread. */
final class ChangeSetEncoder {

    private ChangeSetEncoder() {}

    /** Bytes that {@link #write} will write at most: if no change turns out to be void. */
    static long mostBytes(ChangeSet changes) {
        return framed(changes, changes.count(), changes.bytes());
    }

    /** Bytes that {@link #write} writes. Finds out which changes are void if nobody has yet. */
    static long encodedBytes(ChangeSet changes) {
        EffectiveRecords stored = changes.effective();
        return framed(changes, stored.count(), stored.bytes());
    }

    private static long framed(ChangeSet changes, int records, long bytes) {
        return SegmentFormat.SET_HEADER_BYTES
                + (long) changes.groups() * SegmentFormat.GROUP_HEADER_BYTES
                + (long) records * SegmentFormat.RECORD_HEADER_BYTES
                + bytes;
    }

    static void write(ChangeSet changes, BlockOutput out) throws IOException {
        EffectiveRecords records = changes.effective();
        out.beginSet(changes.isGrouped());
        out.writeInt(changes.groups());
        int first = 0;
        for (int slot = 0; slot < KeyGroupSlots.count(changes.keyGroups()); slot++) {
            int count = records.countOf(slot);
            if (count > 0) {
                int keyGroup = keyGroup(changes, slot);
                out.beginGroup(keyGroup);
                out.writeInt(count);
                out.writeInt(keyGroup);
                writeRecords(changes, records, first, first + count, out);
                first += count;
            }
        }
        out.endSet();
    }

    /** Records that lie behind each other are copied in one go. */
    private static void writeRecords(
            ChangeSet changes, EffectiveRecords records, int first, int end, BlockOutput out)
            throws IOException {
        int at = first;
        while (at < end) {
            int runFirst = records.record(at++);
            int runLast = runFirst;
            while (at < end && records.record(at) == runLast + 1) {
                runLast = records.record(at++);
            }
            changes.copyRecords(runFirst, runLast, out);
        }
    }

    private static int keyGroup(ChangeSet changes, int slot) {
        return slot == KeyGroupSlots.METADATA
                ? SegmentFormat.METADATA_KEY_GROUP
                : KeyGroupSlots.keyGroup(changes.keyGroups(), slot);
    }
}
