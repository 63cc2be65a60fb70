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
package io.dstl.fs.segment;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * The uncompressed content of a Snappy framed stream, each frame checked against its checksum.
 * Flink's decorator alone would not look at the checksums.
 *
 * <p>Owns the file's stream and closes it. One thread at a time.
 *
 * <p>A damaged frame is a {@link SegmentCorruptedException}; a failure of the file's stream is
 * passed on as it is, since another attempt may help.
 */
final class SnappyContent extends InputStream {

    private final SnappyFrames frames;
    private final InputStream content;
    private final StreamStateHandle segment;
    private final long setOffset;
    private long position;

    /**
     * @param file positioned behind byte 0
     * @param setOffset of the change set that is going to be read, for errors
     */
    SnappyContent(InputStream file, StreamStateHandle segment, long setOffset) throws IOException {
        this.segment = segment;
        this.setOffset = setOffset;
        this.frames = new SnappyFrames(file);
        try {
            this.content =
                    SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(frames);
        } catch (IOException e) {
            throw explain(e);
        }
    }

    @Override
    public int read() throws IOException {
        byte[] single = new byte[1];
        return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        try {
            int read = content.read(target, offset, length);
            if (read > 0) {
                frames.check(target, offset, read);
                position += read;
            }
            return read;
        } catch (IOException e) {
            throw explain(e);
        }
    }

    private IOException explain(IOException e) {
        if (frames.failedWith(e)) {
            return e;
        }
        String found = e instanceof EOFException ? "the end of the file" : e.getMessage();
        return new SegmentCorruptedException(
                segment, setOffset, position, found, "a sound Snappy frame", e);
    }

    @Override
    public void close() throws IOException {
        try {
            content.close();
        } finally {
            frames.close();
        }
    }
}
