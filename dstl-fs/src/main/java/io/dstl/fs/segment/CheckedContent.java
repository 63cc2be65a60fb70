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

import io.dstl.secret.Redaction.Redacted;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Locale;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The content of one change set of a segment with an index, block by block. Hands out bytes of a
 * block only after its checksum was found right; a wrong block is read from the store once more.
 * Skipped blocks are not read.
 *
 * <p>Owns the file's bytes and closes them. Holds one block at a time. One thread at a time.
 */
final class CheckedContent extends InputStream {

    private static final Logger LOG = LoggerFactory.getLogger(CheckedContent.class);

    private final StoredBytes file;
    private final StreamStateHandle segment;
    private final boolean compressed;
    private final SetIndex set;

    /** Position in the change set. */
    private long position;

    private int loaded = -1;
    private byte[] block = new byte[0];

    CheckedContent(StoredBytes file, StreamStateHandle segment, SegmentIndex index, SetIndex set) {
        this.file = file;
        this.segment = segment;
        this.compressed = index.isCompressed();
        this.set = set;
    }

    @Override
    public int read() throws IOException {
        byte[] single = new byte[1];
        return read(single, 0, 1) < 0 ? -1 : single[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (position >= set.bytes()) {
            return -1;
        }
        int wanted = (int) (position / SegmentFormat.BLOCK_BYTES);
        if (wanted != loaded) {
            block = content(wanted, verified(wanted));
            loaded = wanted;
        }
        int at = (int) (position % SegmentFormat.BLOCK_BYTES);
        int part = Math.min(length, block.length - at);
        System.arraycopy(block, at, target, offset, part);
        position += part;
        return part;
    }

    @Override
    public int available() {
        int at = (int) (position % SegmentFormat.BLOCK_BYTES);
        boolean inBlock = loaded == position / SegmentFormat.BLOCK_BYTES;
        return inBlock ? block.length - at : 0;
    }

    @Override
    public long skip(long count) {
        long skipped = Math.max(0, Math.min(count, set.bytes() - position));
        position += skipped;
        return skipped;
    }

    /** The bytes of a block as stored. */
    private byte[] verified(int number) throws IOException {
        byte[] stored = new byte[set.storedBytes(number)];
        long at = set.position(number);
        String fault;
        try {
            file.read(at, stored);
            fault = fault(number, stored);
        } catch (EOFException e) {
            fault = "the end of the file";
        }
        if (fault.isEmpty()) {
            return stored;
        }
        LOG.warn(
                "Segment {} is read again: in the change set at offset {}, at position {} of the"
                        + " file, {}",
                Redacted.of(segment.getStreamStateHandleID().getKeyString()),
                set.offset(),
                at,
                fault);
        EOFException end = null;
        try {
            file.readAgain(at, stored);
            fault = fault(number, stored);
        } catch (EOFException e) {
            fault = "the end of the file";
            end = e;
        }
        if (!fault.isEmpty()) {
            throw corrupt(number, fault + ", also when it was read again", end);
        }
        return stored;
    }

    /** What is wrong with the stored bytes of a block; empty if nothing is. */
    private String fault(int number, byte[] stored) {
        int actual = SegmentFormat.checksum(stored, 0, stored.length);
        return actual == set.checksum(number)
                ? ""
                : String.format(
                        Locale.ROOT,
                        "%d bytes with checksum %08x instead of %08x",
                        stored.length,
                        actual,
                        set.checksum(number));
    }

    private byte[] content(int number, byte[] stored) throws IOException {
        if (!compressed) {
            return stored;
        }
        if (!SnappyFrames.isFrame(stored, set.contentBytes(number))) {
            throw corrupt(number, "no frame of " + set.contentBytes(number) + " bytes", null);
        }
        byte[] content;
        try (InputStream frame =
                SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(
                        new SequenceInputStream(
                                new ByteArrayInputStream(SegmentFormat.streamIdentifier()),
                                new ByteArrayInputStream(stored)))) {
            content = frame.readNBytes(set.contentBytes(number));
        } catch (IOException e) {
            throw corrupt(number, "a frame that cannot be decompressed", e);
        }
        if (content.length < set.contentBytes(number)) {
            throw corrupt(number, "a frame of " + content.length + " bytes", null);
        }
        return content;
    }

    private SegmentCorruptedException corrupt(int number, String found, IOException cause) {
        long at = set.offset() + (long) number * SegmentFormat.BLOCK_BYTES;
        return new SegmentCorruptedException(
                segment, set.offset(), at, found, "what was stored", cause);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
