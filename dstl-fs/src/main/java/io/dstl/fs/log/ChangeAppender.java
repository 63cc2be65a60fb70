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
package io.dstl.fs.log;

import java.io.IOException;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Takes the changes of one keyed state backend, record by record, without an object or a copy per
 * change.
 *
 * <p><b>Protocol.</b> {@link #beginChange(int)} or {@link #beginMetadata()} opens a record and
 * returns the view to write it to; {@link #endRecord()} makes it part of the log; {@link
 * #dropRecord()} forgets it, as if it had never been begun. At most one record is open at a time.
 * The view belongs to the appender: it is valid until the record ends, and must not be kept.
 *
 * <p><b>Order.</b> Records of one key group are replayed in the order they were ended in; metadata
 * records are replayed before all other records of their change set. No order holds between key
 * groups.
 *
 * <p><b>Threading.</b> The task thread only; nothing here blocks or takes a contended lock.
 *
 * <p><b>Durability.</b> None by itself: see {@link
 * org.apache.flink.runtime.state.changelog.StateChangelogWriter#persist}.
 */
public interface ChangeAppender {

    /**
     * Opens a record of the given key group: a reader of other key groups does not see it.
     *
     * @param keyGroup within the key-group range of the writer, both ends inclusive
     * @throws IllegalStateException if a record is open or the log is closed
     * @throws IllegalArgumentException if the key group is not of the writer's range
     */
    DataOutputView beginChange(int keyGroup) throws IOException;

    /**
     * Opens a metadata record: one that every reader of the change set replays, first.
     *
     * @throws IllegalStateException if a record is open or the log is closed
     */
    DataOutputView beginMetadata() throws IOException;

    /**
     * Ends the open record.
     *
     * @throws IllegalStateException if none is open
     * @throws IOException if sealing, which a full change set brings about, fails
     */
    void endRecord() throws IOException;

    /** Forgets the open record, if any. Used when a serializer throws half-way. */
    void dropRecord();
}
