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

import static java.util.Objects.requireNonNull;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;

/**
 * Opens logs for reading, in whichever storage the handle names.
 *
 * <p>Called by the thread that replays, or that reads ahead for it. The caller owns and closes the
 * iterator. When the task is cancelled, another thread may close the iterator while it is read;
 * reading then either ends or throws.
 */
@FunctionalInterface
public interface LogSource {
    /**
     * @param keyGroups whose changes are needed, beside the metadata; others may come as well
     * @return the changes of the log in the order of their replay
     * @throws IOException if the log can't be opened; reading on may fail too, with any exception
     */
    CloseableIterator<StateChange> open(ChangelogStateHandle log, KeyGroupRange keyGroups)
            throws IOException;

    /**
     * Announces the parts that will be opened, in this order, so that they can be fetched
     * meanwhile. Returns at once.
     */
    default Ahead announce(List<Part> parts) {
        return Ahead.NONE;
    }

    /**
     * The milliseconds that the replay waited for the log while nobody waited for the replay. They
     * do not count as time of the replay.
     */
    default long waitedMillis() {
        return 0;
    }

    /** Fetches parts of logs ahead. Any thread may close it, which ends the fetching. */
    interface Ahead extends Closeable {
        Ahead NONE =
                new Ahead() {
                    @Override
                    public void done(ChangelogStateHandle log) {}

                    @Override
                    public void close() {}
                };

        /**
         * Makes the thread that replays run an action: now if it waits for the log, or else when it
         * waits next. If all but the first part are held back, not before it has that part. Any
         * thread; does not wait for the action.
         *
         * @param action throws nothing
         */
        default void wake(Runnable action) {}

        /** Continues with the parts held back; at once, or after the parts before them are read. */
        default void readOn() {}

        /** Tells that one of the parts has been read to its end. */
        void done(ChangelogStateHandle log);

        @Override
        void close();
    }

    /** A part of a log that will be read, and its key groups that are needed. */
    final class Part {
        private final ChangelogStateHandle log;
        private final KeyGroupRange keyGroups;
        private final String description;

        /**
         * @param description names the part in errors
         */
        Part(ChangelogStateHandle log, KeyGroupRange keyGroups, String description) {
            this.description = requireNonNull(description);
            this.log = requireNonNull(log);
            this.keyGroups = requireNonNull(keyGroups);
        }

        public ChangelogStateHandle log() {
            return log;
        }

        /** May be empty: metadata is always needed. */
        public KeyGroupRange keyGroups() {
            return keyGroups;
        }

        @Override
        public String toString() {
            return description;
        }
    }
}
