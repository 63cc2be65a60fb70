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

import io.dstl.fs.read.ContentSource.SetRequest;
import io.dstl.fs.segment.SegmentInput;
import io.dstl.secret.Redaction.Redacted;
import io.dstl.store.SegmentOpener;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole uncompressed content of a segment without an index; filled by the first thread that
 * needs it.
 */
final class WholeCopy extends LocalCopy {

    private static final Logger LOG = LoggerFactory.getLogger(WholeCopy.class);

    private static final int BUFFER_BYTES = 64 << 10;

    private final SegmentOpener opener;

    /** Written with {@link #filling} held. */
    private volatile boolean ready;

    WholeCopy(StreamStateHandle segment, Path file, SegmentOpener opener) {
        super(segment, file);
        this.opener = opener;
    }

    @Override
    boolean isFilled() {
        return ready;
    }

    /**
     * Opens the file at a position, and fills it first if nobody has.
     *
     * @param cancellation closing it ends the download
     */
    InputStream open(long position, CloseableRegistry cancellation) throws IOException {
        lock();
        try {
            fill(cancellation);
        } finally {
            filling.unlock();
        }
        SeekableByteChannel channel = open();
        try {
            return Channels.newInputStream(channel.position(position));
        } catch (Throwable t) {
            channel.close();
            throw t;
        }
    }

    private SeekableByteChannel open() throws IOException {
        try {
            return Files.newByteChannel(file());
        } catch (IOException e) {
            throw CopyDirectory.UnusableException.ofOpen(file(), e);
        }
    }

    @Override
    void fetch(List<SetRequest> sets) throws IOException {
        if (filling.tryLock()) {
            try {
                fill(new CloseableRegistry());
            } finally {
                filling.unlock();
            }
        }
    }

    private void fill(CloseableRegistry cancellation) throws IOException {
        if (ready) {
            return;
        }
        LOG.debug("Downloading {} to {}", Redacted.of(segment()), file());
        try {
            download(cancellation);
            ready = true;
        } catch (Throwable t) {
            delete();
            throw t;
        }
    }

    private void download(CloseableRegistry cancellation) throws IOException {
        FSDataInputStream stored = opener.open(segment());
        beginDownload(stored);
        cancellation.registerCloseable(stored);
        try (InputStream content = SegmentInput.open(stored, segment(), 0);
                OutputStream copy =
                        Channels.newOutputStream(
                                CopyDirectory.open(
                                        file(),
                                        Set.of(
                                                StandardOpenOption.CREATE_NEW,
                                                StandardOpenOption.WRITE)))) {
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) {
                write(copy, buffer, read);
            }
        } finally {
            endDownload();
            cancellation.unregisterCloseable(stored);
        }
    }

    private void write(OutputStream copy, byte[] bytes, int length) throws IOException {
        try {
            copy.write(bytes, 0, length);
        } catch (IOException e) {
            throw CopyDirectory.UnusableException.of(file(), e);
        }
    }
}
