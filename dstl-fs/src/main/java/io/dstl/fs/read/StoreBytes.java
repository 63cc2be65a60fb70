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
import io.dstl.fs.segment.StoredBytes;
import io.dstl.fs.segment.StoredBytes.FileRange;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.store.SegmentOpener;
import io.dstl.store.SegmentOpener.RangedReads;
import java.io.EOFException;
import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * Reads a segment in the store. Owns at most one open stream, which the first read opens. Seeks
 * only if a read does not start where the last one ended, and requests only bytes that are going to
 * be read, if the stream can be told.
 */
final class StoreBytes implements StoredBytes {

    private final SegmentOpener opener;
    private final StreamStateHandle segment;

    /** Used by the reading thread. */
    private Collection<FileRange> expected = Collections.emptyList();

    @GuardedBy("this")
    private Optional<FSDataInputStream> stream = Optional.empty();

    @GuardedBy("this")
    private boolean closed;

    StoreBytes(SegmentOpener opener, StreamStateHandle segment) {
        this.opener = opener;
        this.segment = segment;
    }

    /** The parts that are going to be read, each to its end, call by call. */
    void expect(Collection<FileRange> ranges) {
        expected = ranges;
    }

    @Override
    public void read(long position, byte[] target) throws IOException {
        read(position, target, target.length);
    }

    /** Fills the first {@code length} bytes of the buffer. */
    void read(long position, byte[] target, int length) throws IOException {
        FSDataInputStream in = open();
        if (in.getPos() != position) {
            in.seek(position);
        }
        if (in instanceof RangedReads) {
            ((RangedReads) in).readUntil(expectedEnd(position, length));
        }
        int read = in.readNBytes(target, 0, length);
        if (read < length) {
            throw new EOFException(
                    "Segment "
                            + Redacted.of(segment)
                            + " ends at position "
                            + (position + read)
                            + ", "
                            + (length - read)
                            + " bytes early");
        }
    }

    private long expectedEnd(long position, int length) {
        long end = position + length;
        for (FileRange range : expected) {
            if (range.start() <= position && position < range.end()) {
                end = Math.max(end, range.end());
            }
        }
        return end;
    }

    private FSDataInputStream open() throws IOException {
        Optional<FSDataInputStream> current = current();
        if (current.isPresent()) {
            return current.get();
        }
        FSDataInputStream opened = opener.open(segment);
        synchronized (this) {
            if (!closed) {
                stream = Optional.of(opened);
                return opened;
            }
        }
        opened.close();
        throw ended();
    }

    private synchronized Optional<FSDataInputStream> current() throws IOException {
        if (closed) {
            throw ended();
        }
        return stream;
    }

    private IOException ended() {
        return new IOException("Reading " + Redacted.of(segment) + " was ended by a cancellation");
    }

    @Override
    public void readAgain(long position, byte[] target) throws IOException {
        closeStream();
        read(position, target);
    }

    private void closeStream() throws IOException {
        Optional<FSDataInputStream> toClose;
        synchronized (this) {
            toClose = stream;
            stream = Optional.empty();
        }
        if (toClose.isPresent()) {
            toClose.get().close();
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
        }
        closeStream();
    }
}
