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

import io.dstl.fs.segment.ChangeSetDecoder;
import io.dstl.fs.segment.ContentCursor;
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
 * <p>Owns at most one open stream. One thread at a time.
 */
final class HandleChanges implements CloseableIterator<StateChange> {

    private final ContentSource source;
    private final Iterator<Tuple2<StreamStateHandle, Long>> locations;
    private Optional<ContentCursor> cursor = Optional.empty();
    private Optional<ChangeSetDecoder> changes = Optional.empty();

    HandleChanges(ContentSource source, List<Tuple2<StreamStateHandle, Long>> locations) {
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
            throw new UncheckedIOException(e);
        }
    }

    private ChangeSetDecoder open(StreamStateHandle segment, long offset) throws IOException {
        boolean further =
                cursor.isPresent()
                        && cursor.get().segment().equals(segment)
                        && cursor.get().position() <= offset;
        if (!further) {
            closeCursor();
            cursor = Optional.of(new ContentCursor(segment, source.open(segment, offset), offset));
        }
        return new ChangeSetDecoder(cursor.get(), offset);
    }

    @Override
    public StateChange next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        try {
            return changes.get().next();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        changes = Optional.empty();
        closeCursor();
    }

    private void closeCursor() throws IOException {
        if (cursor.isPresent()) {
            ContentCursor toClose = cursor.get();
            cursor = Optional.empty();
            toClose.close();
        }
    }
}
