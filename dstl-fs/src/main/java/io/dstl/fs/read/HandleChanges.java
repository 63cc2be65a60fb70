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
import io.dstl.fs.secret.Redaction;
import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.segment.ContentCursor;
import io.dstl.registry.Shown;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.StateChange;
import org.apache.flink.util.CloseableIterator;

/**
 * Goes through the change sets of a handle, one after the other. Change sets that follow each other
 * in one segment are read in one go.
 *
 * <p>Owns at most one open stream. One thread at a time, but for {@link #close()}, which a
 * cancelling thread may call while another reads: what that one opens then is closed at once.
 */
final class HandleChanges implements CloseableIterator<StateChange> {

    private final ContentSource source;
    private final Iterator<Tuple2<StreamStateHandle, Long>> locations;
    private final Redaction redaction;
    private Optional<ChangeSetDecoder> changes = Optional.empty();

    @GuardedBy("this")
    private Optional<ContentCursor> cursor = Optional.empty();

    @GuardedBy("this")
    private boolean closed;

    HandleChanges(
            ContentSource source,
            List<Tuple2<StreamStateHandle, Long>> locations,
            Redaction redaction) {
        this.redaction = redaction;
        this.source = source;
        this.locations = locations.iterator();
    }

    @Override
    public boolean hasNext() {
        try {
            while (!changes.isPresent() || !changes.get().hasNext()) {
                if (!locations.hasNext()) {
                    return false;
                }
                Tuple2<StreamStateHandle, Long> location = locations.next();
                changes = Optional.of(open(location.f0, location.f1));
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(redaction.failure(e));
        } catch (RuntimeException e) {
            throw redaction.failure(e);
        }
    }

    private ChangeSetDecoder open(StreamStateHandle segment, long offset) throws IOException {
        Optional<ContentCursor> current = current();
        boolean further =
                current.isPresent()
                        && current.get().segment().equals(segment)
                        && current.get().position() <= offset;
        if (further) {
            return new ChangeSetDecoder(current.get(), offset);
        }
        closeCursor();
        ContentCursor opened = new ContentCursor(segment, source.open(segment, offset), offset);
        keep(opened);
        return new ChangeSetDecoder(opened, offset);
    }

    private synchronized Optional<ContentCursor> current() {
        return cursor;
    }

    private void keep(ContentCursor opened) throws IOException {
        synchronized (this) {
            if (!closed) {
                cursor = Optional.of(opened);
                return;
            }
        }
        opened.close();
        throw new IOException(
                "Reading " + Shown.of(opened.segment()) + " was ended by a cancellation");
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
        closeCursor();
    }

    private void closeCursor() throws IOException {
        Optional<ContentCursor> toClose;
        synchronized (this) {
            toClose = cursor;
            cursor = Optional.empty();
        }
        if (toClose.isPresent()) {
            toClose.get().close();
        }
    }
}
