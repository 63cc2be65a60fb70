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
package io.dstl.fs.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.dstl.fs.read.ContentSource.FetchAhead;
import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.segment.SetInput;
import io.dstl.secret.Redaction;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandleStreamImpl;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.runtime.state.changelog.StateChangelogHandleReader;

/**
 * Reads the changes that a handle of dstl or Flink refers to, in the order of the log.
 *
 * <p>Any thread; the iterators it returns are for one thread each. Does not own its source.
 */
public final class ChangeReader
        implements StateChangelogHandleReader<ChangelogStateHandleStreamImpl> {

    private final ContentSource source;
    private final Redaction redaction;

    /**
     * @param redaction for the errors that iterators throw
     */
    public ChangeReader(ContentSource source, Redaction redaction) {
        this.source = source;
        this.redaction = redaction;
    }

    /**
     * Opens nothing yet. The iterator throws read errors as an {@link
     * java.io.UncheckedIOException}, whose cause names the segment; it skips nothing.
     */
    @Override
    public LoggedChanges getChanges(ChangelogStateHandleStreamImpl handle) {
        return getChanges(handle, ChangeSetDecoder.ALL_KEY_GROUPS);
    }

    /**
     * As {@link #getChanges(ChangelogStateHandleStreamImpl)}, but may leave out changes that are
     * neither metadata nor of these key groups; those far from needed ones are not even fetched.
     */
    public LoggedChanges getChanges(
            ChangelogStateHandleStreamImpl handle, KeyGroupRange keyGroups) {
        return new HandleChanges(source, requests(handle, keyGroups), redaction);
    }

    /** The requests for these key groups of a handle, in order, for {@link #fetchAhead}. */
    public static List<SetRequest> requests(
            ChangelogStateHandleStreamImpl handle, KeyGroupRange keyGroups) {
        return handle.getHandlesAndOffsets().stream()
                .map(location -> new SetRequest(location.f0, location.f1, keyGroups))
                .collect(Collectors.toList());
    }

    /** See {@link ContentSource#fetchAhead}. */
    public FetchAhead fetchAhead(List<SetRequest> sets) {
        return source.fetchAhead(sets);
    }

    /**
     * Reads the change sets of a handle, one after the other.
     *
     * <p>Owns at most one open change set. One thread at a time, but for {@link #close()}, which a
     * cancelling thread may call while another reads or opens: then the fetches of that thread end
     * with an error, and a set that it opens is closed at once.
     */
    static final class HandleChanges implements LoggedChanges {

        private final ContentSource source;
        private final Iterator<SetRequest> sets;
        private final Redaction redaction;
        private final CloseableRegistry cancellation = new CloseableRegistry();

        @GuardedBy("this")
        private Optional<Closeable> open = Optional.empty();

        @GuardedBy("this")
        private boolean closed;

        private Optional<ChangeSetDecoder> changes = Optional.empty();

        HandleChanges(ContentSource source, List<SetRequest> sets, Redaction redaction) {
            this.redaction = redaction;
            this.source = source;
            this.sets = sets.iterator();
        }

        @Override
        public boolean hasNext() {
            try {
                while (!changes.isPresent() || !changes.get().hasNext()) {
                    if (!sets.hasNext()) {
                        return false;
                    }
                    changes = Optional.of(open(sets.next()));
                }
                return true;
            } catch (IOException e) {
                throw new UncheckedIOException(redaction.failure(e));
            } catch (RuntimeException e) {
                throw redaction.failure(e);
            }
        }

        @Override
        public boolean isGrouped() {
            return !hasNext() || changes.get().isGrouped();
        }

        private ChangeSetDecoder open(SetRequest set) throws IOException {
            closeOpen();
            SetInput input = source.open(set, cancellation);
            keep(input.content(), set);
            return input.decode(set.keyGroups());
        }

        private void keep(Closeable opened, SetRequest set) throws IOException {
            synchronized (this) {
                if (!closed) {
                    open = Optional.of(opened);
                    return;
                }
            }
            opened.close();
            throw new IOException("Reading " + set + " was ended by a cancellation");
        }

        @Override
        public StateChange next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            try {
                return changes.get().next();
            } catch (IOException e) {
                throw new UncheckedIOException(redaction.failure(e));
            } catch (RuntimeException e) {
                throw redaction.failure(e);
            }
        }

        @Override
        public void close() throws IOException {
            synchronized (this) {
                closed = true;
            }
            try {
                cancellation.close();
            } finally {
                closeOpen();
            }
        }

        private void closeOpen() throws IOException {
            Optional<Closeable> toClose;
            synchronized (this) {
                toClose = open;
                open = Optional.empty();
            }
            if (toClose.isPresent()) {
                toClose.get().close();
            }
        }
    }
}
