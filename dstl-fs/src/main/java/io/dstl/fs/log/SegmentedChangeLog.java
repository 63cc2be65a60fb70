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
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.SequenceNumber;
import org.apache.flink.runtime.state.changelog.StateChangelogWriter;

/**
 * The log of one keyed state backend in dstl's storage: an open part in an arena, and a sealed part
 * before it. A sequence number counts change sets, not changes: it names the change set that is
 * sealed next.
 *
 * <p>A backend that knows this type appends by {@link ChangeAppender}, without a copy; one that
 * does not (Flink's own, through the plugin) calls {@link #append(int, byte[])} and {@link
 * #appendMeta(byte[])}, which write the same log. A call after close throws, but for {@link
 * #dropRecord}, which then does nothing.
 *
 * <p>Owns the arena and decides when to seal it: at each persist, at each request for the next
 * sequence number, and when the bytes not yet handed to upload reach the pre-emptive threshold.
 *
 * <p><b>Threading.</b> The task thread only, but for {@link #giveUp()}, {@link #endWaits()} and a
 * {@link #close()} that another thread calls. The log waits only while the hard limit of bytes in
 * flight is exceeded, and only between two records.
 */
public final class SegmentedChangeLog
        implements StateChangelogWriter<ChangelogStateHandleStreamImpl>, ChangeAppender {

    private static final Runnable NOTHING = () -> {};

    private final KeyGroupRange keyGroups;
    private final Arena arena;
    private final SealedLog sealed;
    private final InFlightLimit.Share inFlight;
    private final int preemptiveThresholdBytes;

    // Flags, not an enum: these change twice per record, and setting a reference takes the write
    // barrier of the garbage collector.
    private boolean writing;
    private boolean closed;

    /** Whether the last records of the open change set are being written. */
    private boolean sealing;

    /**
     * Left the arena, and is not in {@link #sealed} yet: if there was no memory for that, later.
     */
    @Nullable private ChangeSet taken;

    private Runnable beforeSeal = NOTHING;

    /** Slot of the open record. */
    private int slot;

    /** The thread that began the last record; hardly ever changes. Other threads drop no record. */
    private Thread appending;

    /** Bytes sealed and not yet handed to upload. */
    private long unsentBytes;

    /**
     * @param arena empty, and used by this log only
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

    /**
     * For backends other than dstl's, whose records may be of other key groups than declared. What
     * is declared may even be of another task: as heap timers of a checkpoint are restored, no key
     * is current, and Flink's backend logs them under key group 0.
     */
    @Override
    public void append(int keyGroup, byte[] value) throws IOException {
        arena.ungrouped();
        int own = keyGroups.contains(keyGroup) ? keyGroup : keyGroups.getStartKeyGroup();
        write(beginChange(own), value);
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
    public void beforeSeal(Runnable action) {
        beforeSeal = action;
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
        if (writing && !closed && appending == Thread.currentThread()) {
            arena.dropRecord();
            writing = false;
        }
    }

    /** Throws unless a record could begin now. */
    private void checkIdle() {
        if (writing && !closed && appending != Thread.currentThread()) {
            throw new IllegalStateException(
                    "Thread "
                            + Thread.currentThread().getName()
                            + " changes state while thread "
                            + appending.getName()
                            + " does: a log has the changes of one thread. PyFlink's operators do"
                            + " so by default: set python.execution-mode: thread, or"
                            + " state.changelog.enabled: false for this job.");
        }
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

    private void recordEnded() throws IOException {
        if (arena.bytes() + unsentBytes >= preemptiveThresholdBytes && !sealing) {
            seal();
            unsentBytes = 0;
            sealed.upload();
        }
        if (inFlight.isFull() && !sealing) {
            awaitRoom();
        }
    }

    /**
     * Blocks while the hard limit of bytes in flight is exceeded and some of the bytes are of this
     * log. The awaited uploads need neither the task thread nor a lock that it holds.
     *
     * @throws CancelTaskException if the log has been closed or its {@linkplain #endWaits() waits
     *     ended}: there will be no room
     * @throws InterruptedIOException if the thread is interrupted; its interrupt flag stays set
     * @throws IOException if the store has refused all from the start
     */
    private void awaitRoom() throws IOException {
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
        addTaken();
        if (!arena.isEmpty()) {
            sealing = true;
            try {
                beforeSeal.run();
            } finally {
                sealing = false;
            }
            taken = arena.seal();
            addTaken();
        }
    }

    private void addTaken() {
        if (taken != null) {
            taken.trim();
            sealed.add(taken);
            unsentBytes += taken.bytes();
            taken = null;
        }
    }

    @Override
    public SequenceNumber initialSequenceNumber() {
        return SealedLog.INITIAL;
    }

    /** Seals the open changes, so that the number separates them from later ones. */
    @Override
    public SequenceNumber nextSequenceNumber() {
        seal();
        return sealed.end();
    }

    /**
     * Completes with the change sets in order, pinned for the checkpoint; with none, and a size of
     * 0, if there is no change. The thread that ends the last upload completes it. A failed upload
     * is sent again. The result fails on an {@link Error}, if the store has refused from the start,
     * or if the checkpoint is aborted or the log closed before all is stored.
     *
     * @param from inclusive
     * @throws IllegalArgumentException if changes from there on were truncated
     */
    @Override
    public CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persist(
            SequenceNumber from, long checkpointId) {
        seal();
        CompletableFuture<SnapshotResult<ChangelogStateHandleStreamImpl>> persisted =
                sealed.persist(from, checkpointId);
        unsentBytes = sealed.unsentBytes();
        return persisted;
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

    /**
     * The JobManager has subsumed this checkpoint: all checkpoints that it retains, now or later,
     * are higher. Unlike an abort, this allows the deletion of segments that aborted ones listed.
     *
     * @param checkpointId inclusive
     */
    public void subsumed(long checkpointId) {
        sealed.subsumed(checkpointId);
    }

    /** Change sets that the JobManager or a checkpoint in flight refers to stay stored. */
    @Override
    public void truncateAndClose(SequenceNumber from) {
        close();
    }

    /**
     * Closing again has no effect. Flink's own backend calls this on the thread that cancels the
     * task, while the task thread may be writing a record. Then the garbage collector gets the
     * arena's memory: the pool would give it to another writer during the write.
     */
    @Override
    public void close() {
        closed = true;
        beforeSeal = NOTHING;
        try {
            // The thread that began the last record is in no record while it runs this.
            if (appending == Thread.currentThread()) {
                arena.clear();
            }
        } finally {
            sealed.close();
        }
    }

    /**
     * The task is being cancelled: current and later waits of its thread for changes to be stored
     * end with an error at once. Any thread.
     */
    public void endWaits() {
        inFlight.end();
    }

    /** Closes the sealed part, as its storage closes: any thread, while the task may run. */
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
