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
import io.dstl.fs.arena.ChangeSet;
import io.dstl.registry.WriterId;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.core.memory.DataOutputView;
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

    private final Arena arena;
    private final ArenaAppender appender;
    private final SealedLog sealed;
    private final int preemptiveThresholdBytes;

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
        this.arena = arena;
        this.appender = new ArenaAppender(arena, keyGroups, this::recordEnded);
        this.sealed = new SealedLog(writer, keyGroups, services);
        this.preemptiveThresholdBytes = preemptiveThresholdBytes;
    }

    @Override
    public ChangeAppender appender() {
        return appender;
    }

    /** For other backends than ours, whose records may be of other key groups than they say. */
    @Override
    public void append(int keyGroup, byte[] value) throws IOException {
        arena.ungrouped();
        write(appender.beginChange(keyGroup), value);
    }

    @Override
    public void appendMeta(byte[] value) throws IOException {
        write(appender.beginMetadata(), value);
    }

    private void write(DataOutputView record, byte[] value) throws IOException {
        try {
            record.write(value);
        } catch (Throwable t) {
            appender.dropRecord();
            throw t;
        }
        appender.endRecord();
    }

    private void recordEnded() throws InterruptedIOException {
        if (arena.bytes() + unsentBytes >= preemptiveThresholdBytes) {
            seal();
            unsentBytes = 0;
            sealed.upload();
        }
        if (sealed.mayHaveToWait()) {
            sealed.awaitRoom();
        }
    }

    private void seal() {
        appender.checkIdle();
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
        appender.close();
        if (appender.isWrittenBy(Thread.currentThread())) {
            arena.clear();
        }
        sealed.close();
    }

    @Override
    public void endWaits() {
        sealed.endWaits();
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
