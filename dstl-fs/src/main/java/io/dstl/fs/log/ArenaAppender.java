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
import io.dstl.fs.arena.ChangeEffect;
import io.dstl.fs.arena.KeyGroupSlots;
import java.io.IOException;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.KeyGroupRange;

/** Appends records to an arena, and tells its log after each. The task thread only. */
final class ArenaAppender implements ChangeAppender {

    /** What the appender will take next. */
    private enum State {
        /** A record may begin. */
        IDLE,
        /** A record is being written. */
        WRITING,
        /** Nothing: the log is closed. */
        CLOSED
    }

    private final Arena arena;
    private final KeyGroupRange keyGroups;
    private final RecordListener listener;
    private State state = State.IDLE;
    private int slot;

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
        check(State.IDLE);
        DataOutputView record = arena.beginRecord();
        state = State.WRITING;
        slot = newSlot;
        return record;
    }

    @Override
    public void scopeEnds(ChangeEffect effect) {
        check(State.WRITING);
        arena.scopeEnds(effect);
    }

    @Override
    public void entryBegins() {
        check(State.WRITING);
        arena.entryBegins();
    }

    @Override
    public void entryEnds() {
        check(State.WRITING);
        arena.entryEnds();
    }

    @Override
    public void endRecord() throws IOException {
        check(State.WRITING);
        arena.endRecord(slot);
        state = State.IDLE;
        listener.recordEnded();
    }

    @Override
    public void dropRecord() {
        if (state == State.WRITING) {
            arena.dropRecord();
            state = State.IDLE;
        }
    }

    /** Throws unless a record could begin now. */
    void checkIdle() {
        check(State.IDLE);
    }

    private void check(State expected) {
        if (state != expected) {
            throw new IllegalStateException(
                    "The appender is " + state + " where it should be " + expected);
        }
    }

    void close() {
        state = State.CLOSED;
    }
}
