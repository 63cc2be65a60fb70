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

import io.dstl.fs.arena.ChangeEffect;
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
 * <p><b>Void changes.</b> A log may leave out changes that a later change makes void, if the writer
 * declares what its changes replace. Each record then begins with one byte for the operation, two
 * for the state, and the bytes that name the scope within the state: {@link #scopeEnds}. If the
 * change sets or removes one entry of the scope, the bytes that name the entry follow: {@link
 * #entryBegins}, {@link #entryEnds}. A scope or entry may have several spellings, but the same
 * bytes must always mean the same one. A record without a declaration may have any effect.
 *
 * <p><b>Order.</b> Records of one key group are replayed in the order they were ended in; metadata
 * records are replayed before all other records of their change set. No order holds between key
 * groups.
 *
 * <p><b>Threading.</b> The task thread only. Only {@link #endRecord()} may wait, and only while the
 * store has been so slow that the hard limit of bytes in flight is exceeded.
 *
 * <p><b>Durability.</b> None by itself: see {@link
 * org.apache.flink.runtime.state.changelog.StateChangelogWriter#persist}.
 */
public interface ChangeAppender {

    /**
     * Opens a record of the given key group: readers of other key groups do not see it.
     *
     * @param keyGroup within the key-group range of the writer, both ends inclusive
     * @throws IllegalStateException if a record is open or the log is closed
     * @throws IllegalArgumentException if the key group is not in the writer's range
     */
    DataOutputView beginChange(int keyGroup) throws IOException;

    /**
     * Opens a metadata record: every reader of the change set replays it, before other records.
     *
     * @throws IllegalStateException if a record is open or the log is closed
     */
    DataOutputView beginMetadata() throws IOException;

    /**
     * Runs this before each change set is sealed, between two records: the metadata that it writes
     * is part of that change set. If it throws, nothing is sealed. Does nothing for a log that does
     * not tell when it seals.
     */
    default void beforeSeal(Runnable action) {}

    /**
     * The bytes written so far, except the first, name the scope of the change.
     *
     * @throws IllegalStateException if no record is open, or the state is not named yet
     */
    default void scopeEnds(ChangeEffect effect) {}

    /**
     * The bytes written next name the entry; call this if they do not directly follow the scope.
     *
     * @throws IllegalStateException if no record is open
     */
    default void entryBegins() {}

    /**
     * The last bytes written named the entry; call this if the record does not end with them.
     *
     * @throws IllegalStateException if no record is open
     */
    default void entryEnds() {}

    /**
     * Ends the open record. If too much is in flight, waits until some of it is stored, or until
     * the thread is interrupted or the task cancelled.
     *
     * @throws IllegalStateException if none is open
     * @throws java.io.InterruptedIOException if the wait is interrupted; the record is in the log
     * @throws IOException if the change set is full and sealing it fails
     */
    void endRecord() throws IOException;

    /** Forgets the open record, if any. Used when a serializer throws half-way. */
    void dropRecord();
}
