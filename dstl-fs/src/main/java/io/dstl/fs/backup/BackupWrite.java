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
package io.dstl.fs.backup;

import io.dstl.fs.arena.ChangeSet;
import io.dstl.fs.batch.SegmentLocation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The write of one change set to a file, unless it is given up before it ends.
 *
 * <p>Owns one use of the change set, and releases it when the file is written, or at once if the
 * write is given up before it begins. Owns the file until it is reported as kept; deletes one that
 * is late or incomplete.
 *
 * <p><b>Threading.</b> {@link #run} on the thread of the disk; {@link #giveUp} on any, and does not
 * block.
 */
final class BackupWrite implements Runnable {

    /** Writes a change set to a file that does not exist yet. */
    interface FileWriter {
        void write(ChangeSet changes, Path file) throws IOException;
    }

    /** Takes the outcome: exactly one call, on the thread that causes it. */
    interface Outcome {
        void kept(BackupWrite write, SegmentLocation backup);

        void notKept(BackupWrite write, Throwable cause);
    }

    private enum State {
        /** Waits for the thread. */
        QUEUED,
        /** Under way, outcome open. */
        WRITING,
        /** Given up, and still under way. */
        OVERDUE,
        /** Nothing is under way, the outcome is known. */
        ENDED
    }

    private static final Logger LOG = LoggerFactory.getLogger(BackupWrite.class);

    private final ChangeSet changes;
    private final Path file;
    private final FileWriter writer;
    private final Outcome outcome;
    private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);

    /**
     * @param changes retained for this write
     */
    BackupWrite(ChangeSet changes, Path file, FileWriter writer, Outcome outcome) {
        this.changes = changes;
        this.file = file;
        this.writer = writer;
        this.outcome = outcome;
    }

    @Override
    public void run() {
        if (become(each -> each == State.QUEUED ? State.WRITING : each, "begun") == State.QUEUED) {
            try {
                kept(write());
            } catch (Throwable t) {
                failed(t);
            }
        }
    }

    private SegmentLocation write() throws IOException {
        try {
            writer.write(changes, file);
        } finally {
            changes.release();
        }
        return new SegmentLocation(
                new FileStateHandle(
                        new org.apache.flink.core.fs.Path(file.toUri()), Files.size(file)),
                0);
    }

    private void kept(SegmentLocation backup) {
        if (become(each -> State.ENDED, "written") == State.OVERDUE) {
            BackupDisk.deleteNow(file);
        } else {
            tell(() -> outcome.kept(this, backup));
        }
    }

    private void failed(Throwable cause) {
        BackupDisk.deleteNow(file);
        if (become(each -> State.ENDED, "failed") != State.OVERDUE) {
            tell(() -> outcome.notKept(this, cause));
        }
    }

    /**
     * @return false, without effect, if the outcome is known
     */
    boolean giveUp(Throwable cause) {
        State before = become(BackupWrite::givenUp, "given up");
        if (before == State.QUEUED) {
            changes.release();
        }
        boolean open = before == State.QUEUED || before == State.WRITING;
        if (open) {
            tell(() -> outcome.notKept(this, cause));
        }
        return open;
    }

    private static State givenUp(State before) {
        switch (before) {
            case QUEUED:
                return State.ENDED;
            case WRITING:
                return State.OVERDUE;
            default:
                return before;
        }
    }

    /** Returns the previous state. */
    private State become(UnaryOperator<State> next, String reason) {
        State before = state.getAndUpdate(next);
        LOG.trace("{}, {}: {}", this, before, reason);
        return before;
    }

    /** An error of the writer ends neither thread. */
    private static void tell(Runnable news) {
        try {
            news.run();
        } catch (Throwable t) {
            LOG.error("A writer failed at the outcome of a local backup", t);
        }
    }

    @Override
    public String toString() {
        return "write of " + file;
    }
}
