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
 * <p><b>Void changes.</b> A log may leave out what a later change makes void, if the writer says of
 * its changes what they replace. Each record then begins with a byte that says what is done, two
 * that name the state, and what tells the scope from others of that state: {@link #scopeEnds}.
 * Where one entry of the scope is set or removed, what names the entry follows: {@link
 * #entryBegins}, {@link #entryEnds}. The same scope, or entry, may have several spellings; the same
 * bytes must always mean the same. Of a record of which nothing is said, nothing is assumed.
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
     * What was written of the open record, but for its first byte, names the scope of the change.
     *
     * @throws IllegalStateException if no record is open, or the state is not named yet
     */
    default void scopeEnds(ChangeEffect effect) {}

    /**
     * What is written next names the entry; to be called where that does not follow the scope at
     * once.
     *
     * @throws IllegalStateException if no record is open
     */
    default void entryBegins() {}

    /**
     * What was written last named the entry; to be called where the record does not end with it.
     *
     * @throws IllegalStateException if no record is open
     */
    default void entryEnds() {}

    /**
     * Ends the open record. Where too much is in flight it then waits until some of it is stored:
     * interruptibly, and until the task is cancelled.
     *
     * @throws IllegalStateException if none is open
     * @throws java.io.InterruptedIOException if the wait is interrupted; the record is in the log
     * @throws IOException if sealing, which a full change set brings about, fails
     */
    void endRecord() throws IOException;

    /** Forgets the open record, if any. Used when a serializer throws half-way. */
    void dropRecord();
}
