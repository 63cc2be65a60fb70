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
 * Opens logs for reading: the storage that the handle names, whichever it is.
 *
 * <p>Called by the thread that replays, or reads ahead for it. The iterator is owned, and closed,
 * by the caller; it may be closed by another thread while it is being read, when the task is
 * cancelled, and then either ends or throws.
 */
@FunctionalInterface
public interface LogSource {
    /**
     * @param keyGroups whose changes are needed, beside the metadata; others may come as well
     * @return the changes of the log in the order they are to be replayed
     * @throws IOException if the log can't be opened; reading on may fail too, with any exception
     */
    CloseableIterator<StateChange> open(ChangelogStateHandle log, KeyGroupRange keyGroups)
            throws IOException;

    /**
     * Tells what is going to be opened, in this order, so that it can be fetched meanwhile. Returns
     * at once.
     */
    default Ahead announce(List<Part> parts) {
        return Ahead.NONE;
    }

    /**
     * The time that the replay waited for the log while nobody waited for the replay. It does not
     * count as the replay's own.
     */
    default long waitedMillis() {
        return 0;
    }

    /** Fetches parts of logs ahead. Any thread may close it, which ends that. */
    interface Ahead extends Closeable {
        Ahead NONE =
                new Ahead() {
                    @Override
                    public void done(ChangelogStateHandle log) {}

                    @Override
                    public void close() {}
                };

        /**
         * Makes the thread that replays run an action, now if it waits for the log, or else when it
         * next does. Any thread; does not wait for it.
         *
         * @param action throws nothing
         */
        default void wake(Runnable action) {}

        /** Goes on with what was held back; at once, or as soon as what comes before it is read. */
        default void readOn() {}

        /** One of the parts has been read to its end. */
        void done(ChangelogStateHandle log);

        @Override
        void close();
    }

    /** A part of a log that is going to be read, and the key groups that are needed of it. */
    static final class Part {
        private final ChangelogStateHandle log;
        private final KeyGroupRange keyGroups;
        private final String description;

        /**
         * @param description names it in errors
         */
        Part(ChangelogStateHandle log, KeyGroupRange keyGroups, String description) {
            this.description = requireNonNull(description);
            this.log = requireNonNull(log);
            this.keyGroups = requireNonNull(keyGroups);
        }

        public ChangelogStateHandle log() {
            return log;
        }

        /** May be empty: metadata is needed always. */
        public KeyGroupRange keyGroups() {
            return keyGroups;
        }

        @Override
        public String toString() {
            return description;
        }
    }
}
