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
package io.dstl.changelog.replay;

import io.dstl.changelog.bulk.BulkReplay;
import io.dstl.changelog.bulk.Cancellation;
import io.dstl.fs.read.LoggedChanges;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.execution.CancelTaskException;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the changes of one change set in order, knows its position, and stops when the task is
 * cancelled.
 *
 * <p>Owns the iterator: closes it, or leaves that to the registry once the task is cancelled.
 */
final class ChangeCursor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChangeCursor.class);

    /** A check takes longer than the replay of a change. */
    private static final int CHANGES_PER_CHECK = 64;

    private final LoggedChangeSet changeSet;
    private final CloseableIterator<StateChange> changes;
    private final CloseableRegistry cancellation;
    private final Closeable closer;

    private StateChange current;
    private long index;

    private ChangeCursor(
            LoggedChangeSet changeSet,
            CloseableIterator<StateChange> changes,
            CloseableRegistry cancellation) {
        this.changeSet = changeSet;
        this.changes = changes;
        this.cancellation = cancellation;
        this.closer = this::closeChanges;
    }

    /**
     * @throws LogReplayException if the change set can't be opened
     * @throws CancelTaskException if the task is cancelled
     */
    static ChangeCursor open(
            LoggedChangeSet changeSet, LogSource source, CloseableRegistry cancellation)
            throws LogReplayException {
        Cancellation.of(cancellation).check();
        ChangeCursor cursor;
        try {
            CloseableIterator<StateChange> changes =
                    source.open(changeSet.handle(), changeSet.keyGroups());
            cursor = new ChangeCursor(changeSet, changes, cancellation);
        } catch (IOException | RuntimeException e) {
            Cancellation.of(cancellation).check(e);
            throw new LogReplayException("Cannot open " + changeSet + ": " + reason(e), e);
        }
        try {
            cancellation.registerCloseable(cursor.closer);
        } catch (IOException e) {
            throw Cancellation.exception(e);
        }
        return cursor;
    }

    /**
     * Moves to the next change.
     *
     * @return false at the end of the change set
     * @throws LogReplayException if the change set can't be read on
     * @throws CancelTaskException if the task is cancelled
     */
    boolean next() throws LogReplayException {
        boolean found;
        try {
            found = changes.hasNext();
            current = found ? changes.next() : null;
        } catch (RuntimeException e) {
            throw cannotRead(e);
        }
        // a closed iterator may end early instead of throwing
        if (!found || index % CHANGES_PER_CHECK == 0) {
            Cancellation.of(cancellation).check();
        }
        if (found) {
            index++;
        }
        return found;
    }

    private LogReplayException cannotRead(RuntimeException cause) {
        Cancellation.of(cancellation).check(cause);
        return new LogReplayException(
                "Cannot read " + changeSet + " after " + index + " changes: " + reason(cause),
                cause);
    }

    /**
     * Whether the bytes of the changes may be used as they are: a checksum verifies all that is
     * read of them, and each change belongs to the key group that it is under.
     *
     * @throws LogReplayException as of {@link #next}
     */
    boolean isTrusted() throws LogReplayException {
        try {
            return changeSet.isVerified() && isGrouped(changes);
        } catch (RuntimeException e) {
            throw cannotRead(e);
        }
    }

    /** A storage that does not tell is taken to hold changes of this backend. */
    static boolean isGrouped(CloseableIterator<StateChange> changes) {
        return !(changes instanceof LoggedChanges) || ((LoggedChanges) changes).isGrouped();
    }

    StateChange current() {
        return current;
    }

    /**
     * The error for a current change that can't be applied.
     *
     * @throws CancelTaskException if the task is cancelled, which is then the cause
     */
    LogReplayException cannotApply(Exception cause) {
        Cancellation.of(cancellation).check(cause);
        boolean isEarlier = cause instanceof BulkReplay.EarlierChangeException;
        return new LogReplayException(
                (isEarlier ? "Cannot replay a change before change " : "Cannot replay change ")
                        + (index - 1)
                        + " of "
                        + changeSet
                        + (isEarlier ? "" : " (" + current + ")")
                        + ": "
                        + reason(cause),
                cause);
    }

    /** The error for changes of earlier change sets, found when this one was to begin. */
    LogReplayException cannotBegin(Exception cause) {
        Cancellation.of(cancellation).check(cause);
        return new LogReplayException(
                "Cannot replay the changes before " + changeSet + ": " + reason(cause), cause);
    }

    static String reason(Exception cause) {
        if (cause instanceof EOFException) {
            return "unexpected end: expected more bytes";
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    /** Never fails. */
    @Override
    public void close() {
        if (cancellation.unregisterCloseable(closer)) {
            try {
                closeChanges();
            } catch (IOException e) {
                LOG.warn("Could not close {} after reading it", changeSet, e);
            }
        }
    }

    private void closeChanges() throws IOException {
        try {
            changes.close();
        } catch (Exception e) {
            throw new IOException("Could not close " + changeSet, e);
        }
    }
}
