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
import io.dstl.fs.arena.ChangeSet;
import io.dstl.registry.WriterId;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;

/**
 * The log of one backend: an open end in an arena, and a sealed part behind it. A sequence number
 * counts change sets, not changes: it names the change set that is sealed next.
 *
 * <p>Owns the arena and decides when it is sealed: at each persist, when the next sequence number
 * is asked for, and when as many bytes are not yet handed to upload as the pre-emptive threshold
 * says.
 *
 * <p><b>Threading.</b> The task thread only, but for {@link #giveUp()}, {@link #endWaits()} and a
 * {@link #close()} that another thread calls. It waits only where the hard limit of bytes in flight
 * is exceeded, and then between two records.
 */
public final class SegmentedChangeLog implements ChangeLog {

    private final KeyGroupRange keyGroups;
    private final Arena arena;
    private final SealedLog sealed;
    private final InFlightLimit.Share inFlight;
    private final int preemptiveThresholdBytes;

    // Flags, not an enum: to change a reference takes the garbage collector's write barrier, and
    // these change twice per record.
    private boolean writing;
    private boolean closed;

    /** Of the open record. */
    private int slot;

    /** Who began the last record; changes about never. */
    private Thread appending;

    /** Sealed and not yet handed to upload. */
    private long unsentBytes;

    /**
     * @param arena empty, and this log's alone
     * @param preemptiveThresholdBytes at which changes are handed to upload ahead of a checkpoint
     */
    public SegmentedChangeLog(
            WriterId writer,
            KeyGroupRange keyGroups,
            Arena arena,
            int preemptiveThresholdBytes,
            LogServices services) {
        this.keyGroups = keyGroups;
        this.arena = arena;
        this.inFlight = services.inFlight();
        this.sealed = new SealedLog(writer, keyGroups, services);
        this.preemptiveThresholdBytes = preemptiveThresholdBytes;
    }

    /** For other backends than ours, whose records may be of other key groups than they say. */
    @Override
    public void append(int keyGroup, byte[] value) throws IOException {
        arena.ungrouped();
        write(beginChange(keyGroup), value);
    }

    @Override
    public void appendMeta(byte[] value) throws IOException {
        write(beginMetadata(), value);
    }

    private void write(DataOutputView record, byte[] value) throws IOException {
        try {
            record.write(value);
        } catch (Throwable t) {
            dropRecord();
            throw t;
        }
        endRecord();
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
        if (appending != current) {
            appending = current;
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
        recordEnded();
    }

    @Override
    public void dropRecord() {
        if (writing && !closed) {
            arena.dropRecord();
            writing = false;
        }
    }

    /** Throws unless a record could begin now. */
    private void checkIdle() {
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

    private void recordEnded() throws InterruptedIOException {
        if (arena.bytes() + unsentBytes >= preemptiveThresholdBytes) {
            seal();
            unsentBytes = 0;
            sealed.upload();
        }
        if (inFlight.isFull()) {
            awaitRoom();
        }
    }

    /**
     * Blocks while the hard limit of bytes in flight is exceeded and some of the bytes are of this
     * log. The uploads that it waits for need neither the task's thread nor a lock that it holds.
     *
     * @throws CancelTaskException if the log has been closed or its {@linkplain #endWaits() waits
     *     ended}: there will be no room
     * @throws InterruptedIOException if the thread is interrupted; it stays so
     */
    private void awaitRoom() throws InterruptedIOException {
        boolean room;
        try {
            room = inFlight.awaitRoom();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(
                    "Interrupted while the " + this + " waited for changes to be stored");
        }
        if (!room) {
            throw new CancelTaskException(
                    "The " + this + " was given up while it waited for changes to be stored");
        }
    }

    private void seal() {
        checkIdle();
        if (!arena.isEmpty()) {
            ChangeSet changes = arena.seal();
            unsentBytes += changes.bytes();
            sealed.add(changes);
        }
    }

    @Override
    public SequenceNumber initialSequenceNumber() {
        return SealedLog.INITIAL;
    }

    /** Seals the open changes, so that the number separates them from those to come. */
    @Override
    public SequenceNumber nextSequenceNumber() {
        seal();
        return sealed.end();
    }

    /**
     * The result lists the change sets in order, pinned for the checkpoint; none, with a size of 0,
     * if there is no change. It completes on the thread that ends the last of its uploads. An
     * upload that failed is sent again; the result fails on an {@link Error}, on a store that has
     * refused from the start, or if the checkpoint is aborted or the log closed before it is
     * complete.
     *
     * @param from inclusive
     * @throws IllegalArgumentException if changes from there on were truncated
     */
    @Override
    public CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist(
            SequenceNumber from, long checkpointId) {
        seal();
        unsentBytes = 0;
        return sealed.persist(from, checkpointId);
    }

    @Override
    public void truncate(SequenceNumber to) {
        sealed.truncate(to);
    }

    @Override
    public void confirm(SequenceNumber from, SequenceNumber to, long checkpointId) {
        sealed.confirm(checkpointId);
    }

    @Override
    public void reset(SequenceNumber from, SequenceNumber to, long checkpointId) {
        sealed.abort(checkpointId);
    }

    @Override
    public void subsumed(long checkpointId) {
        sealed.subsumed(checkpointId);
    }

    /** What the JobManager or a checkpoint in flight refers to stays stored, wherever it begins. */
    @Override
    public void truncateAndClose(SequenceNumber from) {
        close();
    }

    /**
     * Closing again has no effect. Flink's own backend calls it by the thread that cancels the
     * task, while the task may be at a record: the memory of that is left to the garbage collector
     * then, as somebody else would get it while it is written to.
     */
    @Override
    public void close() {
        closed = true;
        // Who has begun the last record and does something else is in none.
        if (appending == Thread.currentThread()) {
            arena.clear();
        }
        sealed.close();
    }

    @Override
    public void endWaits() {
        inFlight.end();
    }

    /** Ends what runs for this log, as its storage closes: any thread, while the task may run. */
    public void giveUp() {
        sealed.close();
    }

    /** Whether {@link #close} or {@link #giveUp} has been called. Any thread. */
    public boolean isClosed() {
        return sealed.isClosed();
    }

    @Override
    public String toString() {
        return sealed.toString();
    }
}
