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

import io.dstl.fs.arena.Arena;
import io.dstl.fs.arena.Arena.KeyGroupSlots;
import io.dstl.fs.arena.ChangeEffect;
import java.io.IOException;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.KeyGroupRange;

/** Appends records to an arena, and tells its log after each. The task thread only. */
final class ArenaAppender implements ChangeAppender {

    private final Arena arena;
    private final KeyGroupRange keyGroups;
    private final RecordListener listener;

    // Flags, not an enum: to change a reference takes the garbage collector's write barrier, and
    // these change twice per record.
    private boolean writing;
    private boolean closed;
    private int slot;

    /** Who began the last record; changes about never. */
    private Thread writer;

    ArenaAppender(Arena arena, KeyGroupRange keyGroups, RecordListener listener) {
        this.arena = arena;
        this.keyGroups = keyGroups;
        this.listener = listener;
    }

    /** Hears of each record that became part of the arena. */
    interface RecordListener {
        void recordEnded() throws IOException;
    }

    @Override
    public DataOutputView beginChange(int keyGroup) throws IOException {
        if (!keyGroups.contains(keyGroup)) {
            throw new IllegalArgumentException(
                    "Key group " + keyGroup + " is not of this log's " + keyGroups);
        }
        return begin(KeyGroupSlots.ofKeyGroup(keyGroups, keyGroup));
    }

    @Override
    public DataOutputView beginMetadata() throws IOException {
        return begin(KeyGroupSlots.METADATA);
    }

    private DataOutputView begin(int newSlot) throws IOException {
        checkIdle();
        Thread current = Thread.currentThread();
        if (writer != current) {
            writer = current;
        }
        DataOutputView record = arena.beginRecord();
        writing = true;
        slot = newSlot;
        return record;
    }

    @Override
    public void scopeEnds(ChangeEffect effect) {
        checkWriting();
        arena.scopeEnds(effect);
    }

    @Override
    public void entryBegins() {
        checkWriting();
        arena.entryBegins();
    }

    @Override
    public void entryEnds() {
        checkWriting();
        arena.entryEnds();
    }

    @Override
    public void endRecord() throws IOException {
        checkWriting();
        arena.endRecord(slot);
        writing = false;
        listener.recordEnded();
    }

    @Override
    public void dropRecord() {
        if (writing && !closed) {
            arena.dropRecord();
            writing = false;
        }
    }

    /** Throws unless a record could begin now. */
    void checkIdle() {
        if (writing || closed) {
            throw notAsExpected("between two records");
        }
    }

    private void checkWriting() {
        if (!writing || closed) {
            throw notAsExpected("in a record");
        }
    }

    private IllegalStateException notAsExpected(String expected) {
        String actual = closed ? "closed" : writing ? "in a record" : "between two records";
        return new IllegalStateException(
                "The appender is " + actual + " where it should be " + expected);
    }

    void close() {
        closed = true;
    }

    /**
     * Whether the thread has begun the last record, so that none is being written as long as it
     * does something else. Any thread.
     */
    boolean isWrittenBy(Thread thread) {
        return writer == thread;
    }
}
